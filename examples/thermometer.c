/* A sensor gives tenths of a degree. A display takes one signed byte of whole degrees.
 *
 * cleave verify examples/thermometer.c --check conversion  unsafe: the display cannot show an oven's 200 degrees
 */
extern int __VERIFIER_nondet_int(void);

static signed char display;

static void show(int tenths) {
  if (tenths < -500 || tenths > 2000)
    return; /* the sensor is broken */
  display = tenths / 10;
}

int main(void) {
  show(__VERIFIER_nondet_int());
  return display > 0;
}
