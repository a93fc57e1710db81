// The same copy into an array that is large enough.
#include <assert.h>
int main(void) {
  char from[5] = {'a', 'b', 'c', 'd', 0}, to[5];
  int i = 0;
  while (from[i]) { to[i] = from[i]; i++; }
  to[i] = 0;
  assert(i == 4);
  return to[0] == 'a' ? 0 : 1;
}
