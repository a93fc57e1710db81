// Each access has the lock, but not the update as a whole.
#include <assert.h>
#include <pthread.h>
int counter;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *count(void *_) {
  pthread_mutex_lock(&lock);
  int seen = counter;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  counter = seen + 1;
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, count, 0);
  pthread_create(&b, 0, count, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(counter == 2);
  return 0;
}
