/* Two crossing roads, with requests of pedestrians, who may wait for ever. */
#include <assert.h>

extern _Bool __VERIFIER_nondet_bool(void);

#define TICKS 60

enum phase { NORTH, NORTH_YELLOW, ALL_RED_1, EAST, EAST_YELLOW, ALL_RED_2, WALK };

static enum phase phase = ALL_RED_2;
static unsigned timer = 2;
static int waiting, before_north;

static void enter(enum phase next, unsigned ticks) {
  phase = next;
  timer = ticks;
}

static void advance(void) {
  switch (phase) {
  case NORTH:
    enter(NORTH_YELLOW, 2);
    break;
  case NORTH_YELLOW:
    enter(ALL_RED_1, 1);
    break;
  case ALL_RED_1:
    enter(EAST, 5);
    break;
  case EAST:
    enter(EAST_YELLOW, 2);
    break;
  case EAST_YELLOW:
    enter(ALL_RED_2, 1);
    break;
  case ALL_RED_2:
    if (waiting && before_north++ > 1) {
      waiting = 0;
      enter(WALK, 4);
    } else {
      enter(NORTH, 5);
    }
    break;
  case WALK:
    enter(NORTH, 5);
    break;
  }
}

static int north_goes(void) { return phase == NORTH || phase == NORTH_YELLOW; }
static int east_goes(void) { return phase == EAST || phase == EAST_YELLOW; }

int main(void) {
  enum phase before = phase;
  unsigned unserved = 0;
  for (int tick = 0; tick < TICKS; tick++) {
    if (__VERIFIER_nondet_bool())
      waiting = 1;
    if (timer > 0)
      timer--;
    if (timer == 0)
      advance();
    assert(!(north_goes() && east_goes()));
    assert(phase != WALK || !(north_goes() || east_goes()));
    assert(before != NORTH || phase == NORTH || phase == NORTH_YELLOW);
    assert(before != EAST || phase == EAST || phase == EAST_YELLOW);
    unserved = waiting ? unserved + 1 : 0;
    assert(unserved <= 25);
    before = phase;
  }
  return 0;
}
