/* <math.h> and <complex.h> as far as they are exact: the operators in here become terms, or calls of real.c. Functions
   that have a domain or a range set errno as glibc does. */

#include "model.h"

typedef unsigned long long u64;
typedef unsigned int u32;

static u64 bits(double x) {
  union { double number; u64 bits; } u;
  u.number = x;
  return u.bits;
}

static u32 bitsf(float x) {
  union { float number; u32 bits; } u;
  u.number = x;
  return u.bits;
}

static double number(u64 bits) {
  union { double number; u64 bits; } u;
  u.bits = bits;
  return u.number;
}

static float numberf(u32 bits) {
  union { float number; u32 bits; } u;
  u.bits = bits;
  return u.number;
}

u64 __cleave_double_sqrt(u64);
u32 __cleave_float_sqrt(u32);
u64 __cleave_double_rem(u64, u64);
u32 __cleave_float_rem(u32, u32);
u64 __cleave_double_fma(u64, u64, u64);
u32 __cleave_float_fma(u32, u32, u32);
u64 __cleave_double_remquo(u64, u64, int *);
u32 __cleave_float_remquo(u32, u32, int *);
u64 __cleave_double_scaled(u64, int);
u32 __cleave_float_scaled(u32, int);
int __cleave_double_power(u64);
int __cleave_float_power(u32);
u64 __cleave_double_next(u64, u64);
u32 __cleave_float_next(u32, u32);

