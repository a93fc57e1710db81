// A mask of n bits: n may be the width.
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n > 32) return 0;
  unsigned mask = (1u << n) - 1;
  return mask == 5;
}
