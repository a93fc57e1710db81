/* vprintf and its like: formats with arguments in a va_list, read when the program runs. The parts are those of format.c. */

#include "model.h"

typedef __builtin_va_list list;
typedef struct file FILE;
enum { LEFT = 1, PLUS = 2, BLANK = 4, ZEROS = 8, MARKED = 16, CAPITAL = 32 };
enum { FLOAT_ROOM = 330, SMALLEST = 1, SMALL, PLAIN, LONG, LONGEST, FLOAT };

#define NEXT(TYPE) __builtin_va_arg(given, TYPE)
#define AT to, room, at

void __cleave_limit(const char *what);
size_t __cleave_put_char(char *to, size_t room, size_t at, int c);
size_t __cleave_put_one(char *to, size_t room, size_t at, int c, int width, int flags);
size_t __cleave_put_string(char *to, size_t room, size_t at, const char *text, int width, int precision, int flags);
size_t __cleave_put_signed(char *to, size_t room, size_t at, long long number, int width, int precision, int flags);
size_t __cleave_put_unsigned(
    char *to, size_t room, size_t at, unsigned long long number, int base, int width, int precision, int flags);
size_t __cleave_put_any(char *to, size_t room, size_t at, size_t least, size_t most);
int __cleave_put_end(char *to, size_t room, size_t at);
int __cleave_printed(size_t at);
char *__cleave_put_room(char **to, size_t at);
int __cleave_put_into(char *made, size_t at);

static int __cleave_flag(char c) {
  return c == '-' ? LEFT : c == '+' ? PLUS : c == ' ' ? BLANK : c == '0' ? ZEROS : c == '#' ? MARKED : 0;
}

static const char *__cleave_length(const char *format, int *length) {
  *length = PLAIN;
  if (*format == 'h') {
    *length = *++format == 'h' ? (format++, SMALLEST) : SMALL;
  } else if (*format == 'l') {
    *length = *++format == 'l' ? (format++, LONGEST) : LONG;
  } else if (*format == 'q' || *format == 'j') {
    format++, *length = LONGEST;
  } else if (*format == 'z' || *format == 't') {
    format++, *length = LONG;
  } else if (*format == 'L') {
    format++, *length = FLOAT;
  }
  return format;
}

static size_t __cleave_put_all(char *to, size_t room, const char *format, list given) {
  size_t at = 0;
  while (*format != 0) {
    if (*format != '%') {
      at = __cleave_put_char(AT, *format++);
      continue;
    }
    int flags = 0, width = 0, precision = -1, length, flag;
    for (format++; (flag = __cleave_flag(*format)) != 0; format++)
      flags |= flag;
    if (*format == '*') {
      width = NEXT(int);
      format++;
    } else {
      for (; *format >= '0' && *format <= '9'; format++)
        width = 10 * width + (*format - '0');
    }
    if (*format == '.') {
      if (*++format == '*') {
        precision = NEXT(int);
        format++;
      } else {
        for (precision = 0; *format >= '0' && *format <= '9'; format++)
          precision = 10 * precision + (*format - '0');
      }
    }
    format = __cleave_length(format, &length);
    char kind = *format;
    if (kind == '%') {
      at = __cleave_put_char(AT, '%');
    } else if (kind == 'd' || kind == 'i') {
      long long number = length == LONGEST ? NEXT(long long) : length == LONG ? NEXT(long) : NEXT(int);
      number = length == SMALL ? (short)number : length == SMALLEST ? (signed char)number : number;
      at = __cleave_put_signed(AT, number, width, precision, flags);
    } else if (kind == 'u' || kind == 'x' || kind == 'X' || kind == 'o') {
      unsigned long long number =
          length == LONGEST ? NEXT(unsigned long long) : length == LONG ? NEXT(unsigned long) : NEXT(unsigned);
      number = length == SMALL ? (unsigned short)number : length == SMALLEST ? (byte)number : number;
      at = __cleave_put_unsigned(
          AT, number, kind == 'u' ? 10 : kind == 'o' ? 8 : 16, width, precision, kind == 'X' ? flags | CAPITAL : flags);
    } else if (kind == 'c' && length == PLAIN) {
      at = __cleave_put_one(AT, NEXT(int), width, flags);
    } else if (kind == 's' && length == PLAIN) {
      at = __cleave_put_string(AT, NEXT(const char *), width, precision, flags);
    } else if (kind == 'n') {
      if (length == PLAIN)
        *NEXT(int *) = (int)at;
      else if (length == LONG || length == LONGEST)
        *NEXT(long *) = (long)at;
      else
        __cleave_limit("vprintf does with %hn");
    } else if (kind == 'p') {
      NEXT(void *);
      at = __cleave_put_any(AT, 1, width > FLOAT_ROOM || width < 0 ? 0x7fffffff : FLOAT_ROOM);
    } else if (length != FLOAT && (kind == 'f' || kind == 'F' || kind == 'e' || kind == 'E' || kind == 'g' ||
                                   kind == 'G' || kind == 'a' || kind == 'A')) {
      NEXT(double);
      at = __cleave_put_any(AT, 1, width < 0 || width > 1000 || precision > 1000 ? 0x7fffffff : FLOAT_ROOM + 1000);
    } else {
      __cleave_limit("vprintf does with a format that is not modelled");
    }
    format++;
  }
  return at;
}

int vsnprintf(char *to, size_t room, const char *format, list given) {
  return __cleave_put_end(to, room, __cleave_put_all(to, room, format, given));
}

int vsprintf(char *to, const char *format, list given) { return vsnprintf(to, ~(size_t)0, format, given); }

int __vsnprintf_chk(char *to, size_t room, int how, size_t size, const char *format, list given) {
  return vsnprintf(to, room, format, given);
}

int __vsprintf_chk(char *to, int how, size_t size, const char *format, list given) {
  return vsprintf(to, format, given);
}

int vprintf(const char *format, list given) { return __cleave_printed(__cleave_put_all(0, 0, format, given)); }
int __vprintf_chk(int how, const char *format, list given) { return vprintf(format, given); }
int vdprintf(int file, const char *format, list given) { return vprintf(format, given); }

int vfprintf(FILE *file, const char *format, list given) {
  __cleave_reads(file, 1);
  return vprintf(format, given);
}

int __vfprintf_chk(FILE *file, int how, const char *format, list given) { return vfprintf(file, format, given); }

int vasprintf(char **to, const char *format, list given) {
  list again;
  __builtin_va_copy(again, given);
  size_t length = __cleave_put_all(0, 0, format, given);
  char *made = __cleave_put_room(to, length);
  if (made != 0)
    __cleave_put_all(made, length + 1, format, again);
  __builtin_va_end(again);
  return __cleave_put_into(made, length);
}
