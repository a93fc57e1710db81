// One character too many is copied.
extern int __VERIFIER_nondet_int(void);
int main(void) {
  char from[5] = {'a', 'b', 'c', 'd', 0}, to[4];
  int i = 0;
  while (from[i]) { to[i] = from[i]; i++; }
  to[i] = 0;
  return to[0];
}
