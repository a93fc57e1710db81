// Two threads count without a lock.
#include <pthread.h>
int counter;
void *count(void *_) { counter++; return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, count, 0);
  pthread_create(&b, 0, count, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