/* F is the letter at the end of a function's name. */
#define FUNCTIONS(F, TYPE, NAME)                                                                                       \
  TYPE fabs##F(TYPE x) { return __builtin_fabs##F(x); }                                                                \
  TYPE floor##F(TYPE x) { return __builtin_floor##F(x); }                                                              \
  TYPE ceil##F(TYPE x) { return __builtin_ceil##F(x); }                                                                \
  TYPE trunc##F(TYPE x) { return __builtin_trunc##F(x); }                                                              \
  TYPE round##F(TYPE x) { return __builtin_round##F(x); }                                                              \
  TYPE rint##F(TYPE x) { return __builtin_rint##F(x); }                                                                \
  TYPE nearbyint##F(TYPE x) { return __builtin_nearbyint##F(x); }                                                      \
  TYPE roundeven##F(TYPE x) { return __builtin_rint##F(x); }                                                           \
  TYPE copysign##F(TYPE x, TYPE y) { return __builtin_copysign##F(x, y); }                                             \
  TYPE fma##F(TYPE x, TYPE y, TYPE z) {                                                                              \
    return number##F(__cleave_##NAME##_fma(bits##F(x), bits##F(y), bits##F(z)));                                       \
  }                                                                                                                    \
  TYPE fmin##F(TYPE x, TYPE y) { return x != x ? y : y < x ? y : x; }                                                  \
  TYPE fmax##F(TYPE x, TYPE y) { return x != x ? y : x < y ? y : x; }                                                  \
  TYPE sqrt##F(TYPE x) {                                                                                               \
    if (x < 0) ERRNO = OUT_OF_DOMAIN;                                                                                  \
    return number##F(__cleave_##NAME##_sqrt(bits##F(x)));                                                              \
  }                                                                                                                    \
  static _Bool finite_##NAME(TYPE x) { return x - x == 0; }                                                            \
  TYPE fdim##F(TYPE x, TYPE y) {                                                                                       \
    TYPE found = x <= y ? 0 : x - y;                                                                                   \
    if (!finite_##NAME(found) && finite_##NAME(x) && finite_##NAME(y)) ERRNO = OUT_OF_RANGE;                           \
    return found;                                                                                                      \
  }                                                                                                                    \
  TYPE fmod##F(TYPE x, TYPE y) {                                                                                       \
    if (x == x && y == y && (!finite_##NAME(x) || y == 0)) ERRNO = OUT_OF_DOMAIN;                                      \
    return number##F(__cleave_##NAME##_rem(bits##F(x), bits##F(y)));                                                   \
  }                                                                                                                    \
  TYPE remquo##F(TYPE x, TYPE y, int *quotient) {                                                                      \
    return number##F(__cleave_##NAME##_remquo(bits##F(x), bits##F(y), quotient));                                      \
  }                                                                                                                    \
  TYPE remainder##F(TYPE x, TYPE y) {                                                                                  \
    int quotient;                                                                                                      \
    if (x == x && y == y && (!finite_##NAME(x) || y == 0)) ERRNO = OUT_OF_DOMAIN;                                      \
    return remquo##F(x, y, &quotient);                                                                                 \
  }                                                                                                                    \
  TYPE drem##F(TYPE x, TYPE y) { return remainder##F(x, y); }                                                          \
  TYPE ldexp##F(TYPE x, int by) {                                                                                      \
    TYPE found = number##F(__cleave_##NAME##_scaled(bits##F(x), by));                                                  \
    if (finite_##NAME(x) && x != 0 && (!finite_##NAME(found) || found == 0)) ERRNO = OUT_OF_RANGE;                     \
    return found;                                                                                                      \
  }                                                                                                                    \
  TYPE scalbn##F(TYPE x, int by) { return ldexp##F(x, by); }                                                           \
  TYPE scalbln##F(TYPE x, long by) { return ldexp##F(x, by < -9999 ? -9999 : by > 9999 ? 9999 : (int)by); }            \
  TYPE frexp##F(TYPE x, int *power) {                                                                                  \
    *power = 0;                                                                                                        \
    if (x == 0 || !finite_##NAME(x)) return x + x;                                                                     \
    *power = __cleave_##NAME##_power(bits##F(x));                                                                      \
    return number##F(__cleave_##NAME##_scaled(bits##F(x), -*power));                                                   \
  }                                                                                                                    \
  TYPE modf##F(TYPE x, TYPE *whole) {                                                                                  \
    *whole = trunc##F(x);                                                                                              \
    if (x != x) return x;                                                                                              \
    return copysign##F(x == *whole ? 0 : x - *whole, x);                                                               \
  }                                                                                                                    \
  TYPE nextafter##F(TYPE x, TYPE y) {                                                                                  \
    TYPE found = number##F(__cleave_##NAME##_next(bits##F(x), bits##F(y)));                                            \
    if (finite_##NAME(x) && !finite_##NAME(found) && y == y) ERRNO = OUT_OF_RANGE;                                     \
    if (x != y && found - found == 0 && __fpclassify##F(found) < 4) ERRNO = OUT_OF_RANGE;                              \
    return found;                                                                                                      \
  }                                                                                                                    \
  int ilogb##F(TYPE x) {                                                                                               \
    if (x == 0 || !finite_##NAME(x)) {                                                                                 \
      ERRNO = OUT_OF_DOMAIN;                                                                                           \
      return x - x != 0 && x == x ? 0x7fffffff : -0x7fffffff - 1;                                                      \
    }                                                                                                                  \
    return __cleave_##NAME##_power(bits##F(x)) - 1;                                                                    \
  }                                                                                                                    \
  TYPE logb##F(TYPE x) {                                                                                               \
    if (x == 0) return -__builtin_inf();                                                                               \
    return finite_##NAME(x) ? __cleave_##NAME##_power(bits##F(x)) - 1 : x * x;                                         \
  }                                                                                                                    \
  /* a number that does not fit: which number, and whether errno tells, is not determined */                           \
  static long long whole_##NAME(TYPE x, TYPE limit) {                                                                  \
    if (x >= -limit && x < limit) return (long long)x;                                                                 \
    if (__VERIFIER_nondet_bool()) ERRNO = OUT_OF_DOMAIN;                                                               \
    return __VERIFIER_nondet_long();                                                                                   \
  }                                                                                                                    \
  long lrint##F(TYPE x) { return (long)whole_##NAME(rint##F(x), LONG_LIMIT); }                                         \
  long lround##F(TYPE x) { return (long)whole_##NAME(round##F(x), LONG_LIMIT); }                                       \
  long long llrint##F(TYPE x) { return whole_##NAME(rint##F(x), 0x1p63); }                                             \
  long long llround##F(TYPE x) { return whole_##NAME(round##F(x), 0x1p63); }                                           \
  int __isnan##F(TYPE x) { return x != x; }                                                                            \
  int isnan##F(TYPE x) { return x != x; }                                                                              \
  int __isinf##F(TYPE x) { return x == __builtin_inf() ? 1 : x == -__builtin_inf() ? -1 : 0; }                         \
  int isinf##F(TYPE x) { return __isinf##F(x); }                                                                       \
  int __finite##F(TYPE x) { return finite_##NAME(x); }                                                                 \
  int finite##F(TYPE x) { return finite_##NAME(x); }                                                                   \
  int __iszero##F(TYPE x) { return x == 0; }                                                                           \
  TYPE creal##F(_Complex TYPE z) { return __real__ z; }                                                                \
  TYPE cimag##F(_Complex TYPE z) { return __imag__ z; }

#if __SIZEOF_LONG__ == 8
#define LONG_LIMIT 0x1p63
#else
#define LONG_LIMIT 0x1p31
#endif

enum { NAN_, INFINITE, ZERO, SUBNORMAL, NORMAL };

int __fpclassify(double x) {
  u64 size = bits(x) & ~0ull >> 1, infinity = 0x7ffull << 52;
  return size == 0 ? ZERO : size > infinity ? NAN_ : size == infinity ? INFINITE : size >> 52 == 0 ? SUBNORMAL : NORMAL;
}

