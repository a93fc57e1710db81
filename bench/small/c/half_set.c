/* Only one branch sets the price. */
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int price;
  if (__VERIFIER_nondet_int())
    price = 3;
  return price;
}
