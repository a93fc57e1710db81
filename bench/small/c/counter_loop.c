// Two counters of a loop without a bound stay together.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  unsigned x = 0, y = 0;
  while (__VERIFIER_nondet_int()) { x++; y++; }
  assert(x == y);
  return 0;
}
