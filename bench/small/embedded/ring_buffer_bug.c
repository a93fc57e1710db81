/* A byte ring buffer that overwrites its oldest byte once too often, between an interrupt and a frame parser. */
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

#define SIZE 8
#define ROUNDS 20

static unsigned char buffer[SIZE];
static unsigned head, tail, count;

static int put(unsigned char byte) {
  if (count > SIZE)
    return 0;
  buffer[head] = byte;
  head = (head + 1) % SIZE;
  count++;
  return 1;
}

static int get(unsigned char *byte) {
  if (count == 0)
    return 0;
  *byte = buffer[tail];
  tail = (tail + 1) % SIZE;
  count--;
  return 1;
}

int main(void) {
  int state = 0;
  unsigned sum = 0, left = 0;
  for (int round = 0; round < ROUNDS; round++) {
    unsigned char byte;
    if (__VERIFIER_nondet_int())
      put(__VERIFIER_nondet_uchar());
    if (__VERIFIER_nondet_int() && get(&byte)) {
      switch (state) {
      case 0:
        if (byte == 0x7e) {
          state = 1;
          sum = 0;
        }
        break;
      case 1:
        left = byte & 3;
        state = left ? 2 : 0;
        break;
      case 2:
        sum += byte;
        if (--left == 0)
          state = 0;
        break;
      }
    }
    assert(count <= SIZE);
    assert((tail + count) % SIZE == head);
    assert(state < 3);
    assert(sum <= 3 * 255);
    assert(state != 2 || left > 0);
  }
  return 0;
}
