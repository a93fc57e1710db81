// A message is written before the flag that announces it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int message;
atomic_int ready;
void *write_message(void *_) { message = 42; atomic_store(&ready, 1); return 0; }
int main(void) {
  pthread_t writer;
  pthread_create(&writer, 0, write_message, 0);
  if (atomic_load(&ready)) assert(message == 42);
  pthread_join(writer, 0);
  return 0;
}
