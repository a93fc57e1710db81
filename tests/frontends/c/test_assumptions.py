"""What a verdict on C takes for granted is told with it: without that, these programs are not safe."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import Options, verify
from cleave.frontends.c.options import COptions
from cleave.frontends.c.read import read_c, read_c_bytes
from cleave.verdict import Safe, Unknown, Unsafe

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
    [
        (ALLOCATED, ["never fail"]),
        (WAITS_ONCE, ["sequentially consistent"]),
        ("int x; int main(void) { int *p = &x; return *p; }", ["memory safety is not checked"]),
    ],
    ids=["malloc", "condition", "pointer"],
)
def test_what_is_taken_for_granted_is_told(text: str, said: list[str]) -> None:
    told = read_c({"x.c": text.encode()}, COptions(checks=("assertions",))).assumptions
    assert [part in sentence for part, sentence in zip(said, told, strict=True)] == [True] * len(said)


def test_that_waiting_ends_with_a_signal_only_is_told() -> None:
    told = read_c({"x.c": WAITS_ONCE.encode()}, COptions(spurious_wakeups=False)).assumptions
    assert "returns only after a signal (--no-spurious-wakeups)" in told[1]


@pytest.mark.parametrize(("handler", "is_told"), [("handle", True), ("SIG_IGN", False)])
def test_that_signals_come_only_from_the_program_is_told(handler: str, is_told: bool) -> None:
    text = f"#include <signal.h>\nstatic void handle(int n) {{}} int main(void) {{ signal(SIGINT, {handler}); }}"
    told = read_c({"x.c": text.encode()}, COptions()).assumptions
    assert any("signals come only" in one for one in told) == is_told


def test_nothing_is_told_of_what_a_program_does_not_use() -> None:
    assert read_c_bytes(b"int x; int main(void) { int y = x; return y; }", "x.c").assumptions == ()


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("assert(sin(x) == 2);", Unknown),
        ("if (sin(x) < 1) assert(0);", Unknown),
        ("int file = fileno(stdin); assert(x != 4); exit(file);", Unsafe),
        ("int file = fileno(stdin); assert(x == 4); exit(file);", Safe),
        ("int c = getchar(); assert(rand() >= 0 && c >= -1 && c < 256);", Safe),
    ],
)
def test_a_violation_must_not_depend_on_a_function_that_has_rules(body: str, verdict: type, tmp_path: Path) -> None:
    file = tmp_path / "t.c"
    heads = "".join(f"#include <{name}.h>\n" for name in ("assert", "math", "stdio", "stdlib"))
    file.write_text(f"{heads}int elsewhere(void); int main(void) {{ double x = 4; {body} }}")
    found = verify(str(file), Options(engine="inline", workers=1)).verdict
    assert isinstance(found, verdict)
    if isinstance(found, Unknown):
        assert "depends on what sin does" in found.detail
