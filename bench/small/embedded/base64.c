/* Base64 of a short message, there and back. */
#include <assert.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

#define LENGTH 6

static char letter(unsigned value) {
  if (value < 26)
    return (char)('A' + value);
  if (value < 52)
    return (char)('a' + (value - 26));
  if (value < 62)
    return (char)('0' + (value - 52));
  return value == 62 ? '+' : '/';
}

static int value_of(char c) {
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  if (c == '+')
    return 62;
  return c == '/' ? 63 : -1;
}

static void encode(const uint8_t *data, int length, char *text) {
  for (int i = 0; i < length; i += 3) {
    uint32_t group = (uint32_t)data[i] << 16 | (uint32_t)data[i + 1] << 8 | data[i + 2];
    for (int k = 0; k < 4; k++)
      *text++ = letter(group >> (18 - 6 * k) & 63);
  }
}

static int decode(const char *text, int length, uint8_t *data) {
  for (int i = 0; i < length; i += 4) {
    uint32_t group = 0;
    for (int k = 0; k < 4; k++) {
      int value = value_of(text[i + k]);
      if (value < 0)
        return 0;
      group = group << 6 | (uint32_t)value;
    }
    *data++ = (uint8_t)(group >> 16);
    *data++ = (uint8_t)(group >> 8);
    *data++ = (uint8_t)group;
  }
  return 1;
}

int main(void) {
  uint8_t message[LENGTH], back[LENGTH];
  char text[LENGTH / 3 * 4];
  for (int i = 0; i < LENGTH; i++)
    message[i] = __VERIFIER_nondet_uchar();
  encode(message, LENGTH, text);
  assert(decode(text, sizeof text, back));
  for (int i = 0; i < LENGTH; i++)
    assert(back[i] == message[i]);
  return 0;
}
