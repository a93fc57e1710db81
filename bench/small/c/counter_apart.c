// One of two counters is forgotten on a rare path.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  unsigned x = 0, y = 0;
  for (int i = 0; i < 6; i++) {
    int command = __VERIFIER_nondet_int();
    if (command == 4711) { x++; continue; }
    x++;
    y++;
  }
  assert(x == y);
  return 0;
}
