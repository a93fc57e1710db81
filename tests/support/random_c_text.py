"""Random C programs about strings: what they compute with the functions below is what they compute with Cleave's."""

from __future__ import annotations

import random

from support.c_runtime import EPILOGUE, PROLOGUE

_ROOM = 24

# Without EXPECTED, the program brings its own functions: written otherwise than Cleave's.
_FUNCTIONS = r"""
size_t strlen(const char *); size_t strnlen(const char *, size_t);
char *strcpy(char *, const char *); char *strncpy(char *, const char *, size_t); char *stpcpy(char *, const char *);
char *strcat(char *, const char *); char *strncat(char *, const char *, size_t); char *strdup(const char *);
int strcmp(const char *, const char *); int strncmp(const char *, const char *, size_t);
int memcmp(const void *, const void *, size_t); void *memchr(const void *, int, size_t);
char *strchr(const char *, int); char *strrchr(const char *, int); char *strstr(const char *, const char *);
size_t strspn(const char *, const char *); size_t strcspn(const char *, const char *);
char *strpbrk(const char *, const char *); char *strtok(char *, const char *);
int atoi(const char *); long strtol(const char *, char **, int); unsigned long strtoul(const char *, char **, int);
int isdigit(int); int isalpha(int); int isspace(int); int toupper(int); int tolower(int);
#ifndef EXPECTED
size_t strnlen(const char *s, size_t n) { return n && *s ? 1 + strnlen(s + 1, n - 1) : 0; }
size_t strlen(const char *s) { return strnlen(s, ~(size_t)0); }
char *strcpy(char *d, const char *s) { return memcpy(d, s, strlen(s) + 1); }
char *stpcpy(char *d, const char *s) { return strcpy(d, s) + strlen(s); }
char *strncpy(char *d, const char *s, size_t n) { return memcpy(memset(d, 0, n), s, strnlen(s, n)); }
char *strncat(char *d, const char *s, size_t n) {
  char *end = d + strlen(d); memcpy(end, s, strnlen(s, n)); end[strnlen(s, n)] = 0; return d; }
char *strcat(char *d, const char *s) { return strncat(d, s, strlen(s)); }
char *strdup(const char *s) { return strcpy(malloc(strlen(s) + 1), s); }
int memcmp(const void *a, const void *b, size_t n) {
  const unsigned char *p = a, *q = b;
  return n == 0 ? 0 : *p != *q ? (*p > *q) - (*p < *q) : memcmp(p + 1, q + 1, n - 1); }
int strncmp(const char *a, const char *b, size_t n) {
  size_t x = strnlen(a, n), y = strnlen(b, n); int r = memcmp(a, b, x < y ? x : y); return r ? r : (x > y) - (x < y); }
int strcmp(const char *a, const char *b) { return strncmp(a, b, ~(size_t)0); }
void *memchr(const void *m, int c, size_t n) {
  return n == 0 ? 0 : *(const char *)m == (char)c ? (void *)m : memchr((const char *)m + 1, c, n - 1); }
char *strchr(const char *s, int c) { return memchr(s, c, strlen(s) + 1); }
char *strrchr(const char *s, int c) {
  for (const char *p = s + strlen(s); ; p--) { if (*p == (char)c) return (char *)p; if (p == s) return 0; } }
char *strstr(const char *s, const char *w) {
  return strncmp(s, w, strlen(w)) == 0 ? (char *)s : *s ? strstr(s + 1, w) : 0; }
size_t strspn(const char *s, const char *w) { return *s && strchr(w, *s) ? 1 + strspn(s + 1, w) : 0; }
size_t strcspn(const char *s, const char *w) { return *s && !strchr(w, *s) ? 1 + strcspn(s + 1, w) : 0; }
char *strpbrk(const char *s, const char *w) { s += strcspn(s, w); return *s ? (char *)s : 0; }
char *strtok(char *s, const char *w) {
  static char *rest; if (s) rest = s; rest += strspn(rest, w); if (!*rest) return 0;
  s = rest; rest += strcspn(rest, w); if (*rest) *rest++ = 0; return s; }
int isdigit(int c) { return (unsigned)c - '0' < 10; }
int isalpha(int c) { return (unsigned)(c | 32) - 'a' < 26; }
int isspace(int c) { return c != 0 && strchr(" \t\n\v\f\r", c) != 0; }
int toupper(int c) { return isalpha(c) && c > 'Z' ? c - 32 : c; }
int tolower(int c) { return isalpha(c) && c < 'a' ? c + 32 : c; }
static int digit(int c, int base) {
  int d = isdigit(c) ? c - '0' : isalpha(c) ? tolower(c) - 'a' + 10 : 99; return d < base ? d : -1; }
long strtol(const char *s, char **end, int base) {
  const char *at = s; while (isspace(*at)) at++;
  int sign = *at == '-' ? -1 : 1; if (*at == '-' || *at == '+') at++;
  if ((base == 0 || base == 16) && *at == '0' && tolower(at[1]) == 'x' && digit(at[2], 16) >= 0) { base = 16; at += 2; }
  if (base == 0) base = *at == '0' ? 8 : 10;
  if (digit(*at, base) < 0) { if (end) *end = (char *)s; return 0; }
  unsigned long sum = 0, most = (~0UL >> 1) + (sign < 0); int over = 0;
  for (; digit(*at, base) >= 0; at++) {
    if (sum > (most - digit(*at, base)) / base) over = 1;
    sum = sum * base + digit(*at, base); }
  if (end) *end = (char *)at;
  return over ? most : sign * sum; }
unsigned long strtoul(const char *s, char **end, int base) { return strtol(s, end, base); }
int atoi(const char *s) { return strtol(s, 0, 10); }
#endif
static int sign(int x) { return (x > 0) - (x < 0); }
static int where(const void *p, const void *base) { return p ? (int)((const char *)p - (const char *)base) : -1; }
"""


