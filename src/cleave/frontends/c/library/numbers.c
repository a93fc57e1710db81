/* Numbers of <stdlib.h> and <inttypes.h>: from text, absolute values, quotients. errno changes as C says. */

#include "model.h"

int isspace(int);

int abs(int number) { return number < 0 ? -number : number; }
long labs(long number) { return number < 0 ? -number : number; }
long long llabs(long long number) { return number < 0 ? -number : number; }
long long imaxabs(long long number) { return number < 0 ? -number : number; }

struct quotient { int quot, rem; };
struct long_quotient { long quot, rem; };
struct wide_quotient { long long quot, rem; };

struct quotient div(int a, int b) { return (struct quotient){a / b, a % b}; }
struct long_quotient ldiv(long a, long b) { return (struct long_quotient){a / b, a % b}; }
struct wide_quotient lldiv(long long a, long long b) { return (struct wide_quotient){a / b, a % b}; }
struct wide_quotient imaxdiv(long long a, long long b) { return (struct wide_quotient){a / b, a % b}; }

int ffs(int number) {
  for (int i = 0; i < 32; i++)
    if (number >> i & 1)
      return i + 1;
  return 0;
}

int ffsll(long long number) {
  for (int i = 0; i < 64; i++)
    if (number >> i & 1)
      return i + 1;
  return 0;
}

int ffsl(long number) { return ffsll(number); }

/* --- integers from text --- */

typedef unsigned long long u64;
typedef unsigned _BitInt(72) more; /* a number, and another digit */
enum { BINARY = 2 }; /* the mode of C23, in which 0b is a prefix */

static int __cleave_digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'z' ? c - 'a' + 10 : c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
}

/* The number without its sign, at most ``most``, or ``least`` if it is negative; ``over``: it is larger. */
static u64 __cleave_number(
    const char *text, char **end, int base, u64 most, u64 least, int mode, _Bool *negative, _Bool *over) {
  u64 number = 0;
  const char *start = text;
  *negative = *over = 0;
  if (base < 0 || base == 1 || base > 36) {
    ERRNO = INVALID;
    return 0;
  }
  while (isspace((byte)*text))
    text++;
  if (*text == '-' || *text == '+')
    *negative = *text++ == '-';
  if (*negative)
    most = least;
  if ((base == 0 || base == 16) && text[0] == '0' && (text[1] | 32) == 'x' && __cleave_digit(text[2]) < 16) {
    text += 2;
    base = 16;
  } else if (mode == BINARY && (base == 0 || base == 2) && text[0] == '0' && (text[1] | 32) == 'b' &&
             __cleave_digit(text[2]) < 2) {
    text += 2;
    base = 2;
  } else if (base == 0) {
    base = *text == '0' ? 8 : 10;
  }
  for (;; text++) {
    int digit = __cleave_digit(*text);
    if (digit >= base)
      break;
    more next = (more)number * (unsigned)base + (unsigned)digit;
    if (next > most)
      *over = 1;
    else if (!*over)
      number = (u64)next;
    start = text + 1;
  }
  if (end != 0)
    *end = (char *)start;
  if (*over) {
    ERRNO = OUT_OF_RANGE;
    return most;
  }
  return number;
}

#define SIGNED(NAME, TYPE, MODE)                                                                                       \
  TYPE NAME(const char *text, char **end, int base) {                                                                  \
    _Bool negative, over;                                                                                              \
    u64 half = (u64)1 << (8 * sizeof(TYPE) - 1), number;                                                               \
    number = __cleave_number(text, end, base, half - 1, half, MODE, &negative, &over);                                 \
    return (TYPE)(negative ? -number : number);                                                                        \
  }
#define UNSIGNED(NAME, TYPE, MODE)                                                                                     \
  TYPE NAME(const char *text, char **end, int base) {                                                                  \
    _Bool negative, over;                                                                                              \
    u64 most = (TYPE)-1, number;                                                                                       \
    number = __cleave_number(text, end, base, most, most, MODE, &negative, &over);                                     \
    return (TYPE)(negative && !over ? -number : number);                                                               \
  }

