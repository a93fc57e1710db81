/* A shell copies a command, looks at its first letter, and frees the copy.
 *
 * cleave verify examples/command.c --check lost-memory     unsafe: an unknown command loses its copy
 */
#include <stdlib.h>

extern char __VERIFIER_nondet_char(void);

static int run(char letter) {
  char *copy = malloc(2);
  if (!copy)
    return 1;
  copy[0] = letter;
  copy[1] = 0;
  if (copy[0] != 'g' && copy[0] != 's')
    return 2; /* should free the copy first */
  int moving = copy[0] == 'g';
  free(copy);
  return moving;
}

int main(void) {
  return run(__VERIFIER_nondet_char());
}
