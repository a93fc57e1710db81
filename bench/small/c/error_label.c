// A machine of states can reach the label.
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int state = 0;
  for (;;) {
    int input = __VERIFIER_nondet_int();
    if (state == 0 && input == 3) state = 1;
    else if (state == 1 && input == 5) state = 2;
    else if (state == 2 && input == 7) goto ERROR;
    else if (state == 2) return 0;
  }
ERROR:
  return 1;
}
