/* <wchar.h> and <wctype.h> in the C locale, where the characters above 127 are no characters. */

#include "model.h"

typedef int wide_char;

int isalnum(int);
int isalpha(int);
int isblank(int);
int iscntrl(int);
int isdigit(int);
int isgraph(int);
int islower(int);
int isprint(int);
int ispunct(int);
int isspace(int);
int isupper(int);
int isxdigit(int);
int tolower(int);
int toupper(int);
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);

size_t wcslen(const wide_char *text) {
  size_t length = 0;
  while (text[length] != 0)
    length++;
  return length;
}

size_t wcsnlen(const wide_char *text, size_t limit) {
  size_t length = 0;
  while (length < limit && text[length] != 0)
    length++;
  return length;
}

wide_char *wcscpy(wide_char *to, const wide_char *from) {
  size_t i = 0;
  do
    to[i] = from[i];
  while (from[i++] != 0);
  return to;
}

wide_char *wcpcpy(wide_char *to, const wide_char *from) {
  while ((*to = *from) != 0) {
    to++;
    from++;
  }
  return to;
}

wide_char *wcpncpy(wide_char *to, const wide_char *from, size_t limit) {
  size_t i = 0, end;
  for (; i < limit && from[i] != 0; i++)
    to[i] = from[i];
  end = i;
  for (; i < limit; i++)
    to[i] = 0;
  return to + end;
}

wide_char *wcsncpy(wide_char *to, const wide_char *from, size_t limit) {
  wcpncpy(to, from, limit);
  return to;
}

wide_char *wcscat(wide_char *to, const wide_char *from) {
  wcscpy(to + wcslen(to), from);
  return to;
}

wide_char *wcsncat(wide_char *to, const wide_char *from, size_t limit) {
  size_t end = wcslen(to), i = 0;
  for (; i < limit && from[i] != 0; i++)
    to[end + i] = from[i];
  to[end + i] = 0;
  return to;
}

int wcsncmp(const wide_char *a, const wide_char *b, size_t limit) {
  for (size_t i = 0; i < limit; i++) {
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
    if (a[i] == 0)
      return 0;
  }
  return 0;
}

int wcscmp(const wide_char *a, const wide_char *b) { return wcsncmp(a, b, ~(size_t)0); }
int wcscoll(const wide_char *a, const wide_char *b) { return wcsncmp(a, b, ~(size_t)0); }

wide_char *wcschr(const wide_char *text, wide_char wanted) {
  for (;; text++) {
    if (*text == wanted)
      return (wide_char *)text;
    if (*text == 0)
      return 0;
  }
}

wide_char *wcsrchr(const wide_char *text, wide_char wanted) {
  wide_char *found = 0;
  for (;; text++) {
    if (*text == wanted)
      found = (wide_char *)text;
    if (*text == 0)
      return found;
  }
}

static size_t __cleave_span(const wide_char *text, const wide_char *set, _Bool in) {
  size_t length = 0;
  for (; text[length] != 0; length++) {
    const wide_char *each = set;
    while (*each != 0 && *each != text[length])
      each++;
    if ((*each != 0) != in)
      break;
  }
  return length;
}

size_t wcsspn(const wide_char *text, const wide_char *accepted) { return __cleave_span(text, accepted, 1); }
size_t wcscspn(const wide_char *text, const wide_char *rejected) { return __cleave_span(text, rejected, 0); }

wide_char *wcspbrk(const wide_char *text, const wide_char *wanted) {
  text += wcscspn(text, wanted);
  return *text != 0 ? (wide_char *)text : 0;
}

wide_char *wcsstr(const wide_char *text, const wide_char *wanted) {
  for (;; text++) {
    size_t i = 0;
    while (wanted[i] != 0 && text[i] == wanted[i])
      i++;
    if (wanted[i] == 0)
      return (wide_char *)text;
    if (*text == 0)
      return 0;
  }
}

