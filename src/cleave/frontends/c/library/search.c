/* Sorting and searching: functions of <stdlib.h> and <search.h>, written for short proofs. */

#include "model.h"

typedef int comparison(const void *, const void *);
typedef int comparison_with(const void *, const void *, void *);

static void __cleave_swap(char *one, char *other, size_t size) {
  for (size_t k = 0; k < size; k++) {
    char kept = one[k];
    one[k] = other[k];
    other[k] = kept;
  }
}

/* In which order elements come that are equal, C leaves open. */
void qsort(void *base, size_t count, size_t size, comparison *compare) {
  char *start = base;
  for (size_t i = 1; i < count; i++)
    for (size_t j = i; j > 0; j--) {
      char *one = start + (j - 1) * size, *other = start + j * size;
      int order = compare(one, other);
      if (order < 0 || (order == 0 && __VERIFIER_nondet_bool()))
        break;
      __cleave_swap(one, other, size);
    }
}

void qsort_r(void *base, size_t count, size_t size, comparison_with *compare, void *with) {
  char *start = base;
  for (size_t i = 1; i < count; i++)
    for (size_t j = i; j > 0; j--) {
      char *one = start + (j - 1) * size, *other = start + j * size;
      int order = compare(one, other, with);
      if (order < 0 || (order == 0 && __VERIFIER_nondet_bool()))
        break;
      __cleave_swap(one, other, size);
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

void *lfind(const void *key, const void *base, size_t *count, size_t size, comparison *compare) {
  const char *start = base;
  for (size_t i = 0; i < *count; i++)
    if (compare(key, start + i * size) == 0)
      return (void *)(start + i * size);
  return 0;
}
