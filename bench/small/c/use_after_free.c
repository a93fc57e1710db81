// A value is read after its memory was freed.
#include <stdlib.h>
int main(void) {
  int *cell = malloc(sizeof *cell);
  if (!cell) return 0;
  *cell = 7;
  free(cell);
  return *cell;
}
