/* IEEE 754 arithmetic on the bits of _Float16, float and double: what the operators of C become where a program uses them.
   There are no loops, so that no bound ever takes part in a proof because of them. */

#include "ieee.h"

#define FORMAT(NAME, WORD, BITS, MANTISSA)                                                                            \
  WORD __cleave_##NAME##_add(WORD a, WORD b) {                                                                        \
    if (NAME##_is_nan(a) || NAME##_is_nan(b)) return NAME##_nan(a, b);                                                \
    if (NAME##_size(a) < NAME##_size(b)) { WORD other = a; a = b; b = other; }                                        \
    WORD sign = a & NAME##_sign;                                                                                      \
    if (NAME##_size(a) == NAME##_infinity)                                                                            \
      return a == (b ^ NAME##_sign) ? NAME##_sign | NAME##_infinity | NAME##_quiet : a;                               \
    if (NAME##_size(b) == 0) return NAME##_size(a) == 0 ? a & b : a;                                                  \
    int distance = NAME##_exponent(a) - NAME##_exponent(b);                                                           \
    wide one = (wide)NAME##_fraction(a) << 64, other = (wide)NAME##_fraction(b) << 64;                                \
    if (distance > 126) distance = 126;                                                                               \
    wide shifted = other >> distance;                                                                                 \
    if (shifted << distance != other) shifted |= 1;                                                                   \
    wide sum = (a ^ b) & NAME##_sign ? one - shifted : one + shifted;                                                 \
    return sum == 0 ? 0 : NAME##_pack(sign, NAME##_exponent(a) - 64, sum);                                            \
  }                                                                                                                   \
  WORD __cleave_##NAME##_sub(WORD a, WORD b) {                                                                        \
    return NAME##_is_nan(b) ? NAME##_nan(a, b) : __cleave_##NAME##_add(a, b ^ NAME##_sign);                           \
  }                                                                                                                   \
  WORD __cleave_##NAME##_mul(WORD a, WORD b) {                                                                        \
    WORD sign = (a ^ b) & NAME##_sign, x = NAME##_size(a), y = NAME##_size(b);                                        \
    if (NAME##_is_nan(a) || NAME##_is_nan(b)) return NAME##_nan(a, b);                                                \
    if ((x == NAME##_infinity && y == 0) || (y == NAME##_infinity && x == 0))                                         \
      return NAME##_sign | NAME##_infinity | NAME##_quiet;                                                            \
    if (x == NAME##_infinity || y == NAME##_infinity) return sign | NAME##_infinity;                                  \
    return NAME##_pack(sign, NAME##_exponent(a) + NAME##_exponent(b), (wide)NAME##_fraction(a) * NAME##_fraction(b)); \
  }                                                                                                                   \
  WORD __cleave_##NAME##_div(WORD a, WORD b) {                                                                        \
    WORD sign = (a ^ b) & NAME##_sign, x = NAME##_size(a), y = NAME##_size(b);                                        \
    if (NAME##_is_nan(a) || NAME##_is_nan(b)) return NAME##_nan(a, b);                                                \
    if ((x == NAME##_infinity && y == NAME##_infinity) || (x == 0 && y == 0))                                         \
      return NAME##_sign | NAME##_infinity | NAME##_quiet;                                                            \
    if (x == NAME##_infinity || y == 0) return sign | NAME##_infinity;                                                \
    if (x == 0 || y == NAME##_infinity) return sign;                                                                  \
    wide above = (wide)NAME##_fraction(a) << 64, below = NAME##_fraction(b), quotient = above / below;                \
    quotient = quotient << 1 | (quotient * below != above);                                                           \
    return NAME##_pack(sign, NAME##_exponent(a) - NAME##_exponent(b) - 65, quotient);                                 \
  }                                                                                                                   \
  _Bool __cleave_##NAME##_uno(WORD a, WORD b) { return NAME##_is_nan(a) || NAME##_is_nan(b); }                        \
  _Bool __cleave_##NAME##_oeq(WORD a, WORD b) {                                                                       \
    return !__cleave_##NAME##_uno(a, b) && (a == b || (NAME##_size(a) == 0 && NAME##_size(b) == 0));                  \
  }                                                                                                                   \
  _Bool __cleave_##NAME##_olt(WORD a, WORD b) {                                                                       \
    if (__cleave_##NAME##_uno(a, b) || (NAME##_size(a) == 0 && NAME##_size(b) == 0)) return 0;                        \
    _Bool a_negative = (a & NAME##_sign) != 0, b_negative = (b & NAME##_sign) != 0;                                   \
    if (a_negative != b_negative) return a_negative;                                                                  \
    return a_negative ? b < a : a < b;                                                                                \
  }                                                                                                                   \
  _Bool __cleave_##NAME##_ord(WORD a, WORD b) { return !__cleave_##NAME##_uno(a, b); }                                \
  _Bool __cleave_##NAME##_ole(WORD a, WORD b) { return __cleave_##NAME##_olt(a, b) || __cleave_##NAME##_oeq(a, b); }  \
  _Bool __cleave_##NAME##_ogt(WORD a, WORD b) { return __cleave_##NAME##_olt(b, a); }                                 \
  _Bool __cleave_##NAME##_oge(WORD a, WORD b) { return __cleave_##NAME##_ole(b, a); }                                 \
  _Bool __cleave_##NAME##_one(WORD a, WORD b) { return __cleave_##NAME##_olt(a, b) || __cleave_##NAME##_olt(b, a); }  \
  _Bool __cleave_##NAME##_ueq(WORD a, WORD b) { return !__cleave_##NAME##_one(a, b); }                                \
  _Bool __cleave_##NAME##_une(WORD a, WORD b) { return !__cleave_##NAME##_oeq(a, b); }                                \
  _Bool __cleave_##NAME##_ult(WORD a, WORD b) { return !__cleave_##NAME##_oge(a, b); }                                \
  _Bool __cleave_##NAME##_ule(WORD a, WORD b) { return !__cleave_##NAME##_ogt(a, b); }                                \
  _Bool __cleave_##NAME##_ugt(WORD a, WORD b) { return !__cleave_##NAME##_ole(a, b); }                                \
  _Bool __cleave_##NAME##_uge(WORD a, WORD b) { return !__cleave_##NAME##_olt(a, b); }                                \
  WORD __cleave_##NAME##_from_unsigned(u64 number) { return NAME##_pack(0, 0, number); }                              \
  WORD __cleave_##NAME##_from_signed(s64 number) {                                                                    \
    return number < 0 ? NAME##_pack(NAME##_sign, 0, -(u64)number) : NAME##_pack(0, 0, (u64)number);                   \
  }                                                                                                                   \
  /* the integral part; a number that does not fit is undefined in C */                                               \
  u64 __cleave_##NAME##_to_integer(WORD a) {                                                                          \
    int exponent = NAME##_exponent(a);                                                                                \
    wide mantissa = NAME##_fraction(a);                                                                               \
    if (exponent >= 64) return 0;                                                                                     \
    u64 number = exponent >= 0 ? (u64)(mantissa << exponent) : exponent < -100 ? 0 : (u64)(mantissa >> -exponent);    \
    return a & NAME##_sign ? -number : number;                                                                        \
  }                                                                                                                   \
  WORD __cleave_##NAME##_trunc(WORD a) {                                                                              \
    int below = -NAME##_exponent(a);                                                                                  \
    if (below <= 0 || NAME##_size(a) >= NAME##_infinity) return a;                                                    \
    if (below >= MANTISSA) return a & NAME##_sign;                                                                    \
    return a >> below << below;                                                                                       \
  }                                                                                                                   \
  WORD __cleave_##NAME##_floor(WORD a) {                                                                              \
    WORD whole = __cleave_##NAME##_trunc(a), one = (WORD)NAME##_bias << (MANTISSA - 1);                               \
    if (whole == a || !(a & NAME##_sign)) return whole;                                                               \
    return __cleave_##NAME##_sub(whole, one);                                                                         \
  }                                                                                                                   \
  WORD __cleave_##NAME##_ceil(WORD a) {                                                                               \
    return __cleave_##NAME##_floor(a ^ NAME##_sign) ^ NAME##_sign;                                                    \
  }                                                                                                                   \
  WORD __cleave_##NAME##_fabs(WORD a) { return NAME##_size(a); }                                                      \
  WORD __cleave_##NAME##_neg(WORD a) { return a ^ NAME##_sign; }                                                      \
  WORD __cleave_##NAME##_copysign(WORD a, WORD b) { return NAME##_size(a) | (b & NAME##_sign); }                      \
  WORD __cleave_##NAME##_minnum(WORD a, WORD b) {                                                                     \
    if (NAME##_is_nan(a)) return b;                                                                                   \
    return __cleave_##NAME##_olt(b, a) ? b : a;                                                                       \
  }                                                                                                                   \
  WORD __cleave_##NAME##_maxnum(WORD a, WORD b) {                                                                     \
    if (NAME##_is_nan(a)) return b;                                                                                   \
    return __cleave_##NAME##_olt(a, b) ? b : a;                                                                       \
  }

FORMAT(half, unsigned short, 16, 11)
FORMAT(float, unsigned int, 32, 24)
FORMAT(double, u64, 64, 53)

/* SHIFT moves what a NaN says. */
#define CONVERT(NAME, WORD, TO, TO_WORD, SHIFT)                                                                       \
  TO_WORD __cleave_##NAME##_to_##TO(WORD a) {                                                                         \
    TO_WORD sign = a & NAME##_sign ? TO##_sign : 0;                                                                   \
    if (NAME##_is_nan(a)) return sign | TO##_infinity | TO##_quiet | (TO_WORD)((a & (NAME##_quiet - 1)) SHIFT);       \
    if (NAME##_size(a) == NAME##_infinity) return sign | TO##_infinity;                                               \
    return TO##_pack(sign, NAME##_exponent(a), NAME##_fraction(a));                                                   \
  }

CONVERT(half, unsigned short, float, unsigned int, << 13)
CONVERT(half, unsigned short, double, u64, * 1ull << 42)
CONVERT(float, unsigned int, double, u64, * 1ull << 29)
CONVERT(float, unsigned int, half, unsigned short, >> 13)
CONVERT(double, u64, half, unsigned short, >> 42)
CONVERT(double, u64, float, unsigned int, >> 29)
