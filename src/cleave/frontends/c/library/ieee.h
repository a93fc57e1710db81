/* The formats of IEEE 754 on their bits: how numbers are taken apart, and how they are put together, rounded to the nearest
   one, to even where two are as near. */

typedef unsigned _BitInt(128) wide;
typedef unsigned long long u64;
typedef long long s64;

static int length(wide number) { /* of a number that is not zero, in bits */
  u64 high = (u64)(number >> 64), low = (u64)number;
  return high != 0 ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll(low);
}

/* MANTISSA counts the hidden bit. An unpacked number is mantissa * 2^exponent, the mantissa with its highest bit set. */
#define BASICS(NAME, WORD, BITS, MANTISSA)                                                                            \
  enum { NAME##_bias = (1 << (BITS - MANTISSA - 1)) - 1, NAME##_least = 2 - NAME##_bias - MANTISSA };                 \
  static const WORD NAME##_sign = (WORD)1 << (BITS - 1);                                                              \
  static const WORD NAME##_infinity = (((WORD)1 << (BITS - MANTISSA)) - 1) << (MANTISSA - 1);                         \
  static const WORD NAME##_quiet = (WORD)1 << (MANTISSA - 2);                                                         \
  static WORD NAME##_size(WORD a) { return a & ~NAME##_sign; }                                                        \
  static int NAME##_is_nan(WORD a) { return NAME##_size(a) > NAME##_infinity; }                                       \
  static WORD NAME##_nan(WORD a, WORD b) { return (NAME##_is_nan(a) ? a : b) | NAME##_quiet; }                        \
  static WORD NAME##_fraction(WORD a) {                                                                               \
    WORD field = NAME##_size(a) >> (MANTISSA - 1), low = a & (((WORD)1 << (MANTISSA - 1)) - 1);                       \
    if (field != 0) return low | (WORD)1 << (MANTISSA - 1);                                                           \
    return low == 0 ? 0 : low << (MANTISSA - length(low));                                                            \
  }                                                                                                                   \
  static int NAME##_exponent(WORD a) {                                                                                \
    WORD field = NAME##_size(a) >> (MANTISSA - 1), low = a & (((WORD)1 << (MANTISSA - 1)) - 1);                       \
    if (field != 0) return (int)field - 1 + NAME##_least;                                                             \
    return low == 0 ? NAME##_least : NAME##_least - (MANTISSA - length(low));                                         \
  }                                                                                                                   \
  /* mantissa * 2^exponent, rounded; the lowest bit may stand for all that was cut off below it */                    \
  static WORD NAME##_pack(WORD sign, int exponent, wide mantissa) {                                                   \
    if (mantissa == 0) return sign;                                                                                   \
    int unit = exponent + length(mantissa) - MANTISSA;                                                                \
    if (unit < NAME##_least) unit = NAME##_least;                                                                     \
    int shift = unit - exponent;                                                                                      \
    WORD kept;                                                                                                        \
    if (shift <= 0) {                                                                                                 \
      kept = (WORD)(mantissa << -shift);                                                                              \
    } else if (shift > 126) {                                                                                         \
      kept = 0;                                                                                                       \
    } else {                                                                                                          \
      wide half = (wide)1 << (shift - 1), rest = mantissa & ((half << 1) - 1);                                        \
      kept = (WORD)(mantissa >> shift);                                                                               \
      if (rest > half || (rest == half && (kept & 1))) kept++;                                                        \
    }                                                                                                                 \
    if (unit - NAME##_least > 2 * NAME##_bias) return sign | NAME##_infinity;                                         \
    WORD bits = ((WORD)(unit - NAME##_least) << (MANTISSA - 1)) + kept;                                               \
    return sign | (bits > NAME##_infinity ? NAME##_infinity : bits);                                                  \
  }

BASICS(half, unsigned short, 16, 11)
BASICS(float, unsigned int, 32, 24)
BASICS(double, u64, 64, 53)
