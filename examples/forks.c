/* Two philosophers, two forks, and each begins with the fork on their left.
 *
 * cleave verify examples/forks.c --check deadlock    unsafe: each holds the fork that the other one waits for
 */
#include <pthread.h>

pthread_mutex_t forks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void eat(int left, int right) {
  pthread_mutex_lock(&forks[left]);
  pthread_mutex_lock(&forks[right]);
  pthread_mutex_unlock(&forks[right]);
  pthread_mutex_unlock(&forks[left]);
}

void *guest(void *unused) {
  eat(1, 0);
  return NULL;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, guest, NULL);
  eat(0, 1);
  pthread_join(other, NULL);
}
