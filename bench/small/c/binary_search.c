// Binary search in a sorted array finds what is there.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int values[4] = {1, 3, 4, 7}, wanted = __VERIFIER_nondet_int(), low = 0, high = 3, found = -1;
  while (low <= high) {
    int middle = low + (high - low) / 2;
    if (values[middle] == wanted) { found = middle; break; }
    if (values[middle] < wanted) low = middle + 1; else high = middle - 1;
  }
  for (int i = 0; i < 4; i++) assert(values[i] != wanted || found == i);
  return 0;
}
