/* Frames on a serial line: start, length, payload, checksum; bytes come one at a time. */
#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

#define START 0xA5
#define MOST 6
#define BYTES 24

enum state { IDLE, LENGTH, PAYLOAD, CHECKSUM };

struct receiver {
  enum state state;
  unsigned char length;
  unsigned char received;
  unsigned char checksum;
  unsigned char payload[MOST];
};

static unsigned frames, errors;

static void reset(struct receiver *r) {
  r->state = IDLE;
  r->length = 0;
  r->received = 0;
  r->checksum = 0;
}

static void feed(struct receiver *r, unsigned char byte) {
  switch (r->state) {
  case IDLE:
    if (byte == START)
      r->state = LENGTH;
    break;
  case LENGTH:
    if (byte == 0 || byte > MOST) {
      errors++;
      reset(r);
    } else {
      r->length = byte;
      r->received = 0;
      r->checksum = byte;
      r->state = PAYLOAD;
    }
    break;
  case PAYLOAD:
    r->payload[r->received] = byte;
    r->received++;
    r->checksum ^= byte;
    if (r->received == r->length)
      r->state = CHECKSUM;
    break;
  case CHECKSUM:
    if (byte == r->checksum) {
      unsigned char check = r->length;
      for (unsigned char i = 0; i < r->length; i++)
        check ^= r->payload[i];
      assert(check == byte);
      frames++;
    } else {
      errors++;
    }
    reset(r);
    break;
  }
}

int main(void) {
  struct receiver r;
  reset(&r);
  for (int i = 0; i < BYTES; i++) {
    feed(&r, __VERIFIER_nondet_uchar());
    assert(r.received <= r.length);
    assert(r.state != PAYLOAD || r.received < r.length);
  }
  assert(frames <= BYTES / 4);
  return 0;
}
