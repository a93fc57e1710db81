/* Where to look next in a binary search: half way between two places of an array.

   `(low + high) / 2` is right for small arrays. With more than a billion elements the sum does not fit into an int, and
   an overflow of a signed integer is undefined in C. The other way to write it, compiled with -D FIXED, never overflows. */

#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int midpoint(int low, int high) {
#ifdef FIXED
  return low + (high - low) / 2;
#else
  return (low + high) / 2;
#endif
}

int main(void) {
  int low = __VERIFIER_nondet_int(), high = __VERIFIER_nondet_int();
  if (0 <= low && low <= high) {
    int middle = midpoint(low, high);
    assert(low <= middle && middle <= high);
  }
  return 0;
}
