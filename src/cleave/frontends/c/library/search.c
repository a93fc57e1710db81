/* Sorting, searching, and taking strings apart: functions of <stdlib.h> and <string.h>, written for short proofs. */

typedef __SIZE_TYPE__ size_t;
typedef int comparison(const void *, const void *);

void *malloc(size_t);
size_t strspn(const char *, const char *);
size_t strcspn(const char *, const char *);
size_t strnlen(const char *, size_t);
int tolower(int);

void qsort(void *base, size_t count, size_t size, comparison *compare) {
  char *start = base;
  for (size_t i = 1; i < count; i++)
    for (size_t j = i; j > 0; j--) {
      char *one = start + (j - 1) * size, *other = start + j * size;
      if (compare(one, other) <= 0)
        break;
      for (size_t k = 0; k < size; k++) {
        char kept = one[k];
        one[k] = other[k];
        other[k] = kept;
      }
    }
}

void *bsearch(const void *key, const void *base, size_t count, size_t size, comparison *compare) {
  const char *start = base;
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = compare(key, start + middle * size);
    if (order == 0)
      return (void *)(start + middle * size);
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return 0;
}

char *strtok_r(char *text, const char *separators, char **rest) {
  if (text == 0)
    text = *rest;
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

static char *__cleave_rest;

char *strtok(char *text, const char *separators) { return strtok_r(text, separators, &__cleave_rest); }

char *strsep(char **text, const char *separators) {
  char *start = *text;
  if (start == 0)
    return 0;
  char *end = start + strcspn(start, separators);
  *text = *end == 0 ? 0 : end + 1;
  *end = 0;
  return start;
}

char *strndup(const char *text, size_t limit) {
  size_t length = strnlen(text, limit);
  char *copy = malloc(length + 1);
  for (size_t i = 0; i < length; i++)
    copy[i] = text[i];
  copy[length] = 0;
  return copy;
}

int strncasecmp(const char *one, const char *other, size_t limit) {
  for (size_t i = 0; i < limit; i++) {
    int a = tolower((unsigned char)one[i]), b = tolower((unsigned char)other[i]);
    if (a != b || a == 0)
      return a - b;
  }
  return 0;
}

int strcasecmp(const char *one, const char *other) { return strncasecmp(one, other, ~(size_t)0); }

int ffs(int number) {
  for (int i = 0; i < 32; i++)
    if (number >> i & 1)
      return i + 1;
  return 0;
}
