/* The mean of two bytes, by bit operations, without a wider type.
 *
 * cleave verify examples/average.c --engine bmc            safe: all inputs, bit by bit
 */
#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static unsigned char mean(unsigned char a, unsigned char b) {
  return (a & b) + ((a ^ b) >> 1);
}

int main(void) {
  unsigned char a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar();
  assert(mean(a, b) == (a + b) / 2);
  return 0;
}
