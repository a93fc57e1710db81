// The error path frees what was freed before.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  char *buffer = malloc(8);
  int failed = __VERIFIER_nondet_int();
  if (failed) free(buffer);
  free(buffer);
  return 0;
}
