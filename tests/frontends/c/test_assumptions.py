"""What a verdict on C takes for granted is told with it: without that, these programs are not safe."""

from __future__ import annotations

import pytest

from cleave.frontends.c import read_c_bytes

ALLOCATED = (
    "#include <stdlib.h>\n#include <assert.h>\nint main(void) { int *p = malloc(4); assert(p != 0); return 0; }\n"
)
WAITS_ONCE = """\
#include <pthread.h>
#include <assert.h>
int ready = 0;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
void *waiter(void *unused) {
  pthread_mutex_lock(&m);
  if (!ready) pthread_cond_wait(&c, &m);
  assert(ready);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, waiter, 0);
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return pthread_join(t, 0);
}
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [(ALLOCATED, "never fail"), (WAITS_ONCE, "only when it is signalled")],
    ids=["malloc", "condition"],
)
def test_what_is_taken_for_granted_is_told(text: str, said: str) -> None:
    (told,) = read_c_bytes(text.encode(), "x.c").assumptions
    assert said in told


def test_nothing_is_told_of_what_a_program_does_not_use() -> None:
    assert read_c_bytes(b"int main(void) { return 0; }", "x.c").assumptions == ()
