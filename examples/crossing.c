/* A traffic light for cars and one for walkers share a crossing. A button asks for the walkers' green.
 *
 * cleave verify examples/crossing.c --check error-label    unsafe: both lights are green, and ERROR is reached
 *
 * The mistake: a press in the cars' last second is served at once, before the cars have red.
 */
extern _Bool __VERIFIER_nondet_bool(void);

enum light { RED, GREEN };

int main(void) {
  enum light cars = GREEN, walkers = RED;
  int seconds = 3;
  while (__VERIFIER_nondet_bool()) {
    _Bool pressed = __VERIFIER_nondet_bool();
    if (seconds > 0) {
      seconds--;
      if (seconds == 0 && pressed)
        walkers = GREEN; /* should be: cars = RED, and walkers one second later */
    } else {
      cars = cars == RED ? GREEN : RED;
      walkers = cars == RED ? GREEN : RED;
      seconds = 3;
    }
    if (cars == GREEN && walkers == GREEN)
      goto ERROR;
  }
  return 0;
ERROR:
  return 1;
}
