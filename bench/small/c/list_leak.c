// A list of two nodes: only the first is freed.
#include <stdlib.h>
struct node { struct node *next; int value; };
int main(void) {
  struct node *first = malloc(sizeof *first), *second = malloc(sizeof *second);
  if (first && second) { first->next = second; second->next = 0; }
  free(first);
  return 0;
}
