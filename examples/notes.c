/* A note is written again and again, and only the last one is torn up.
 *
 * cleave verify examples/notes.c --check leaks       unsafe: the first note is never freed
 */
#include <stdlib.h>

int main(void) {
  char *note = NULL;
  for (int page = 0; page < 2; page++)
    note = malloc(16);
  free(note);
}
