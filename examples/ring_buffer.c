/* A serial line puts bytes into a ring of four slots, and a program takes them out.

   `arrived` and `taken` count bytes and run over from 255 to 0; the difference of the two is how many bytes wait. The
   line has been up for a while, so the counters start anywhere. A byte that finds the ring full is to be dropped.

   The mistake is C's own: in `arrived - taken` both counters are promoted to int, so after `arrived` has run over the
   difference is negative, the ring looks empty, and a fifth byte overwrites the first. The cast that the comment gives
   makes the program safe. */

#include <assert.h>

#define SLOTS 4

extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);

static unsigned char slots[SLOTS];
static unsigned char arrived, taken;

static int waiting(void) {
  return arrived - taken; /* (unsigned char)(arrived - taken) */
}

static void put(unsigned char byte) {
  if (waiting() < SLOTS) {
    slots[arrived % SLOTS] = byte;
    arrived++;
  }
}

static unsigned char take(void) {
  return slots[taken++ % SLOTS];
}

int main(void) {
  arrived = taken = __VERIFIER_nondet_uchar();
  unsigned char first = __VERIFIER_nondet_uchar();
  put(first);
  while (__VERIFIER_nondet_bool())
    put(__VERIFIER_nondet_uchar());
  assert(take() == first);
  return 0;
}
