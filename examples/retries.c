/* A modem dials until it has a line. The data sheet promises that three attempts are enough.
 *
 * cleave verify examples/retries.c --check unwinding --loop-bound 3   unsafe: the loop can go on
 */
extern _Bool __VERIFIER_nondet_bool(void);

static _Bool dial(void) {
  return __VERIFIER_nondet_bool();
}

int main(void) {
  int attempts = 0;
  while (!dial()) { /* should be: attempts < 3 && !dial() */
    attempts++;
    if (attempts == 100)
      return 1;
  }
  return 0;
}
