/* A calibration table that is searched by halves and interpolated between its points. */
#include <assert.h>
#include <stdint.h>

extern unsigned short __VERIFIER_nondet_ushort(void);

#define POINTS 16

struct point {
  uint16_t raw;
  int16_t celsius;
};

static const struct point table[POINTS] = {
    {100, 1250}, {220, 1100}, {350, 1000}, {480, 900}, {640, 800},  {830, 700},  {1040, 600}, {1290, 500},
    {1580, 400}, {1890, 300}, {2230, 200}, {2580, 100}, {2910, 0},  {3220, -100}, {3490, -200}, {4000, -400}};

static int below(uint16_t raw) {
  int low = 0, high = POINTS - 1;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (table[middle].raw <= raw)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static int16_t temperature(uint16_t raw) {
  if (raw <= table[0].raw)
    return table[0].celsius;
  if (raw >= table[POINTS - 1].raw)
    return table[POINTS - 1].celsius;
  int i = below(raw);
  int32_t width = table[i + 1].raw - table[i].raw;
  int32_t height = table[i + 1].celsius - table[i].celsius;
  return (int16_t)(table[i].celsius + height * (raw - table[i].raw) / width);
}

int main(void) {
  uint16_t raw = __VERIFIER_nondet_ushort();
  int16_t celsius = temperature(raw);
  assert(celsius <= 1250 && celsius >= -400);
  if (raw > table[0].raw && raw < table[POINTS - 1].raw) {
    int i = below(raw);
    assert(table[i].raw <= raw && raw < table[i + 1].raw);
    assert(celsius <= table[i].celsius && celsius >= table[i + 1].celsius);
  }
  return 0;
}