wide_char *wcstok(wide_char *text, const wide_char *separators, wide_char **rest) {
  if (text == 0)
    text = *rest;
  if (text == 0)
    return 0;
  text += wcsspn(text, separators);
  if (*text == 0) {
    *rest = 0;
    return 0;
  }
  wide_char *end = text + wcscspn(text, separators);
  *rest = *end == 0 ? 0 : end + 1;
  *end = 0;
  return text;
}

wide_char *wcsdup(const wide_char *text) {
  wide_char *made = malloc((wcslen(text) + 1) * sizeof *text);
  return made == 0 ? 0 : wcscpy(made, text);
}

wide_char *wmemcpy(wide_char *to, const wide_char *from, size_t count) { return memcpy(to, from, count * sizeof *to); }
wide_char *wmemmove(wide_char *to, const wide_char *from, size_t count) { return memmove(to, from, count * sizeof *to); }
wide_char *wmempcpy(wide_char *to, const wide_char *from, size_t count) { return wmemcpy(to, from, count) + count; }

wide_char *wmemset(wide_char *to, wide_char with, size_t count) {
  for (size_t i = 0; i < count; i++)
    to[i] = with;
  return to;
}

int wmemcmp(const wide_char *a, const wide_char *b, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}

wide_char *wmemchr(const wide_char *memory, wide_char wanted, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (memory[i] == wanted)
      return (wide_char *)memory + i;
  return 0;
}

/* --- classes --- */

#define CLASS(NAME, OF)                                                                                                \
  int NAME(unsigned c) { return c < 128 && OF((int)c) ? 1 : 0; }

CLASS(iswalnum, isalnum)
CLASS(iswalpha, isalpha)
CLASS(iswblank, isblank)
CLASS(iswcntrl, iscntrl)
CLASS(iswdigit, isdigit)
CLASS(iswgraph, isgraph)
CLASS(iswlower, islower)
CLASS(iswprint, isprint)
CLASS(iswpunct, ispunct)
CLASS(iswspace, isspace)
CLASS(iswupper, isupper)
CLASS(iswxdigit, isxdigit)

unsigned towlower(unsigned c) { return c < 128 ? (unsigned)tolower((int)c) : c; }
unsigned towupper(unsigned c) { return c < 128 ? (unsigned)toupper((int)c) : c; }

/* --- bytes --- */

int btowc(int c) { return c >= 0 && c < 128 ? c : -1; }
int wctob(unsigned c) { return c < 128 ? (int)c : -1; }

int mbtowc(wide_char *to, const char *from, size_t limit) {
  if (from == 0)
    return 0;
  if (limit == 0)
    return -1;
  if ((byte)*from >= 128) {
    ERRNO = BAD_TEXT;
    return -1;
  }
  if (to != 0)
    *to = *from;
  return *from != 0;
}

int mblen(const char *from, size_t limit) { return mbtowc(0, from, limit); }

int wctomb(char *to, wide_char c) {
  if (to == 0)
    return 0;
  if (c < 0 || c >= 128) {
    ERRNO = BAD_TEXT;
    return -1;
  }
  *to = (char)c;
  return 1;
}

size_t mbstowcs(wide_char *to, const char *from, size_t limit) {
  size_t i = 0;
  for (; to == 0 || i < limit; i++) {
    if ((byte)from[i] >= 128) {
      ERRNO = BAD_TEXT;
      return (size_t)-1;
    }
    if (to != 0)
      to[i] = from[i];
    if (from[i] == 0)
      break;
  }
  return i;
}

size_t wcstombs(char *to, const wide_char *from, size_t limit) {
  size_t i = 0;
  for (; to == 0 || i < limit; i++) {
    if (from[i] < 0 || from[i] >= 128) {
      ERRNO = BAD_TEXT;
      return (size_t)-1;
    }
    if (to != 0)
      to[i] = (char)from[i];
    if (from[i] == 0)
      break;
  }
  return i;
}
