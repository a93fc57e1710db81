// Two locks in one order.
#include <pthread.h>
pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
void *forth(void *_) {
  pthread_mutex_lock(&first); pthread_mutex_lock(&second);
  pthread_mutex_unlock(&second); pthread_mutex_unlock(&first);
  return 0;
}
int main(void) {
  pthread_t other;
  pthread_create(&other, 0, forth, 0);
  pthread_mutex_lock(&first); pthread_mutex_lock(&second);
  pthread_mutex_unlock(&second); pthread_mutex_unlock(&first);
  pthread_join(other, 0);
  return 0;
}
