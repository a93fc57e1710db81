/* <ctype.h> in the C locale, with the numbers that glibc returns, and the tables that its macros read. */

#include "model.h"

enum {
  UPPER = 0x100, LOWER = 0x200, ALPHA = 0x400, DIGIT = 0x800, HEX = 0x1000, SPACE = 0x2000, PRINT = 0x4000,
  GRAPH = 0x8000, BLANK = 0x1, CONTROL = 0x2, PUNCTUATION = 0x4, ALNUM = 0x8
};

/* What glibc's tables have; another number is outside of them. */
#define GIVEN __cleave_require(c >= -128 && c <= 255, "a function of <ctype.h> is given no character and not EOF")
#define IN(LOW, HIGH) ((unsigned)c - (LOW) <= (unsigned)((HIGH) - (LOW)))

int isupper(int c) {
  GIVEN;
  return IN('A', 'Z') ? UPPER : 0;
}

int islower(int c) {
  GIVEN;
  return IN('a', 'z') ? LOWER : 0;
}

int isalpha(int c) {
  GIVEN;
  return IN('A', 'Z') || IN('a', 'z') ? ALPHA : 0;
}

int isdigit(int c) {
  GIVEN;
  return IN('0', '9') ? DIGIT : 0;
}

int isxdigit(int c) {
  GIVEN;
  return IN('0', '9') || IN('A', 'F') || IN('a', 'f') ? HEX : 0;
}

int isspace(int c) {
  GIVEN;
  return c == ' ' || IN('\t', '\r') ? SPACE : 0;
}

int isprint(int c) {
  GIVEN;
  return IN(' ', '~') ? PRINT : 0;
}

int isgraph(int c) {
  GIVEN;
  return IN('!', '~') ? GRAPH : 0;
}

int isblank(int c) {
  GIVEN;
  return c == ' ' || c == '\t' ? BLANK : 0;
}

int iscntrl(int c) {
  GIVEN;
  return IN(0, 31) || c == 127 ? CONTROL : 0;
}

int ispunct(int c) {
  GIVEN;
  return IN('!', '/') || IN(':', '@') || IN('[', '`') || IN('{', '~') ? PUNCTUATION : 0;
}

int isalnum(int c) {
  GIVEN;
  return IN('0', '9') || IN('A', 'Z') || IN('a', 'z') ? ALNUM : 0;
}

int tolower(int c) {
  GIVEN;
  return IN('A', 'Z') ? c + 32 : c >= -128 && c < -1 ? c + 256 : c;
}

int toupper(int c) {
  GIVEN;
  return IN('a', 'z') ? c - 32 : c >= -128 && c < -1 ? c + 256 : c;
}

int _tolower(int c) { return tolower(c); }
int _toupper(int c) { return toupper(c); }
int isascii(int c) { return (c & ~127) == 0; }
int toascii(int c) { return c & 127; }

enum { WORD = PRINT | GRAPH | ALNUM, MARK = PRINT | GRAPH | PUNCTUATION };

static const unsigned short __cleave_classes[384] = {
  [128 ... 136] = CONTROL,
  [137] = CONTROL | SPACE | BLANK,
  [138 ... 141] = CONTROL | SPACE,
  [142 ... 159] = CONTROL,
  [160] = PRINT | SPACE | BLANK,
  [161 ... 175] = MARK,
  [176 ... 185] = WORD | DIGIT | HEX,
  [186 ... 192] = MARK,
  [193 ... 198] = WORD | ALPHA | UPPER | HEX,
  [199 ... 218] = WORD | ALPHA | UPPER,
  [219 ... 224] = MARK,
  [225 ... 230] = WORD | ALPHA | LOWER | HEX,
  [231 ... 250] = WORD | ALPHA | LOWER,
  [251 ... 254] = MARK,
  [255] = CONTROL,
};

#define ONE(C) (C)
#define TEN(OF, C) OF(C), OF(C + 1), OF(C + 2), OF(C + 3), OF(C + 4), OF(C + 5), OF(C + 6), OF(C + 7), OF(C + 8), OF(C + 9)
#define SMALL(C) ((C) >= 'A' && (C) <= 'Z' ? (C) + 32 : (C))
#define LARGE(C) ((C) >= 'a' && (C) <= 'z' ? (C) - 32 : (C))
#define HUNDRED(OF, C) \
  TEN(OF, C), TEN(OF, C + 10), TEN(OF, C + 20), TEN(OF, C + 30), TEN(OF, C + 40), TEN(OF, C + 50), TEN(OF, C + 60), \
  TEN(OF, C + 70), TEN(OF, C + 80), TEN(OF, C + 90)
#define ALL(OF) \
  HUNDRED(ONE, 128), TEN(ONE, 228), TEN(ONE, 238), ONE(248), ONE(249), ONE(250), ONE(251), ONE(252), ONE(253), ONE(254), \
  -1, HUNDRED(OF, 0), HUNDRED(OF, 100), TEN(OF, 200), TEN(OF, 210), TEN(OF, 220), TEN(OF, 230), TEN(OF, 240), OF(250), \
  OF(251), OF(252), OF(253), OF(254), OF(255)

static const int __cleave_small[384] = {ALL(SMALL)};
static const int __cleave_large[384] = {ALL(LARGE)};

static const unsigned short *__cleave_classes_here = __cleave_classes + 128;
static const int *__cleave_small_here = __cleave_small + 128, *__cleave_large_here = __cleave_large + 128;

const unsigned short **__ctype_b_loc(void) { return &__cleave_classes_here; }
const int **__ctype_tolower_loc(void) { return &__cleave_small_here; }
const int **__ctype_toupper_loc(void) { return &__cleave_large_here; }
