/* What programs written for SMACK expect of its header. */
#ifndef CLEAVE_SMACK_H
#define CLEAVE_SMACK_H
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <limits.h>

void __VERIFIER_assume(int);
void __VERIFIER_assert(int);
void __VERIFIER_error(void);
char __VERIFIER_nondet_char(void);
signed char __VERIFIER_nondet_signed_char(void);
unsigned char __VERIFIER_nondet_unsigned_char(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void);
unsigned short __VERIFIER_nondet_unsigned_short(void);
unsigned short __VERIFIER_nondet_ushort(void);
int __VERIFIER_nondet_int(void);
unsigned int __VERIFIER_nondet_unsigned(void);
unsigned int __VERIFIER_nondet_unsigned_int(void);
unsigned int __VERIFIER_nondet_uint(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_unsigned_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
long long __VERIFIER_nondet_long_long(void);
unsigned long long __VERIFIER_nondet_unsigned_long_long(void);
bool __VERIFIER_nondet_bool(void);
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);
void *__VERIFIER_nondet_pointer(void);

/* What comes before main. */
#define __SMACK_INIT(name) __attribute__((constructor)) static void __SMACK_init_func_##name(void)

#ifndef assert
#define assert(condition) __VERIFIER_assert((condition) ? 1 : 0)
#endif
#ifndef assume
#define assume(condition) __VERIFIER_assume((condition) ? 1 : 0)
#endif
#endif
