/* Functions of <string.h>, <strings.h>, <ctype.h> and <stdlib.h> as programs see them: linked where a program calls one
   that it does not define. Each is written for short proofs, not for speed. */

typedef __SIZE_TYPE__ size_t;

void *malloc(size_t);

size_t strlen(const char *text) {
  size_t length = 0;
  while (text[length] != 0)
    length++;
  return length;
}

size_t strnlen(const char *text, size_t limit) {
  size_t length = 0;
  while (length < limit && text[length] != 0)
    length++;
  return length;
}

char *strcpy(char *to, const char *from) {
  size_t i = 0;
  do
    to[i] = from[i];
  while (from[i++] != 0);
  return to;
}

char *stpcpy(char *to, const char *from) {
  while ((*to = *from) != 0) {
    to++;
    from++;
  }
  return to;
}

char *strncpy(char *to, const char *from, size_t limit) {
  size_t i = 0;
  for (; i < limit && from[i] != 0; i++)
    to[i] = from[i];
  for (; i < limit; i++)
    to[i] = 0;
  return to;
}

char *strcat(char *to, const char *from) {
  size_t end = 0, i = 0;
  while (to[end] != 0)
    end++;
  do
    to[end + i] = from[i];
  while (from[i++] != 0);
  return to;
}

char *strncat(char *to, const char *from, size_t limit) {
  size_t end = 0, i = 0;
  while (to[end] != 0)
    end++;
  for (; i < limit && from[i] != 0; i++)
    to[end + i] = from[i];
  to[end + i] = 0;
  return to;
}

int strcmp(const char *a, const char *b) {
  size_t i = 0;
  while (a[i] != 0 && a[i] == b[i])
    i++;
  return (int)(unsigned char)a[i] - (int)(unsigned char)b[i];
}

int strncmp(const char *a, const char *b, size_t limit) {
  for (size_t i = 0; i < limit; i++) {
    if (a[i] != b[i])
      return (int)(unsigned char)a[i] - (int)(unsigned char)b[i];
    if (a[i] == 0)
      return 0;
  }
  return 0;
}

char *strchr(const char *text, int wanted) {
  for (;; text++) {
    if (*text == (char)wanted)
      return (char *)text;
    if (*text == 0)
      return 0;
  }
}

char *strrchr(const char *text, int wanted) {
  char *found = 0;
  for (;; text++) {
    if (*text == (char)wanted)
      found = (char *)text;
    if (*text == 0)
      return found;
  }
}

size_t strspn(const char *text, const char *accepted) {
  size_t length = 0;
  for (; text[length] != 0; length++) {
    const char *each = accepted;
    while (*each != 0 && *each != text[length])
      each++;
    if (*each == 0)
      return length;
  }
  return length;
}

size_t strcspn(const char *text, const char *rejected) {
  size_t length = 0;
  for (; text[length] != 0; length++) {
    const char *each = rejected;
    while (*each != 0 && *each != text[length])
      each++;
    if (*each != 0)
      return length;
  }
  return length;
}

char *strpbrk(const char *text, const char *wanted) {
  text += strcspn(text, wanted);
  return *text != 0 ? (char *)text : 0;
}

char *strstr(const char *text, const char *wanted) {
  for (;; text++) {
    size_t i = 0;
    while (wanted[i] != 0 && text[i] == wanted[i])
      i++;
    if (wanted[i] == 0)
      return (char *)text;
    if (*text == 0)
      return 0;
  }
}

char *strdup(const char *text) {
  char *made = malloc(strlen(text) + 1);
  return strcpy(made, text);
}

int memcmp(const void *a, const void *b, size_t size) {
  const unsigned char *one = a, *other = b;
  for (size_t i = 0; i < size; i++)
    if (one[i] != other[i])
      return (int)one[i] - (int)other[i];
  return 0;
}

void *memchr(const void *memory, int wanted, size_t size) {
  const unsigned char *bytes = memory;
  for (size_t i = 0; i < size; i++)
    if (bytes[i] == (unsigned char)wanted)
      return (void *)(bytes + i);
  return 0;
}

int abs(int number) { return number < 0 ? -number : number; }
long labs(long number) { return number < 0 ? -number : number; }
long long llabs(long long number) { return number < 0 ? -number : number; }

int isdigit(int c) { return c >= '0' && c <= '9'; }
int islower(int c) { return c >= 'a' && c <= 'z'; }
int isupper(int c) { return c >= 'A' && c <= 'Z'; }
int isalpha(int c) { return islower(c) || isupper(c); }
int isalnum(int c) { return isalpha(c) || isdigit(c); }
int isspace(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
int tolower(int c) { return isupper(c) ? c - 'A' + 'a' : c; }
int toupper(int c) { return islower(c) ? c - 'a' + 'A' : c; }

/* What does not fit is undefined: the nearest number, here. */
int atoi(const char *text) {
  unsigned long long number = 0, most = 0x7fffffff;
  int negative = 0;
  while (isspace(*text))
    text++;
  if (*text == '-' || *text == '+')
    negative = *text++ == '-';
  most += (unsigned)negative;
  for (; isdigit(*text); text++)
    if (number <= most)
      number = number * 10 + (unsigned)(*text - '0');
  if (number > most)
    number = most;
  return negative ? (int)-number : (int)number;
}

#if __SIZEOF_LONG__ == 8
typedef unsigned __int128 __cleave_wide;
#else
typedef unsigned long long __cleave_wide;
#endif

static int __cleave_digit(char c) {
  return isdigit(c) ? c - '0' : isalpha(c) ? toupper(c) - 'A' + 10 : 99;
}

/* The number without its sign, at most ``most``, and one more if it is negative and ``more``. */
static unsigned long __cleave_number(
    const char *text, char **end, int base, __cleave_wide most, int more, int *negative) {
  __cleave_wide number = 0;
  const char *start = text;
  while (isspace(*text))
    text++;
  *negative = 0;
  if (*text == '-' || *text == '+')
    *negative = *text++ == '-';
  if (more && *negative)
    most++;
  if ((base == 0 || base == 16) && text[0] == '0' && toupper(text[1]) == 'X' && __cleave_digit(text[2]) < 16) {
    text += 2;
    base = 16;
  } else if (base == 0) {
    base = *text == '0' ? 8 : 10;
  }
  for (;; text++) {
    int digit = __cleave_digit(*text);
    if (digit >= base)
      break;
    if (number <= most)
      number = number * (unsigned)base + (unsigned)digit;
    start = text + 1;
  }
  if (end != 0)
    *end = (char *)start;
  if (number > most && !more)
    *negative = 0;
  return (unsigned long)(number > most ? most : number);
}

long strtol(const char *text, char **end, int base) {
  int negative;
  unsigned long number = __cleave_number(text, end, base, ~0UL >> 1, 1, &negative);
  return negative ? (long)-number : (long)number;
}

unsigned long strtoul(const char *text, char **end, int base) {
  int negative;
  unsigned long number = __cleave_number(text, end, base, ~0UL, 0, &negative);
  return negative ? -number : number;
}

long atol(const char *text) { return strtol(text, 0, 10); }
