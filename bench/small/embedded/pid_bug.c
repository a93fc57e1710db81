/* A controller with limits on its output but none on its integral. */
#include <assert.h>
#include <stdint.h>

extern short __VERIFIER_nondet_short(void);

#define STEPS 16
#define LIMIT 1000
#define WINDUP 4000

struct controller {
  int32_t integral;
  int32_t last;
  int32_t kp, ki, kd;
};

static int32_t clamped(int32_t value, int32_t limit) {
  if (value > limit)
    return limit;
  if (value < -limit)
    return -limit;
  return value;
}

static int32_t step(struct controller *c, int32_t error) {
  c->integral = c->integral + error;
  int32_t slope = error - c->last;
  c->last = error;
  int32_t output = c->kp * error + c->ki * c->integral + c->kd * slope;
  return clamped(output / 16, LIMIT);
}

int main(void) {
  struct controller c = {0, 0, 24, 3, 8};
  for (int i = 0; i < STEPS; i++) {
    int32_t target = __VERIFIER_nondet_short();
    int32_t measured = __VERIFIER_nondet_short();
    int32_t output = step(&c, target - measured);
    assert(output <= LIMIT && output >= -LIMIT);
    assert(c.integral <= WINDUP && c.integral >= -WINDUP);
    assert(c.last == target - measured);
  }
  return 0;
}
