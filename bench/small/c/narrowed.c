// A length is kept in a character.
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned length = __VERIFIER_nondet_uint();
  if (length > 300) return 0;
  unsigned char kept = length;
  return kept == length;
}
