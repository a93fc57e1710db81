// Euclid's algorithm leaves a number that is not zero.
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
  unsigned a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar();
  if (a == 0 || b == 0 || a > 20 || b > 20) return 0;
  while (b != 0) { unsigned rest = a % b; a = b; b = rest; }
  assert(a != 0);
  return 0;
}
