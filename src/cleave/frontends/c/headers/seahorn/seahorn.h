/* What programs written for SeaHorn expect of its header. */
#ifndef CLEAVE_SEAHORN_H
#define CLEAVE_SEAHORN_H
#include <stdbool.h>
#include <stddef.h>

void __VERIFIER_error(void);
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);

#define assume(condition) __VERIFIER_assume((condition) ? 1 : 0)
#define sassert(condition) ((condition) ? (void)0 : __VERIFIER_error())
#endif
