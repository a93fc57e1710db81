/* A pool of eight blocks with a bitmap of those in use, some of which are released twice. */
#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
extern int __VERIFIER_nondet_int(void);

#define BLOCKS 8
#define STEPS 10
#define NONE (-1)

static unsigned char used;
static unsigned char owner[BLOCKS];
static int live;

static int allocate(unsigned char who) {
  for (int i = 0; i < BLOCKS; i++) {
    if (!(used & (1u << i))) {
      used |= (unsigned char)(1u << i);
      owner[i] = who;
      live++;
      return i;
    }
  }
  return NONE;
}

static int release(int block, unsigned char who) {
  if (block < 0 || block >= BLOCKS)
    return 0;
  if (owner[block] != who)
    return 0;
  used &= (unsigned char)~(1u << block);
  live--;
  return 1;
}

static int bits(unsigned char value) {
  int count = 0;
  while (value) {
    value &= (unsigned char)(value - 1);
    count++;
  }
  return count;
}

int main(void) {
  for (int i = 0; i < STEPS; i++) {
    unsigned char who = __VERIFIER_nondet_uchar();
    if (__VERIFIER_nondet_int()) {
      int block = allocate(who);
      assert(block == NONE ? live == BLOCKS : owner[block] == who);
    } else {
      int block = __VERIFIER_nondet_int();
      if (release(block, who))
        assert(!(used & (1u << block)));
    }
    assert(live >= 0 && live <= BLOCKS);
    assert(bits(used) == live);
  }
  return 0;
}
