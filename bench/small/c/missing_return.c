// A case without a return statement, whose value is used.
extern int __VERIFIER_nondet_int(void);
static int sign(int x) { if (x < 0) return -1; if (x > 0) return 1; }
int main(void) { return sign(__VERIFIER_nondet_int()) == 0; }
