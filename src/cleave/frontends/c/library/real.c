/* Operations on the bits of floating-point numbers that are no operators of terms: remainders, classes, parts. There are
   no loops, so that no bound ever takes part in a proof because of them. */

#include "ieee.h"

/* The square of 2^n modulo the divisor, doubled if the next bit of n is set. */
#define POWER(B) power = (power * power << ((unsigned)distance >> (B)&1)) % divisor;

#define REAL(NAME, WORD, BITS, MANTISSA)                                                                              \
  static const WORD NAME##_wrong = NAME##_sign | NAME##_infinity | NAME##_quiet;                                       \
  /* the remainder of a / b, without sign, in units of b's, with the lowest bits of the quotient above it */           \
  static wide NAME##_modulo(WORD a, WORD b, int more) {                                                                \
    int distance = NAME##_exponent(a) - NAME##_exponent(b);                                                            \
    wide divisor = (wide)NAME##_fraction(b) << more, power = 1;                                                        \
    POWER(11) POWER(10) POWER(9) POWER(8) POWER(7) POWER(6) POWER(5) POWER(4) POWER(3) POWER(2) POWER(1) POWER(0)      \
    return NAME##_fraction(a) * power % divisor;                                                                       \
  }                                                                                                                    \
  static _Bool NAME##_divides(WORD a, WORD b) {                                                                        \
    return NAME##_size(a) < NAME##_infinity && NAME##_size(b) <= NAME##_infinity && NAME##_size(b) != 0;               \
  }                                                                                                                    \
  WORD __cleave_##NAME##_rem(WORD a, WORD b) {                                                                         \
    if (NAME##_is_nan(a) || NAME##_is_nan(b)) return NAME##_nan(a, b);                                                 \
    if (!NAME##_divides(a, b)) return NAME##_wrong;                                                                    \
    if (NAME##_size(a) < NAME##_size(b)) return a;                                                                     \
    return NAME##_pack(a & NAME##_sign, NAME##_exponent(b), NAME##_modulo(a, b, 0));                                   \
  }                                                                                                                    \
  WORD __cleave_##NAME##_remquo(WORD a, WORD b, int *quotient) {                                                       \
    *quotient = 0;                                                                                                     \
    if (NAME##_is_nan(a) || NAME##_is_nan(b)) return NAME##_nan(a, b);                                                 \
    if (!NAME##_divides(a, b)) return NAME##_wrong;                                                                    \
    int distance = NAME##_exponent(a) - NAME##_exponent(b), unit = NAME##_exponent(b);                                 \
    if (NAME##_size(a) == 0 || NAME##_size(b) == NAME##_infinity || distance < -1) return a;                           \
    wide divisor = NAME##_fraction(b), rest = NAME##_fraction(a);                                                      \
    if (distance < 0) {                                                                                                \
      divisor <<= 1;                                                                                                   \
      unit--;                                                                                                          \
    } else {                                                                                                           \
      rest = NAME##_modulo(a, b, 3);                                                                                   \
    }                                                                                                                  \
    int times = (int)(rest / divisor);                                                                                 \
    rest %= divisor;                                                                                                   \
    WORD sign = a & NAME##_sign;                                                                                       \
    if (rest << 1 > divisor || (rest << 1 == divisor && (times & 1))) {                                                \
      rest = divisor - rest;                                                                                           \
      times++;                                                                                                         \
      sign ^= NAME##_sign;                                                                                             \
    }                                                                                                                  \
    times &= 7;                                                                                                        \
    *quotient = (a ^ b) & NAME##_sign ? -times : times;                                                                \
    return rest == 0 ? a & NAME##_sign : NAME##_pack(sign, unit, rest);                                                \
  }                                                                                                                    \
  /* llvm.is.fpclass: a bit for each of signaling and quiet NaN; negative infinity, normal, subnormal, zero; positive */ \
  _Bool __cleave_##NAME##_class(WORD a, int mask) {                                                                    \
    WORD size = NAME##_size(a);                                                                                        \
    int bit = size == 0 ? 6 : size >> (MANTISSA - 1) == 0 ? 7 : size < NAME##_infinity ? 8 : 9;                        \
    if (a & NAME##_sign) bit = 11 - bit;                                                                               \
    if (size > NAME##_infinity) bit = size & NAME##_quiet ? 1 : 0;                                                     \
    return mask >> bit & 1;                                                                                            \
  }                                                                                                                    \
  /* how <math.h> takes numbers apart and puts them together */                                                        \
  WORD __cleave_##NAME##_scaled(WORD a, int by) {                                                                      \
    if (NAME##_size(a) == 0 || NAME##_size(a) >= NAME##_infinity) return a;                                            \
    by = by < -5000 ? -5000 : by > 5000 ? 5000 : by;                                                                   \
    return NAME##_pack(a & NAME##_sign, NAME##_exponent(a) + by, NAME##_fraction(a));                                  \
  }                                                                                                                    \
  int __cleave_##NAME##_power(WORD a) { return NAME##_exponent(a) + MANTISSA; }                                        \
  WORD __cleave_##NAME##_next(WORD a, WORD to) {                                                                       \
    if (NAME##_is_nan(a) || NAME##_is_nan(to)) return NAME##_nan(a, to);                                               \
    if (a == to || (NAME##_size(a) == 0 && NAME##_size(to) == 0)) return to;                                           \
    if (NAME##_size(a) == 0) return (to & NAME##_sign) | 1;                                                            \
    _Bool outwards = ((a ^ to) & NAME##_sign) == 0 && NAME##_size(a) < NAME##_size(to);                                \
    return outwards ? a + 1 : a - 1;                                                                                   \
  }

REAL(half, unsigned short, 16, 11)
REAL(float, unsigned int, 32, 24)
REAL(double, u64, 64, 53)
