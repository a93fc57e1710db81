// Two threads count under a lock.
#include <assert.h>
#include <pthread.h>
int counter;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *count(void *_) { pthread_mutex_lock(&lock); counter++; pthread_mutex_unlock(&lock); return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, count, 0);
  pthread_create(&b, 0, count, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(counter == 2);
  return 0;
}
