/* A parser knows three kinds of packets. Its author promises the compiler that there is no fourth.
 *
 * cleave verify examples/packets.c --check unreachable     unsafe: two bits of the header give four kinds
 */
extern unsigned char __VERIFIER_nondet_uchar(void);

static int header_length(unsigned char first) {
  switch (first >> 6) {
  case 0:
    return 2; /* data */
  case 1:
    return 4; /* data with a number */
  case 2:
    return 1; /* acknowledgement */
  default:
    __builtin_unreachable();
  }
}

int main(void) {
  return header_length(__VERIFIER_nondet_uchar());
}