def text_program(seed: int) -> str:
    return _Texts(random.Random(seed)).program()


class _Texts:
    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self._buffers = [f"b{number}" for number in range(4)]

    def program(self) -> str:
        outside, inside = [], []
        for name in self._buffers:
            place, text = self._dice.randrange(3), self._literal()
            if place == 0:
                outside.append(f"static char {name}[{_ROOM}] = {text};")
            elif place == 1:
                inside.append(f"  char {name}[{_ROOM}] = {text};\n")
            else:
                inside.append(f"  char *{name} = calloc(1, {_ROOM}); strcpy({name}, {text});\n")
        body = [self._operation() for _ in range(self._dice.randint(5, 9))]
        notes = [f"  for (int i = 0; {name}[i]; i++) note({name}[i]);\n" for name in self._buffers]
        head = [PROLOGUE, _FUNCTIONS, *outside, "int main(void) {\n  size_t n; char *p;"]
        return "\n".join([*head, "".join((*inside, *body, *notes)) + EPILOGUE])

    def _literal(self) -> str:
        letters = self._dice.choice(("ab", "ab, ", "a1 -", "0123456789", "xX0f"))
        return '"' + "".join(self._dice.choice(letters) for _ in range(self._dice.randint(0, 9))) + '"'

    def _text(self) -> str:
        return self._dice.choice((*self._buffers, self._literal()))

    def _letter(self) -> str:
        return self._dice.choice(("'a'", "'b'", "' '", "0", "'1'", "256 + 'a'", "200"))

    def _operation(self) -> str:
        dice = self._dice
        to = dice.choice(self._buffers)
        source = dice.choice([name for name in (*self._buffers, self._literal()) if name != to])
        one, other = self._text(), self._text()
        size, base = dice.randrange(12), dice.choice((0, 2, 8, 10, 16, 36))
        length = f"n = {size}; " if dice.random() < 0.5 else ""
        many = "n" if length else str(size)
        fits = f"  if (strlen({to}) + strlen({source}) < {_ROOM}) "
        return dice.choice(
            (
                f"  strcpy({to}, {source});\n",
                f"  note(where(stpcpy({to}, {source}), {to}));\n",
                f"  {length}strncpy({to}, {source}, {many}); {to}[{_ROOM - 1}] = 0;\n",
                f"{fits}strcat({to}, {source});\n",
                f"{fits}strncat({to}, {source}, {size});\n",
                f"  note(strlen({one}));\n",
                f"  note(sign(strcmp({one}, {other})));\n",
                f"  note(sign(strncmp({one}, {other}, {size})));\n",
                f"  note(sign(memcmp({to}, {source}, strlen({source}) < {size} ? strlen({source}) : {size})));\n",
                f"  note(where(strchr({to}, {self._letter()}), {to}));\n",
                f"  note(where(strrchr({to}, {self._letter()}), {to}));\n",
                f"  note(where(memchr({to}, {self._letter()}, {size}), {to}));\n",
                f"  note(where(strstr({to}, {other}), {to})); note(where(strpbrk({to}, {other}), {to}));\n",
                f"  note(strspn({one}, {other})); note(strcspn({one}, {other}));\n",
                f"  for (p = strtok({to}, {source}); p; p = strtok(0, {source})) note(where(p, {to}));\n",
                f"  p = strdup({one}); if (*p) *p = {self._letter()}; note(*p + strlen(p));\n",
                f"  note(atoi({one}));\n",
                f"  note(strtol({to}, &p, {base})); note(where(p, {to}));\n",
                f"  {length}memmove({to} + 1, {to}, {many}); {to}[{_ROOM - 1}] = 0;\n",
                f"  for (p = {to}; *p; p++) *p = {dice.choice(('toupper', 'tolower'))}(*p) ^ (isdigit(*p) << 1);\n",
                f"  {{ char *l = {to}, *r = l + strlen(l); while (l < r) {{ char c = *l; *l++ = *--r; *r = c; }} }}\n",
            )
        )
