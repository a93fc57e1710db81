/* Functions of <string.h> and <strings.h> as programs see them: linked where a program calls one that it does not define.
   Each is written for short proofs, not for speed. What C leaves open about a result, glibc decides. */

#include "model.h"

int tolower(int);
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);

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
  __cleave_apart(to, from, i, i);
  return to;
}

char *stpcpy(char *to, const char *from) {
  size_t i = 0;
  do
    to[i] = from[i];
  while (from[i++] != 0);
  __cleave_apart(to, from, i, i);
  return to + i - 1;
}

char *strncpy(char *to, const char *from, size_t limit) {
  size_t i = 0;
  for (; i < limit && from[i] != 0; i++)
    to[i] = from[i];
  __cleave_apart(to, from, i + (i < limit), i + (i < limit));
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
  __cleave_apart(to + end, from, i, i);
  return to;
}

char *strncat(char *to, const char *from, size_t limit) {
  size_t end = 0, i = 0;
  while (to[end] != 0)
    end++;
  for (; i < limit && from[i] != 0; i++)
    to[end + i] = from[i];
  __cleave_apart(to + end, from, i + 1, i + (i < limit));
  to[end + i] = 0;
  return to;
}

int strcmp(const char *a, const char *b) {
  size_t i = 0;
  while (a[i] != 0 && a[i] == b[i])
    i++;
  return (byte)a[i] - (byte)b[i];
}

