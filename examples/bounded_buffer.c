/* Two producers and a consumer share a buffer with one place. A producer waits for room; the consumer makes room and
   signals; and before the producer has the lock again, the other producer, which never waited, may have filled the
   place. The `if` in put() does not look again: `while` repairs it. */

#include <assert.h>
#include <pthread.h>

static int item, full;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t room = PTHREAD_COND_INITIALIZER;
static pthread_cond_t something = PTHREAD_COND_INITIALIZER;

static void put(int value) {
  pthread_mutex_lock(&lock);
  if (full)
    pthread_cond_wait(&room, &lock);
  assert(!full); /* nothing is overwritten */
  item = value;
  full = 1;
  pthread_cond_signal(&something);
  pthread_mutex_unlock(&lock);
}

static int take(void) {
  pthread_mutex_lock(&lock);
  while (!full)
    pthread_cond_wait(&something, &lock);
  int value = item;
  full = 0;
  pthread_cond_signal(&room);
  pthread_mutex_unlock(&lock);
  return value;
}

static void *produce(void *value) {
  put(*(int *)value);
  return 0;
}

int main(void) {
  static int values[2] = {1, 2};
  pthread_t producers[2];
  put(0);
  for (int i = 0; i < 2; i++)
    pthread_create(&producers[i], 0, produce, &values[i]);
  for (int i = 0; i < 3; i++)
    take();
  for (int i = 0; i < 2; i++)
    pthread_join(producers[i], 0);
  return 0;
}
