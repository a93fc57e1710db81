/* What printf and scanf do with constant formats: `formats` makes calls of these functions, one for each part of a format.

   The text goes to ``to``, which has ``room`` bytes, from place ``at`` on; each function returns the place after it. What does
   not fit is only counted. */

#include "model.h"

typedef unsigned long long u64;
typedef long long s64;
enum { LEFT = 1, PLUS = 2, BLANK = 4, ZEROS = 8, MARKED = 16, CAPITAL = 32 };
enum { MOST_DIGITS = 66, TOO_LARGE = 75 };

#define IS_NULL "printf is given a null pointer for %s"

int isspace(int);

size_t __cleave_put_char(char *to, size_t room, size_t at, int c) {
  if (at + 1 < room)
    to[at] = (char)c;
  return at + 1;
}

size_t __cleave_put_text(char *to, size_t room, size_t at, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    at = __cleave_put_char(to, room, at, text[i]);
  return at;
}

static size_t __cleave_pad(char *to, size_t room, size_t at, int c, int count) {
  for (int i = 0; i < count; i++)
    at = __cleave_put_char(to, room, at, c);
  return at;
}

/* A negative width is one to the left; a negative precision is none. */
#define PREPARE                                                                                                        \
  if (width < 0) {                                                                                                     \
    flags |= LEFT;                                                                                                     \
    width = -width;                                                                                                    \
  }

size_t __cleave_put_one(char *to, size_t room, size_t at, int c, int width, int flags) {
  PREPARE
  if (!(flags & LEFT))
    at = __cleave_pad(to, room, at, ' ', width - 1);
  at = __cleave_put_char(to, room, at, c);
  return flags & LEFT ? __cleave_pad(to, room, at, ' ', width - 1) : at;
}

size_t __cleave_put_string(char *to, size_t room, size_t at, const char *text, int width, int precision, int flags) {
  int length = 0;
  PREPARE
  __cleave_require(text != 0, IS_NULL);
  if (text == 0)
    text = precision >= 0 && precision < 6 ? "" : "(null)";
  while ((precision < 0 || length < precision) && text[length] != 0)
    length++;
  if (!(flags & LEFT))
    at = __cleave_pad(to, room, at, ' ', width - length);
  if (room > 0)
    __cleave_apart(to, text, at + length < room ? at + length : room, length + (precision < 0 || length < precision));
  for (int i = 0; i < length; i++)
    at = __cleave_put_char(to, room, at, text[i]);
  return flags & LEFT ? __cleave_pad(to, room, at, ' ', width - length) : at;
}

/* What is only printed is read: all of the text, */
void __cleave_read_text(const char *text) {
  while (*text != 0)
    text++;
}

/* or as much of it as the precision allows. */
void __cleave_read_string(const char *text, int precision) {
  __cleave_require(text != 0, IS_NULL);
  if (text == 0)
    return;
  for (int length = 0; (precision < 0 || length < precision) && text[length] != 0; length++)
    ;
}

static size_t __cleave_put_number(
    char *to, size_t room, size_t at, u64 number, int base, int sign, int width, int precision, int flags) {
  char digits[MOST_DIGITS];
  int count = 0, before = sign != 0, zeros;
  PREPARE
  for (u64 rest = number; rest != 0; rest = base == 10 ? rest / 10 : base == 8 ? rest >> 3 : rest >> 4) {
    int digit = (int)(base == 10 ? rest % 10 : rest & (unsigned)(base - 1));
    digits[count++] = (char)(digit < 10 ? '0' + digit : digit - 10 + (flags & CAPITAL ? 'A' : 'a'));
  }
  zeros = (precision < 0 ? 1 : precision) - count;
  if (base == 8 && flags & MARKED && zeros <= 0 && (number != 0 || precision == 0))
    zeros = 1;
  if (base == 16 && flags & MARKED && number != 0)
    before = 2;
  if (zeros < 0)
    zeros = 0;
  if (precision < 0 && (flags & (ZEROS | LEFT)) == ZEROS && width > before + zeros + count)
    zeros = width - before - count;
  width -= before + zeros + count;
  if (!(flags & LEFT))
    at = __cleave_pad(to, room, at, ' ', width);
  if (before == 2) {
    at = __cleave_put_char(to, room, at, '0');
    at = __cleave_put_char(to, room, at, flags & CAPITAL ? 'X' : 'x');
  } else if (before == 1) {
    at = __cleave_put_char(to, room, at, sign);
  }
  at = __cleave_pad(to, room, at, '0', zeros);
  while (count > 0)
    at = __cleave_put_char(to, room, at, digits[--count]);
  return flags & LEFT ? __cleave_pad(to, room, at, ' ', width) : at;
}

