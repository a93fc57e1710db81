// The sum of the first numbers, by recursion.
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
static unsigned sum(unsigned n) { return n == 0 ? 0 : n + sum(n - 1); }
int main(void) {
  unsigned n = __VERIFIER_nondet_uchar();
  if (n > 6) return 0;
  assert(2 * sum(n) == n * (n + 1));
  return 0;
}
