/* Operations on the bits of floating-point numbers that are longer than those of float.c: roots, remainders, rounding, fma.
   There are no loops here either. */

#include "ieee.h"

typedef unsigned _BitInt(256) vast;

/* One bit of a square root: (root + bit)^2 - root^2 is taken from what is left, if that is enough. */
#define BIT(B)                                                                                                         \
  step = ((root << 1) + ((wide)1 << (B))) << (B);                                                                      \
  enough = -(wide)(rest >= step);                                                                                      \
  rest -= step & enough;                                                                                               \
  root |= (wide)1 << (B) & enough;
#define BITS(B) BIT(B + 6) BIT(B + 5) BIT(B + 4) BIT(B + 3) BIT(B + 2) BIT(B + 1) BIT(B)

/* The square of 2^n modulo the divisor, doubled if the next bit of n is set. */
#define POWER(B) power = (power * power << ((unsigned)distance >> (B)&1)) % divisor;

static vast __cleave_cut(vast number, int distance) { /* to the right; the lowest bit stands for all that is lost */
  if (distance > 255) distance = 255;
  vast kept = number >> distance;
  return kept << distance == number ? kept : kept | 1;
}

static int __cleave_length(vast number) { /* of a number that is not zero */
  return number >> 128 != 0 ? 128 + length((wide)(number >> 128)) : length((wide)number);
}

#define REAL(NAME, WORD, BITS_, MANTISSA, ROOTS, SHIFT)                                                                \
  static const WORD NAME##_wrong = NAME##_sign | NAME##_infinity | NAME##_quiet;                                       \
  WORD __cleave_##NAME##_sqrt(WORD a) {                                                                                \
    if (NAME##_is_nan(a)) return NAME##_nan(a, a);                                                                     \
    if (NAME##_size(a) == 0) return a;                                                                                 \
    if (a & NAME##_sign) return NAME##_wrong;                                                                          \
    if (a == NAME##_infinity) return a;                                                                                \
    int exponent = NAME##_exponent(a), odd = exponent & 1;                                                             \
    wide rest = (wide)NAME##_fraction(a) << (SHIFT + odd), root = 0, step, enough;                                     \
    ROOTS                                                                                                              \
    return NAME##_pack(0, (exponent - odd - SHIFT) / 2 - 1, root << 1 | (rest != 0));                                  \
  }                                                                                                                    \
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
  WORD __cleave_##NAME##_round(WORD a) {                                                                               \
    int below = -NAME##_exponent(a);                                                                                   \
    if (below <= 0 || NAME##_size(a) >= NAME##_infinity) return a;                                                     \
    if (below > MANTISSA) return a & NAME##_sign;                                                                      \
    if (below == MANTISSA) return (a & NAME##_sign) | (WORD)NAME##_bias << (MANTISSA - 1);                             \
    return (WORD)(a + ((WORD)1 << (below - 1))) >> below << below;                                                     \
  }                                                                                                                    \
  WORD __cleave_##NAME##_rint(WORD a) {                                                                                \
    int below = -NAME##_exponent(a);                                                                                   \
    WORD half = (WORD)NAME##_bias - 1;                                                                                 \
    if (below <= 0 || NAME##_size(a) >= NAME##_infinity) return a;                                                     \
    if (below >= MANTISSA)                                                                                             \
      return (a & NAME##_sign) | (NAME##_size(a) > half << (MANTISSA - 1) ? (WORD)NAME##_bias << (MANTISSA - 1) : 0);  \
    WORD kept = a >> below, rest = a & (((WORD)1 << below) - 1);                                                       \
    half = (WORD)1 << (below - 1);                                                                                     \
    if (rest > half || (rest == half && (kept & 1))) kept++;                                                           \
    return kept << below;                                                                                              \
  }                                                                                                                    \
  WORD __cleave_##NAME##_roundeven(WORD a) { return __cleave_##NAME##_rint(a); }                                       \
  WORD __cleave_##NAME##_nearbyint(WORD a) { return __cleave_##NAME##_rint(a); }                                       \
  WORD __cleave_##NAME##_fma(WORD a, WORD b, WORD c) {                                                                 \
    WORD sign = (a ^ b) & NAME##_sign, x = NAME##_size(a), y = NAME##_size(b), z = NAME##_size(c);                     \
    if (x > NAME##_infinity || y > NAME##_infinity)                                                                    \
      return NAME##_nan(a, b);                                                                                         \
    if ((x == NAME##_infinity && y == 0) || (y == NAME##_infinity && x == 0))                                          \
      return z > NAME##_infinity ? NAME##_nan(c, c) : NAME##_wrong;                                                    \
    if (z > NAME##_infinity) return NAME##_nan(c, c);                                                                  \
    if (x == NAME##_infinity || y == NAME##_infinity) {                                                                \
      return z == NAME##_infinity && (c & NAME##_sign) != sign ? NAME##_wrong : (WORD)(sign | NAME##_infinity);        \
    }                                                                                                                  \
    if (z == NAME##_infinity) return c;                                                                                \
    if (x == 0 || y == 0) return z == 0 ? (WORD)(sign & c) : c;                                                        \
    int exponent = NAME##_exponent(a) + NAME##_exponent(b);                                                            \
    vast product = (vast)NAME##_fraction(a) * NAME##_fraction(b), other = (vast)NAME##_fraction(c) << MANTISSA, sum;   \
    if (z == 0) return NAME##_pack(sign, exponent, (wide)product);                                                     \
    if (product >> (2 * MANTISSA - 1) == 0) {                                                                          \
      product <<= 1;                                                                                                   \
      exponent--;                                                                                                      \
    }                                                                                                                  \
    int distance = exponent - (NAME##_exponent(c) - MANTISSA);                                                         \
    _Bool differ = (c & NAME##_sign) != sign;                                                                          \
    product <<= 128;                                                                                                   \
    other <<= 128;                                                                                                     \
    if (distance < 0 || (distance == 0 && product < other)) {                                                          \
      vast kept = product;                                                                                             \
      product = other;                                                                                                 \
      other = kept;                                                                                                    \
      exponent -= distance;                                                                                            \
      distance = -distance;                                                                                            \
      sign = c & NAME##_sign;                                                                                          \
    }                                                                                                                  \
    other = __cleave_cut(other, distance);                                                                             \
    sum = differ ? product - other : product + other;                                                                  \
    if (sum == 0) return 0;                                                                                            \
    int long_by = __cleave_length(sum) - 120;                                                                          \
    if (long_by < 0) long_by = 0;                                                                                      \
    return NAME##_pack(sign, exponent - 128 + long_by, (wide)__cleave_cut(sum, long_by));                              \
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

REAL(half, unsigned short, 16, 11, BITS(7) BITS(0), 16)
REAL(float, unsigned int, 32, 24, BITS(21) BITS(14) BITS(7) BITS(0), 28)
REAL(double, u64, 64, 53, BITS(49) BITS(42) BITS(35) BITS(28) BITS(21) BITS(14) BITS(7) BITS(0), 58)
