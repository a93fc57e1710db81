/* Q8.8 numbers with saturation, and a low-pass filter made of them. */
#include <assert.h>
#include <stdint.h>

extern short __VERIFIER_nondet_short(void);

typedef int16_t q8_8;

static q8_8 saturated(int32_t value) {
  if (value > INT16_MAX)
    return INT16_MAX;
  if (value < INT16_MIN)
    return INT16_MIN;
  return (q8_8)value;
}

static q8_8 sum(q8_8 a, q8_8 b) {
  return saturated((int32_t)a + b);
}

static q8_8 product(q8_8 a, q8_8 b) {
  return saturated((int32_t)a * b / 256);
}

static q8_8 filtered(q8_8 last, q8_8 sample) {
  /* last + (sample - last) / 4 */
  int32_t difference = (int32_t)sample - last;
  return (q8_8)(last + difference / 4);
}

int main(void) {
  q8_8 a = __VERIFIER_nondet_short(), one = 256;
  assert(product(a, one) == a);
  assert(product(a, 0) == 0);
  assert(sum(a, 0) == a);
  q8_8 half = product(a, 128);
  assert(half - a / 2 <= 0 && half - a / 2 >= 0);
  q8_8 state = 0;
  for (int i = 0; i < 12; i++) {
    q8_8 sample = __VERIFIER_nondet_short();
    q8_8 next = filtered(state, sample);
    if (sample >= state)
      assert(next >= state && next <= sample);
    else
      assert(next <= state && next >= sample);
    state = next;
  }
  return 0;
}
