/* Functions whose results follow rules that are not modelled: any value, and a violation that depends on it is not known to be
   one. What they promise about the range of the result is kept. */

#include "model.h"

long double __cleave_doubt_extended(const char *function);

/* They may say in errno that an argument has no result, or one too large. */
static void __cleave_report(int choice) {
  if (choice == 1)
    ERRNO = OUT_OF_DOMAIN;
  if (choice == 2)
    ERRNO = OUT_OF_RANGE;
}

#define WITHIN(NAME, LOW, HIGH)                                                                                        \
  double NAME(double x) {                                                                                              \
    double value = __cleave_doubt_double(#NAME);                                                                       \
    __cleave_report(__cleave_doubt_int(#NAME));                                                                        \
    __VERIFIER_assume(!(value < LOW) && !(value > HIGH));                                                              \
    return value;                                                                                                      \
  }                                                                                                                    \
  float NAME##f(float x) { return (float)NAME(x); }
#define ONE(NAME)                                                                                                      \
  double NAME(double x) {                                                                                              \
    __cleave_report(__cleave_doubt_int(#NAME));                                                                        \
    return __cleave_doubt_double(#NAME);                                                                               \
  }                                                                                                                    \
  float NAME##f(float x) { return (float)NAME(x); }
#define TWO(NAME)                                                                                                      \
  double NAME(double x, double y) {                                                                                    \
    __cleave_report(__cleave_doubt_int(#NAME));                                                                        \
    return __cleave_doubt_double(#NAME);                                                                               \
  }                                                                                                                    \
  float NAME##f(float x, float y) { return (float)NAME(x, y); }
#define EXTENDED(NAME)                                                                                                 \
  long double NAME##l(long double x) {                                                                                 \
    __cleave_report(__cleave_doubt_int(#NAME "l"));                                                                    \
    return __cleave_doubt_extended(#NAME "l");                                                                         \
  }
#define EXTENDED_TWO(NAME)                                                                                             \
  long double NAME##l(long double x, long double y) {                                                                  \
    __cleave_report(__cleave_doubt_int(#NAME "l"));                                                                    \
    return __cleave_doubt_extended(#NAME "l");                                                                         \
  }

WITHIN(sin, -1, 1)
WITHIN(cos, -1, 1)
WITHIN(tanh, -1, 1)
WITHIN(erf, -1, 1)
WITHIN(erfc, 0, 2)
WITHIN(asin, -1.6, 1.6)
WITHIN(atan, -1.6, 1.6)
WITHIN(acos, 0, 3.2)
WITHIN(exp, 0, __builtin_inf())
WITHIN(exp2, 0, __builtin_inf())
WITHIN(exp10, 0, __builtin_inf())
WITHIN(expm1, -1, __builtin_inf())
WITHIN(cosh, 1, __builtin_inf())
WITHIN(acosh, 0, __builtin_inf())
ONE(tan)
ONE(sinh)
ONE(asinh)
ONE(atanh)
ONE(log)
ONE(log10)
ONE(log2)
ONE(log1p)
ONE(cbrt)
ONE(tgamma)
ONE(lgamma)
ONE(gamma)
ONE(j0)
ONE(j1)
ONE(y0)
ONE(y1)
TWO(pow)
TWO(atan2)
TWO(hypot)
EXTENDED(sin)
EXTENDED(cos)
EXTENDED(tan)
EXTENDED(exp)
EXTENDED(log)
EXTENDED(log10)
EXTENDED(log2)
EXTENDED(sqrt)
EXTENDED(fabs)
EXTENDED(floor)
EXTENDED(ceil)
EXTENDED(trunc)
EXTENDED(round)
EXTENDED(rint)
EXTENDED(nearbyint)
EXTENDED(cbrt)
EXTENDED_TWO(pow)
EXTENDED_TWO(fmod)
EXTENDED_TWO(remainder)
EXTENDED_TWO(hypot)
EXTENDED_TWO(atan2)
EXTENDED_TWO(copysign)
EXTENDED_TWO(fmin)
EXTENDED_TWO(fmax)
EXTENDED_TWO(fdim)
EXTENDED_TWO(nextafter)

long double modfl(long double x, long double *whole) {
  *whole = __cleave_doubt_extended("modfl");
  return __cleave_doubt_extended("modfl");
}

long double frexpl(long double x, int *power) {
  *power = __cleave_doubt_int("frexpl");
  return __cleave_doubt_extended("frexpl");
}

long double ldexpl(long double x, int by) {
  __cleave_report(__cleave_doubt_int("ldexpl"));
  return __cleave_doubt_extended("ldexpl");
}

long double strtold(const char *text, char **end) {
  size_t length = __cleave_doubt_size("strtold");
  if (end != 0) {
    for (size_t i = 0; i < length; i++)
      __VERIFIER_assume(text[i] != 0);
    *end = (char *)text + length;
  }
  __cleave_report(__cleave_doubt_int("strtold"));
  return __cleave_doubt_extended("strtold");
}

_Complex double __divdc3(double a, double b, double c, double d) {
  _Complex double z;
  __real__ z = __cleave_doubt_double("__divdc3");
  __imag__ z = __cleave_doubt_double("__divdc3");
  return z;
}
