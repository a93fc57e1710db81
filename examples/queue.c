/* A queue of jobs. A job is started before it is finished, for ever.
 *
 * cleave verify examples/queue.c --engine cegar            safe: the proof needs no bound on the loop
 */
#include <assert.h>

extern _Bool __VERIFIER_nondet_bool(void);

int main(void) {
  unsigned waiting = 0, running = 0;
  while (__VERIFIER_nondet_bool()) {
    if (waiting < 5 && __VERIFIER_nondet_bool())
      waiting++;
    else if (waiting > 0 && running < 2) {
      waiting--;
      running++;
    } else if (running > 0)
      running--;
    assert(waiting <= 5 && running <= 2);
  }
  return 0;
}
