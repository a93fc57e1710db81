// The average of two ints without the sum.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  if (a < 0 || b < a) return 0;
  int average = a + (b - a) / 2;
  assert(a <= average && average <= b);
  return 0;
}
