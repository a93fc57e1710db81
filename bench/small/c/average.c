// The average of two ints: the sum may overflow.
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  if (a < 0 || b < 0) return 0;
  int average = (a + b) / 2;
  return average < 0;
}
