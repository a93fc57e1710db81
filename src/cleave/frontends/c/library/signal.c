/* Signals that a program sends to itself. Signals from outside are not considered. */

#include "model.h"

typedef void handler(int);
#define DEFAULT ((handler *)0)
#define IGNORE ((handler *)1)
#define WRONG ((handler *)-1)

void _Exit(int);

enum { SIGNALS = 65, ABORT = 6, KILL = 9, CHILD = 17, CONTINUE = 18, STOP = 19, URGENT = 23, WINDOW = 28 };

static handler *__cleave_handlers[SIGNALS];
static _Bool __cleave_handled[SIGNALS], __cleave_pending[SIGNALS];

handler *signal(int number, handler *with) {
  if (number < 1 || number >= SIGNALS || number == KILL || number == STOP) {
    ERRNO = INVALID;
    return WRONG;
  }
  handler *before = __cleave_handlers[number];
  __cleave_handlers[number] = with;
  return before;
}

handler *sigset(int number, handler *with) { return signal(number, with); }
handler *bsd_signal(int number, handler *with) { return signal(number, with); }

/* While a handler runs, its signal waits. */
int raise(int number) {
  if (number < 0 || number >= SIGNALS) {
    ERRNO = INVALID;
    return -1;
  }
  if (number == 0)
    return 0;
  if (__cleave_handled[number]) {
    __cleave_pending[number] = 1;
    return 0;
  }
  do {
    handler *with = __cleave_handlers[number];
    __cleave_pending[number] = 0;
    if (with == DEFAULT) {
      if (number != CHILD && number != CONTINUE && number != URGENT && number != WINDOW)
        _Exit(1);
    } else if (with != IGNORE) {
      __cleave_handled[number] = 1;
      with(number);
      __cleave_handled[number] = 0;
    }
  } while (__cleave_pending[number]);
  return 0;
}

int gsignal(int number) { return raise(number); }

void abort(void) {
  __cleave_handled[ABORT] = 0;
  raise(ABORT);
  _Exit(1);
}
