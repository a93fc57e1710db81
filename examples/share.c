/* A bill is shared among the guests. Nobody may have come.
 *
 * cleave verify examples/share.c --check division    unsafe: division by zero
 */
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned bill = 120, guests = __VERIFIER_nondet_uint();
  return bill / guests > 40;
}
