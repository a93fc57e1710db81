/* The end of a program: functions that were registered with atexit run when main returns or exit is called, the last one
   first. `exits` makes main call ``__cleave_end``. */

#include "model.h"

void abort(void);
void _Exit(int);
void __cleave_limit(const char *what);

enum { MOST = 32 }; /* as many as C promises */

static void (*__cleave_last[MOST])(void);
static int __cleave_lasts;
static void (*__cleave_quick[MOST])(void);
static int __cleave_quicks;

int atexit(void (*function)(void)) {
  if (__cleave_lasts == MOST)
    __cleave_limit("atexit does with more than 32 functions");
  __cleave_last[__cleave_lasts++] = function;
  return 0;
}

int at_quick_exit(void (*function)(void)) {
  if (__cleave_quicks == MOST)
    __cleave_limit("at_quick_exit does with more than 32 functions");
  __cleave_quick[__cleave_quicks++] = function;
  return 0;
}

void __cleave_end(void) {
  while (__cleave_lasts > 0)
    __cleave_last[--__cleave_lasts]();
}

void exit(int status) {
  __cleave_end();
  _Exit(status);
}

void quick_exit(int status) {
  while (__cleave_quicks > 0)
    __cleave_quick[--__cleave_quicks]();
  _Exit(status);
}
