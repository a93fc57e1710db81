/* CRC-16/CCITT of a message: bit by bit, and by a table of nibbles. */
#include <assert.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

#define LENGTH 4

static uint16_t table[16];

static void fill(void) {
  for (unsigned n = 0; n < 16; n++) {
    uint16_t crc = (uint16_t)(n << 12);
    for (int bit = 0; bit < 4; bit++)
      crc = (uint16_t)(crc & 0x8000u ? (crc << 1) ^ 0x1021u : crc << 1);
    table[n] = crc;
  }
}

static uint16_t by_bits(const uint8_t *data, unsigned length) {
  uint16_t crc = 0xffff;
  for (unsigned i = 0; i < length; i++) {
    crc ^= (uint16_t)(data[i] << 8);
    for (int bit = 0; bit < 8; bit++)
      crc = (uint16_t)(crc & 0x8000u ? (crc << 1) ^ 0x1021u : crc << 1);
  }
  return crc;
}

static uint16_t by_nibbles(const uint8_t *data, unsigned length) {
  uint16_t crc = 0xffff;
  for (unsigned i = 0; i < length; i++) {
    crc = (uint16_t)((crc << 4) ^ table[(crc >> 12) ^ (data[i] >> 4)]);
    crc = (uint16_t)((crc << 4) ^ table[(crc >> 12) ^ (data[i] & 15u)]);
  }
  return crc;
}

int main(void) {
  uint8_t message[LENGTH + 2];
  fill();
  for (unsigned i = 0; i < LENGTH; i++)
    message[i] = __VERIFIER_nondet_uchar();
  uint16_t crc = by_bits(message, LENGTH);
  assert(crc == by_nibbles(message, LENGTH));
  message[LENGTH] = (uint8_t)(crc >> 8);
  message[LENGTH + 1] = (uint8_t)crc;
  assert(by_bits(message, LENGTH + 2) == 0);
  return 0;
}
