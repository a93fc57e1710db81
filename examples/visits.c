/* Two doors count visitors in one number, and nobody holds the pencil.
 *
 * cleave verify examples/visits.c --check data-race  unsafe: two threads write at the same time
 */
#include <pthread.h>

int visitors;

void *door(void *unused) {
  visitors++;
  return NULL;
}

int main(void) {
  pthread_t left, right;
  pthread_create(&left, NULL, door, NULL);
  pthread_create(&right, NULL, door, NULL);
  pthread_join(left, NULL);
  pthread_join(right, NULL);
}