size_t __cleave_put_signed(char *to, size_t room, size_t at, s64 number, int width, int precision, int flags) {
  int sign = number < 0 ? '-' : flags & PLUS ? '+' : flags & BLANK ? ' ' : 0;
  u64 size = number < 0 ? -(u64)number : (u64)number;
  return __cleave_put_number(to, room, at, size, 10, sign, width, precision, flags);
}

size_t __cleave_put_unsigned(char *to, size_t room, size_t at, u64 number, int base, int width, int precision, int flags) {
  return __cleave_put_number(to, room, at, number, base, 0, width, precision, flags);
}

/* A text that is not modelled, of at least ``least`` characters and at most ``most``. */
size_t __cleave_put_any(char *to, size_t room, size_t at, size_t least, size_t most) {
  size_t length = __cleave_doubt_size("printf");
  __VERIFIER_assume(least <= length && length <= most);
  if (room == 0)
    return at + length;
  for (size_t i = 0; i < length; i++) {
    char c = __cleave_doubt_char("printf");
    __VERIFIER_assume(c != 0);
    at = __cleave_put_char(to, room, at, c);
  }
  return at;
}

static int __cleave_counted(size_t at) {
  if (at <= 0x7fffffff)
    return (int)at;
  ERRNO = TOO_LARGE;
  return -1;
}

int __cleave_put_end(char *to, size_t room, size_t at) {
  if (room > 0)
    to[at < room ? at : room - 1] = 0;
  return __cleave_counted(at);
}

/* What printf returns: output may fail. */
int __cleave_printed(size_t at) { return __cleave_failed() ? -1 : __cleave_counted(at); }

/* Room for a text of ``at`` characters: what asprintf allocates. */
char *__cleave_put_room(char **to, size_t at) {
  *to = malloc(at + 1);
  return *to;
}

int __cleave_put_into(char *made, size_t at) {
  if (made != 0)
    return __cleave_put_end(made, at + 1, at);
  ERRNO = NO_MEMORY;
  return -1;
}

/* --- scanf --- */

/* How many of ``most`` values were read. */
int __cleave_scan_count(int most) {
  int count = __VERIFIER_nondet_int();
  __VERIFIER_assume(-1 <= count && count <= most);
  return count;
}

int __cleave_scan_count_of_text(int most) {
  int count = __cleave_doubt_int("sscanf");
  __VERIFIER_assume(-1 <= count && count <= most);
  return count;
}

/* A word of at most ``most`` characters; value number ``index``. */
void __cleave_scan_word(char *to, size_t most, int index, int count) {
  size_t i = 0;
  if (index >= count)
    return;
  do {
    char c = __VERIFIER_nondet_char();
    __VERIFIER_assume(c != 0 && !isspace((byte)c));
    to[i++] = c;
  } while (i < most && __VERIFIER_nondet_bool());
  to[i] = 0;
}

/* The same where the characters follow rules that are not modelled. */
void __cleave_scan_some(char *to, size_t most, int index, int count) {
  size_t i = 0;
  if (index >= count)
    return;
  do {
    char c = __cleave_doubt_char("scanf");
    __VERIFIER_assume(c != 0);
    to[i++] = c;
  } while (i < most && __cleave_doubt_int("scanf") != 0);
  to[i] = 0;
}