int strncmp(const char *a, const char *b, size_t limit) {
  for (size_t i = 0; i < limit; i++) {
    if (a[i] != b[i])
      return (byte)a[i] - (byte)b[i];
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
  return made == 0 ? 0 : strcpy(made, text);
}

int memcmp(const void *a, const void *b, size_t size) {
  const byte *one = a, *other = b;
  __cleave_reads(a, size);
  __cleave_reads(b, size);
  for (size_t i = 0; i < size; i++)
    if (one[i] != other[i])
      return (int)one[i] - (int)other[i];
  return 0;
}

void *memchr(const void *memory, int wanted, size_t size) {
  const byte *bytes = memory;
  for (size_t i = 0; i < size; i++)
    if (bytes[i] == (byte)wanted)
      return (void *)(bytes + i);
  return 0;
}

/* --- what glibc and BSD have besides --- */

void *mempcpy(void *to, const void *from, size_t size) { return (char *)memcpy(to, from, size) + size; }
void *__mempcpy(void *to, const void *from, size_t size) { return (char *)memcpy(to, from, size) + size; }
void *__mempcpy_chk(void *to, const void *from, size_t size, size_t room) { return mempcpy(to, from, size); }
void bcopy(const void *from, void *to, size_t size) { memmove(to, from, size); }
int bcmp(const void *a, const void *b, size_t size) { return memcmp(a, b, size); }
void explicit_bzero(void *to, size_t size) { memset(to, 0, size); }
char *index(const char *text, int wanted) { return strchr(text, wanted); }
char *rindex(const char *text, int wanted) { return strrchr(text, wanted); }
char *__strdup(const char *text) { return strdup(text); }
char *__stpcpy(char *to, const char *from) { return stpcpy(to, from); }
char *__strcpy_chk(char *to, const char *from, size_t room) { return strcpy(to, from); }
char *__strcat_chk(char *to, const char *from, size_t room) { return strcat(to, from); }
char *__stpcpy_chk(char *to, const char *from, size_t room) { return stpcpy(to, from); }
char *__strncpy_chk(char *to, const char *from, size_t limit, size_t room) { return strncpy(to, from, limit); }
char *__strncat_chk(char *to, const char *from, size_t limit, size_t room) { return strncat(to, from, limit); }

void *memccpy(void *to, const void *from, int last, size_t size) {
  for (size_t i = 0; i < size; i++) {
    ((byte *)to)[i] = ((const byte *)from)[i];
    if (((const byte *)from)[i] == (byte)last) {
      __cleave_apart(to, from, i + 1, i + 1);
      return (byte *)to + i + 1;
    }
  }
  __cleave_apart(to, from, size, size);
  return 0;
}

void *memrchr(const void *memory, int wanted, size_t size) {
  const byte *bytes = memory;
  __cleave_reads(memory, size);
  for (size_t i = size; i > 0; i--)
    if (bytes[i - 1] == (byte)wanted)
      return (void *)(bytes + i - 1);
  return 0;
}

void *rawmemchr(const void *memory, int wanted) {
  const byte *bytes = memory;
  size_t i = 0;
  while (bytes[i] != (byte)wanted)
    i++;
  return (void *)(bytes + i);
}

void *memmem(const void *memory, size_t size, const void *wanted, size_t length) {
  const byte *bytes = memory, *part = wanted;
  __cleave_reads(memory, size);
  __cleave_reads(wanted, length);
  if (length == 0)
    return (void *)memory;
  for (size_t start = 0; start < size && length <= size - start; start++) {
    size_t i = 0;
    while (i < length && bytes[start + i] == part[i])
      i++;
    if (i == length)
      return (void *)(bytes + start);
  }
  return 0;
}

char *strchrnul(const char *text, int wanted) {
  while (*text != 0 && *text != (char)wanted)
    text++;
  return (char *)text;
}

char *stpncpy(char *to, const char *from, size_t limit) {
  size_t i = 0, end;
  for (; i < limit && from[i] != 0; i++)
    to[i] = from[i];
  end = i;
  __cleave_apart(to, from, i + (i < limit), i + (i < limit));
  for (; i < limit; i++)
    to[i] = 0;
  return to + end;
}

size_t strlcpy(char *to, const char *from, size_t room) {
  size_t i = 0;
  for (; from[i] != 0; i++)
    if (i + 1 < room)
      to[i] = from[i];
  if (room > 0)
    to[i < room ? i : room - 1] = 0;
  return i;
}

size_t strlcat(char *to, const char *from, size_t room) {
  size_t end = strnlen(to, room);
  return end + strlcpy(to + end, from, room - end);
}

char *strndup(const char *text, size_t limit) {
  size_t length = strnlen(text, limit);
  char *copy = malloc(length + 1);
  if (copy == 0)
    return 0;
  for (size_t i = 0; i < length; i++)
    copy[i] = text[i];
  copy[length] = 0;
  return copy;
}

int strncasecmp(const char *one, const char *other, size_t limit) {
  for (size_t i = 0; i < limit; i++) {
    int a = tolower((byte)one[i]), b = tolower((byte)other[i]);
    if (a != b || a == 0)
      return a - b;
  }
  return 0;
}

int strcasecmp(const char *one, const char *other) { return strncasecmp(one, other, ~(size_t)0); }

char *strcasestr(const char *text, const char *wanted) {
  for (;; text++) {
    size_t i = 0;
    while (wanted[i] != 0 && tolower((byte)text[i]) == tolower((byte)wanted[i]))
      i++;
    if (wanted[i] == 0)
      return (char *)text;
    if (*text == 0)
      return 0;
  }
}

/* In the C locale. */
int strcoll(const char *one, const char *other) { return strcmp(one, other); }

size_t strxfrm(char *to, const char *from, size_t room) {
  size_t length = strlen(from);
  if (length < room)
    strcpy(to, from);
  else
    for (size_t i = 0; i < room; i++)
      to[i] = from[i];
  return length;
}

void swab(const void *from, void *to, ssize_t size) {
  const char *source = from;
  for (ssize_t i = 0; i + 1 < size; i += 2) {
    char first = source[i], second = source[i + 1];
    ((char *)to)[i] = second;
    ((char *)to)[i + 1] = first;
  }
}

static char __cleave_reason[64];

char *strerror(int number) {
  size_t length = __cleave_doubt_size("strerror");
  __VERIFIER_assume(length < sizeof __cleave_reason);
  for (size_t i = 0; i < length; i++) {
    __cleave_reason[i] = __cleave_doubt_char("strerror");
    __VERIFIER_assume(__cleave_reason[i] != 0);
  }
  __cleave_reason[length] = 0;
  return __cleave_reason;
}

char *strsignal(int number) { return strerror(number); }

/* --- taking strings apart --- */

char *strtok_r(char *text, const char *separators, char **rest) {
  if (text == 0)
    text = *rest;
  if (text == 0)
    return 0;
  text += strspn(text, separators);
  if (*text == 0) {
    *rest = text;
    return 0;
  }
  char *end = text + strcspn(text, separators);
  if (*end != 0)
    *end++ = 0;
  *rest = end;
  return text;
}

static char *__cleave_shared_rest;

char *strtok(char *text, const char *separators) { return strtok_r(text, separators, &__cleave_shared_rest); }
char *__strtok_r(char *text, const char *separators, char **rest) { return strtok_r(text, separators, rest); }

char *strsep(char **text, const char *separators) {
  char *start = *text;
  if (start == 0)
    return 0;
  char *end = start + strcspn(start, separators);
  *text = *end == 0 ? 0 : end + 1;
  *end = 0;
  return start;
}
