/* Numbers of up to 32 bits in one to four bytes, which is too few, seven bits in each, and zigzag for signs. */
#include <assert.h>
#include <stdint.h>

extern int __VERIFIER_nondet_int(void);

static uint32_t zigzag(int32_t value) {
  return value < 0 ? ~((uint32_t)value << 1) : (uint32_t)value << 1;
}

static int32_t unzigzag(uint32_t value) {
  uint32_t half = value >> 1;
  return (int32_t)(value & 1 ? ~half : half);
}

static int write(uint32_t value, uint8_t *bytes) {
  int length = 0;
  while (value >= 128) {
    bytes[length++] = (uint8_t)(value | 128);
    value >>= 7;
  }
  bytes[length++] = (uint8_t)value;
  return length;
}

static int read(const uint8_t *bytes, int length, uint32_t *value) {
  uint32_t result = 0;
  for (int i = 0; i < length; i++) {
    result |= (uint32_t)(bytes[i] & 127) << (7 * i);
    if (!(bytes[i] & 128)) {
      *value = result;
      return i + 1;
    }
  }
  return 0;
}

int main(void) {
  uint8_t bytes[4];
  int32_t given = __VERIFIER_nondet_int();
  int length = write(zigzag(given), bytes);
  assert(length >= 1 && length <= 5);
  uint32_t back;
  assert(read(bytes, length, &back) == length);
  assert(unzigzag(back) == given);
  return 0;
}
