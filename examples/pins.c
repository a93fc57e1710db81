/* A board has 32 pins. A mask has one bit for each pin that is on.
 *
 * cleave verify examples/pins.c --check shift              unsafe: 1 << 31 does not fit into an int
 * cleave verify examples/pins.c --check shift -D FIXED     safe
 */
extern unsigned __VERIFIER_nondet_uint(void);

#ifdef FIXED
#define BIT 1u
#else
#define BIT 1
#endif

static unsigned mask;

static void switch_on(unsigned pin) {
  if (pin < 32)
    mask |= BIT << pin;
}

int main(void) {
  switch_on(__VERIFIER_nondet_uint());
  return mask != 0;
}
