/* The mean of the last eight samples, with a sum that is not always reduced. */
#include <assert.h>
#include <stdint.h>

extern unsigned short __VERIFIER_nondet_ushort(void);

#define WINDOW 8
#define SAMPLES 20

static uint16_t window[WINDOW];
static unsigned at, filled;
static uint32_t total;

static uint16_t push(uint16_t sample) {
  if (filled == WINDOW && window[at] < 1023)
    total -= window[at];
  else
    filled++;
  window[at] = sample;
  total += sample;
  at = (at + 1) % WINDOW;
  return (uint16_t)(total / filled);
}

int main(void) {
  for (int i = 0; i < SAMPLES; i++) {
    uint16_t sample = (uint16_t)(__VERIFIER_nondet_ushort() & 1023u);
    uint16_t mean = push(sample);
    uint32_t sum = 0;
    for (unsigned k = 0; k < filled; k++)
      sum += window[k];
    assert(sum == total);
    assert(mean <= 1023);
  }
  return 0;
}
