/* Input, and chance: functions of <stdio.h>, <unistd.h> and <stdlib.h> that give any value within what they promise. */

typedef __SIZE_TYPE__ size_t;

char __VERIFIER_nondet_char(void);
int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
void __VERIFIER_assume(int);

static int __cleave_character(void) {
  int got = __VERIFIER_nondet_int();
  __VERIFIER_assume(got >= -1 && got <= 255);
  return got;
}

int getchar(void) { return __cleave_character(); }
int fgetc(void *stream) { return __cleave_character(); }
int getc(void *stream) { return __cleave_character(); }
int _IO_getc(void *stream) { return __cleave_character(); }

char *fgets(char *to, int size, void *stream) {
  if (__VERIFIER_nondet_int() == 0)
    return 0;
  int i = 0;
  for (; i < size - 1; i++) {
    to[i] = __VERIFIER_nondet_char();
    if (to[i] == 0)
      return to;
  }
  to[i] = 0;
  return to;
}

long read(int file, void *to, size_t size) {
  long got = __VERIFIER_nondet_int();
  if (got < 0 || (size_t)got > size)
    return -1;
  for (size_t i = 0; i < size; i++)
    ((char *)to)[i] = __VERIFIER_nondet_char();
  return got;
}

size_t fread(void *to, size_t size, size_t count, void *stream) {
  size_t got = (size_t)__VERIFIER_nondet_long();
  __VERIFIER_assume(got <= count);
  for (size_t i = 0; i < size * count; i++)
    ((char *)to)[i] = __VERIFIER_nondet_char();
  return got;
}

int rand(void) {
  int got = __VERIFIER_nondet_int();
  __VERIFIER_assume(got >= 0);
  return got;
}

int rand_r(unsigned *seed) { return rand(); }

long random(void) { return rand(); }

long lrand48(void) { return rand(); }