int __fpclassifyf(float x) {
  u32 size = bitsf(x) & ~0u >> 1, infinity = 0xffu << 23;
  return size == 0 ? ZERO : size > infinity ? NAN_ : size == infinity ? INFINITE : size >> 23 == 0 ? SUBNORMAL : NORMAL;
}

int __signbit(double x) { return (int)(bits(x) >> 63); }
int __signbitf(float x) { return (int)(bitsf(x) >> 31); }
int __issignaling(double x) { return (bits(x) & ~0ull >> 1) > 0x7ffull << 52 && !(bits(x) >> 51 & 1); }
int __issignalingf(float x) { return (bitsf(x) & ~0u >> 1) > 0xffu << 23 && !(bitsf(x) >> 22 & 1); }

FUNCTIONS(, double, double)
FUNCTIONS(f, float, float)

/* What a NaN says is not determined if the text is not empty. */
double nan(const char *text) {
  return *text == 0 ? number(0x7ffull << 52 | 1ull << 51)
                    : number(0x7ffull << 52 | 1ull << 51 | (u64)__VERIFIER_nondet_long() >> 13);
}
float nanf(const char *text) {
  return *text == 0 ? numberf(0xffu << 23 | 1u << 22) : numberf(0xffu << 23 | 1u << 22 | __VERIFIER_nondet_uint() >> 10);
}

/* --- long double: only what looks at the bits --- */

struct extended {
  u64 mantissa; /* with its highest bit, which no other format shows */
  unsigned short exponent;
};

static struct extended parts(long double x) {
  union { long double number; struct extended parts; } u;
  u.number = x;
  return u.parts;
}

int __fpclassifyl(long double x) {
  struct extended of = parts(x);
  int exponent = of.exponent & 0x7fff;
  if (exponent == 0) return of.mantissa == 0 ? ZERO : SUBNORMAL;
  return exponent < 0x7fff ? NORMAL : of.mantissa << 1 == 0 ? INFINITE : NAN_;
}

int __isnanl(long double x) { return __fpclassifyl(x) == NAN_; }
int __isinfl(long double x) { return __fpclassifyl(x) != INFINITE ? 0 : parts(x).exponent >> 15 ? -1 : 1; }
int __finitel(long double x) { return __fpclassifyl(x) >= ZERO; }
int __iszerol(long double x) { return __fpclassifyl(x) == ZERO; }
int __signbitl(long double x) { return parts(x).exponent >> 15; }

/* --- products and quotients of complex numbers, as annex G of the standard wants them --- */

#define COMPLEX(NAME, TYPE, INFINITY, COPY, F)                                                                         \
  static TYPE box_##NAME(TYPE x) { return COPY(__isinf##F(x) ? 1 : 0, x); }                                            \
  _Complex TYPE __mul##NAME##3(TYPE a, TYPE b, TYPE c, TYPE d) {                                                       \
    TYPE ac = a * c, bd = b * d, ad = a * d, bc = b * c, x = ac - bd, y = ad + bc;                                     \
    _Complex TYPE z;                                                                                                   \
    if (x != x && y != y) {                                                                                            \
      _Bool again = 0;                                                                                                 \
      if (__isinf##F(a) || __isinf##F(b)) {                                                                            \
        a = box_##NAME(a);                                                                                             \
        b = box_##NAME(b);                                                                                             \
        if (c != c) c = COPY(0, c);                                                                                    \
        if (d != d) d = COPY(0, d);                                                                                    \
        again = 1;                                                                                                     \
      }                                                                                                                \
      if (__isinf##F(c) || __isinf##F(d)) {                                                                            \
        c = box_##NAME(c);                                                                                             \
        d = box_##NAME(d);                                                                                             \
        if (a != a) a = COPY(0, a);                                                                                    \
        if (b != b) b = COPY(0, b);                                                                                    \
        again = 1;                                                                                                     \
      }                                                                                                                \
      if (!again && (__isinf##F(ac) || __isinf##F(bd) || __isinf##F(ad) || __isinf##F(bc))) {                          \
        if (a != a) a = COPY(0, a);                                                                                    \
        if (b != b) b = COPY(0, b);                                                                                    \
        if (c != c) c = COPY(0, c);                                                                                    \
        if (d != d) d = COPY(0, d);                                                                                    \
        again = 1;                                                                                                     \
      }                                                                                                                \
      if (again) {                                                                                                     \
        x = INFINITY * (a * c - b * d);                                                                                \
        y = INFINITY * (a * d + b * c);                                                                                \
      }                                                                                                                \
    }                                                                                                                  \
    __real__ z = x;                                                                                                    \
    __imag__ z = y;                                                                                                    \
    return z;                                                                                                          \
  }

COMPLEX(dc, double, __builtin_inf(), copysign, )
COMPLEX(sc, float, __builtin_inff(), copysignf, f)
