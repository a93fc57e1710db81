/* Insertion sort of readings that never looks at the first one. */
#include <assert.h>
#include <stdint.h>

extern int16_t __VERIFIER_nondet_short(void);

#define COUNT 6

static void sort(int16_t *values, int count) {
  for (int i = 1; i < count; i++) {
    int16_t value = values[i];
    int j = i - 1;
    while (j > 0 && values[j] > value) {
      values[j + 1] = values[j];
      j--;
    }
    values[j + 1] = value;
  }
}

static int occurrences(const int16_t *values, int count, int16_t wanted) {
  int found = 0;
  for (int i = 0; i < count; i++)
    found += values[i] == wanted;
  return found;
}

int main(void) {
  int16_t values[COUNT], before[COUNT];
  for (int i = 0; i < COUNT; i++)
    before[i] = values[i] = __VERIFIER_nondet_short();
  sort(values, COUNT);
  for (int i = 1; i < COUNT; i++)
    assert(values[i - 1] <= values[i]);
  int16_t any = __VERIFIER_nondet_short();
  assert(occurrences(values, COUNT, any) == occurrences(before, COUNT, any));
  return 0;
}