SIGNED(strtol, long, 0)
SIGNED(strtoll, long long, 0)
SIGNED(strtoimax, long long, 0)
SIGNED(strtoq, long long, 0)
SIGNED(__isoc23_strtol, long, BINARY)
SIGNED(__isoc23_strtoll, long long, BINARY)
SIGNED(__isoc23_strtoimax, long long, BINARY)
UNSIGNED(strtoul, unsigned long, 0)
UNSIGNED(strtoull, unsigned long long, 0)
UNSIGNED(strtoumax, unsigned long long, 0)
UNSIGNED(strtouq, unsigned long long, 0)
UNSIGNED(__isoc23_strtoul, unsigned long, BINARY)
UNSIGNED(__isoc23_strtoull, unsigned long long, BINARY)
UNSIGNED(__isoc23_strtoumax, unsigned long long, BINARY)

/* What does not fit is undefined; this is what glibc does. */
int atoi(const char *text) { return (int)strtol(text, 0, 10); }
long atol(const char *text) { return strtol(text, 0, 10); }
long long atoll(const char *text) { return strtoll(text, 0, 10); }

/* --- numbers with a point --- */

static const char *__cleave_word(const char *text, const char *word) {
  for (; *word != 0; text++, word++)
    if ((*text | 32) != *word)
      return 0;
  return text;
}

/* The end is exact. The value is where both the digits and the power of ten are doubles: one operation rounds once. */
static double __cleave_real(const char *text, char **end) {
  const char *start = text, *after;
  _Bool negative = 0, exact = 1, digits = 0, hex = 0;
  u64 mantissa = 0;
  int scale = 0, base = 10;
  double value;
  if (end != 0)
    *end = (char *)start;
  while (isspace((byte)*text))
    text++;
  if (*text == '-' || *text == '+')
    negative = *text++ == '-';
  if ((after = __cleave_word(text, "inf")) != 0) {
    const char *longer = __cleave_word(after, "inity");
    if (end != 0)
      *end = (char *)(longer != 0 ? longer : after);
    return negative ? -__builtin_inf() : __builtin_inf();
  }
  if ((after = __cleave_word(text, "nan")) != 0) {
    if (*after == '(') {
      const char *inside = after + 1;
      while (__cleave_digit(*inside) < 36 || *inside == '_')
        inside++;
      if (*inside == ')')
        after = inside + 1;
    }
    if (end != 0)
      *end = (char *)after;
    return negative ? -__builtin_nan("") : __builtin_nan("");
  }
  if (text[0] == '0' && (text[1] | 32) == 'x' &&
      (__cleave_digit(text[2]) < 16 || (text[2] == '.' && __cleave_digit(text[3]) < 16))) {
    hex = 1;
    base = 16;
    text += 2;
  }
  for (_Bool fraction = 0;; text++) {
    if (*text == '.' && !fraction) {
      fraction = 1;
      continue;
    }
    int digit = __cleave_digit(*text);
    if (digit >= base)
      break;
    digits = 1;
    if (mantissa >> 48 != 0)
      exact = 0;
    mantissa = mantissa * (unsigned)base + (unsigned)digit;
    scale -= fraction;
  }
  if (!digits)
    return 0;
  if ((*text | 32) == (hex ? 'p' : 'e')) {
    const char *power = text + 1;
    int sign = 1, number = 0;
    if (*power == '-' || *power == '+')
      sign = *power++ == '-' ? -1 : 1;
    if (__cleave_digit(*power) < 10) {
      for (; __cleave_digit(*power) < 10; power++)
        number = number > 999 ? number : 10 * number + __cleave_digit(*power);
      text = power;
      scale = hex ? scale : scale + sign * number;
      exact = exact && !(hex && number != 0);
    }
  }
  if (end != 0)
    *end = (char *)text;
  if (mantissa == 0 && exact)
    return negative ? -0.0 : 0.0;
  if (!exact || mantissa >> 53 != 0 || scale < (hex ? 0 : -22) || scale > (hex ? 0 : 22)) {
    value = __cleave_doubt_double("strtod");
    if (__cleave_doubt_int("strtod"))
      ERRNO = OUT_OF_RANGE;
    return value;
  }
  value = (double)mantissa;
  double power = 1;
  for (int i = 0; i < (scale < 0 ? -scale : scale); i++)
    power *= 10;
  value = scale < 0 ? value / power : value * power;
  return negative ? -value : value;
}

double strtod(const char *text, char **end) { return __cleave_real(text, end); }
double atof(const char *text) { return __cleave_real(text, 0); }

/* Rounded twice, and so exact only where a float holds the digits. */
float strtof(const char *text, char **end) {
  double value = __cleave_real(text, end);
  float rounded = (float)value;
  return rounded == value || value != value ? rounded : (float)__cleave_doubt_double("strtof");
}
