// The mean of a count that is tested.
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int sum = __VERIFIER_nondet_int(), count = __VERIFIER_nondet_int();
  if (count <= 0 || sum < 0) return 0;
  return sum / count;
}
