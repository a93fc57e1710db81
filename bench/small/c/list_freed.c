// A list of two nodes: both are freed.
#include <stdlib.h>
struct node { struct node *next; int value; };
int main(void) {
  struct node *first = malloc(sizeof *first), *second = malloc(sizeof *second);
  free(second);
  free(first);
  return 0;
}
