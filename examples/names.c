/* A name is copied into a box with eight places. The one that ends it needs a place, too.
 *
 * cleave verify examples/names.c                     unsafe: memory, one byte behind the box
 */
#include <string.h>

int main(void) {
  char box[8];
  const char *name = "Margaret";
  for (unsigned i = 0; i <= strlen(name); i++)
    box[i] = name[i];
  return box[0];
}
