// The last pointer to a block is overwritten.
#include <stdlib.h>
int main(void) {
  char *block = malloc(4);
  block = malloc(8);
  free(block);
  return 0;
}
