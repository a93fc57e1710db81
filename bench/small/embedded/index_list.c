/* A list of timers, ordered by when they are due, in a static array: links are indices. */
#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
extern int __VERIFIER_nondet_int(void);

#define TIMERS 5
#define NIL 255
#define STEPS 8

struct timer {
  unsigned char due;
  unsigned char next;
};

static struct timer timers[TIMERS];
static unsigned char first, unused;

static void prepare(void) {
  first = NIL;
  unused = 0;
  for (unsigned char i = 0; i < TIMERS; i++)
    timers[i].next = i + 1 < TIMERS ? (unsigned char)(i + 1) : NIL;
}

static int insert(unsigned char due) {
  if (unused == NIL)
    return 0;
  unsigned char new = unused;
  unused = timers[new].next;
  timers[new].due = due;
  unsigned char *link = &first;
  while (*link != NIL && timers[*link].due <= due)
    link = &timers[*link].next;
  timers[new].next = *link;
  *link = new;
  return 1;
}

static int pop(unsigned char *due) {
  if (first == NIL)
    return 0;
  unsigned char old = first;
  first = timers[old].next;
  *due = timers[old].due;
  timers[old].next = unused;
  unused = old;
  return 1;
}

static int length(unsigned char from) {
  int count = 0;
  while (from != NIL) {
    assert(from < TIMERS);
    from = timers[from].next;
    count++;
  }
  return count;
}

int main(void) {
  int inside = 0;
  prepare();
  for (int i = 0; i < STEPS; i++) {
    if (__VERIFIER_nondet_int()) {
      inside += insert(__VERIFIER_nondet_uchar());
    } else {
      unsigned char due;
      if (pop(&due)) {
        inside--;
        assert(first == NIL || due <= timers[first].due);
      }
    }
    assert(inside >= 0 && inside <= TIMERS);
  }
  assert(length(first) == inside);
  assert(length(unused) == TIMERS - inside);
  return 0;
}
