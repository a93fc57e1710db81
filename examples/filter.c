/* A filter takes the mean of the last four samples of a sensor.
 *
 * cleave verify examples/filter.c --check uninitialised    unsafe: the mean is taken before four samples have come
 */
extern unsigned char __VERIFIER_nondet_uchar(void);

#define WINDOW 4

static unsigned mean(const unsigned char *samples) {
  unsigned sum = 0;
  for (int i = 0; i < WINDOW; i++)
    sum += samples[i];
  return sum / WINDOW;
}

int main(void) {
  unsigned char samples[WINDOW];
  unsigned char arrived = __VERIFIER_nondet_uchar() % (WINDOW + 1);
  for (int i = 0; i < arrived; i++)
    samples[i] = __VERIFIER_nondet_uchar();
  if (arrived > 0) /* should be: arrived == WINDOW */
    return mean(samples) > 100;
  return 0;
}
