"""Small tasks, at least one for each front end and engine, whose verdicts have certificates.

    text = certified(task, folder)           # runs Cleave and reads the file

`bench certificates` forges what this module makes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cleave import verify
from cleave.engines.bmc.options import BmcOptions
from cleave.engines.inline.options import InlineOptions
from cleave.engines.threads.options import ThreadsOptions
from cleave.run.request import Options
from cleave.verdict import Result


@dataclass(frozen=True, slots=True)
class Task:
    name: str
    text: str
    verdict: str
    engine: str | None = None
    bound: int | None = None
    options: tuple[Any, ...] = ()
    kind: str = ""
    workers: int = 1
    needs_c: bool = field(default=False)


_COUNT = """\
procedure {:entrypoint} main() {
  var i: int; var n: int;
  assume 0 <= n;
  i := 0;
  while (i < n) { i := i + 1; }
  assert i == n;
}
"""
_TWO_LOOPS = """\
var g: int;
procedure step() modifies g; { g := g + 2; }
procedure {:entrypoint} main() modifies g; {
  var i: int; var n: int;
  g := 0;
  i := 0;
  while (i < n) { call step(); i := i + 1; }
  assert g >= 0;
}
"""
_RECURSIVE = """\
var g: int;
procedure down(n: int) modifies g;
  requires n >= 0;
{
  if (n > 0) { g := g + 1; call down(n - 1); }
}
procedure {:entrypoint} main() modifies g; {
  var n: int;
  assume 0 <= n;
  g := 0;
  call down(n);
  assert g != 5;
}
"""
_WITHDRAW = """\
var balance: int; var cash: int;
function fee(x: int) returns (int);
procedure pay(amount: int) modifies balance, cash; {
  if (amount <= balance) { balance := balance - amount - fee(amount); cash := cash + amount; }
}
procedure {:entrypoint} main() modifies balance, cash; {
  var a: int; var b: int; var before: int;
  assume balance >= 0 && cash == 0;
  before := balance;
  call pay(a);
  call pay(b);
  assert balance + cash == before;
}
"""
_MAPS = """\
var m: [int]int;
procedure {:entrypoint} main() modifies m; {
  var i: int; var j: int;
  m[i] := 1;
  m[j] := 2;
  assert m[i] == 1;
}
"""
_MIDPOINT = """\
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int low = __VERIFIER_nondet_int(), high = __VERIFIER_nondet_int();
  if (low < 0 || high < low) return 0;
  return (low + high) / 2;
}
"""
_LOOP_IN_C = """\
extern int __VERIFIER_nondet_int(void);
void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0;
  if (n < 0 || n > 1000000) return 0;
  while (i < n) i++;
  if (i != n) reach_error();
  return 0;
}
"""
_SUM_IN_C = """\
#include <assert.h>
int main(void) {
  int sum = 0;
  for (int i = 0; i < 6; i++) sum += i;
  assert(sum == 15);
  return 0;
}
"""
_COUNTERS = """\
#include <pthread.h>
#include <assert.h>
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *add(void *argument) {
  LOCK
  int old = x;
  x = old + 1;
  UNLOCK
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, add, 0);
  add(0);
  pthread_join(t, 0);
  assert(x == 2);
  return 0;
}
"""
_LOCKED = _COUNTERS.replace("UNLOCK", "pthread_mutex_unlock(&m);").replace("LOCK", "pthread_mutex_lock(&m);")
_UNLOCKED = _COUNTERS.replace("UNLOCK", "").replace("LOCK", "")
_PETERSON = """\
#include <pthread.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int flag1, flag2, turn, x;
void *first(void *argument) {
  int n = __VERIFIER_nondet_int();
  flag1 = 1; turn = 1;
  while (flag2 == 1 && turn == 1);
  x = n;
  assert(x == n);
  flag1 = 0;
  return 0;
}
void *second(void *argument) {
  flag2 = 1; turn = 0;
  while (flag1 == 1 && turn == 0);
  x = 0;
  assert(x == 0);
  flag2 = 0;
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  return 0;
}
"""
_RANGE_IN_C = """\
#include <assert.h>
unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
  int half = __VERIFIER_nondet_uchar() / 2;
  assert(half < 200);
  return 0;
}
"""
_LAMP = "aag 3 1 1 0 1 1\n2\n4 6\n4\n6 5 2\n"
_TANK = """\
(declare-fun litres () Int)
(declare-fun litres1 () Int)
(define-fun next_litres () Int (! litres :next litres1))
(define-fun start () Bool (! (= litres 0) :init true))
(define-fun step () Bool (! (= litres1 (ite (<= litres 7) (+ litres 3) litres)) :trans true))
(define-fun property () Bool (! (<= litres 10) :invar-property 0))
"""
_CLAUSES = """\
(set-logic HORN)
(declare-fun Inv (Int Int) Bool)
(assert (forall ((x Int) (n Int)) (=> (and (= x 0) (<= 0 n)) (Inv x n))))
(assert (forall ((x Int) (n Int)) (=> (and (Inv x n) (< x n)) (Inv (+ x 1) n))))
(assert (forall ((x Int) (n Int)) (=> (and (Inv x n) (< n x)) false)))
(check-sat)
"""
_DEEP = """\
procedure count(n: int) returns (r: int) {
  if (n <= 0) { r := 0; } else { call r := count(n - 1); r := r + 1; }
}
procedure {:entrypoint} main(n: int) {
  var r: int;
  assume n < 4;
  call r := count(n);
  assert r < 4;
}
"""
_DERIVED = _CLAUSES.replace("(< n x)", "(< 2 x)")
_COUNTER_IN_BTOR2 = """\
1 sort bitvec 4
2 zero 1
3 state 1 counter
4 init 1 3 2
5 one 1
6 constd 1 9
7 sort bitvec 1
8 ult 7 3 6
9 add 1 3 5
10 ite 1 8 9 3
11 next 1 3 10
12 constd 1 LIMIT
13 eq 7 3 12
14 bad 13
"""

TASKS = (
    Task("fee.bpl", _WITHDRAW, "unsafe", "inline", kind="trace"),
    Task("maps.bpl", _MAPS, "unsafe", "inline", kind="trace"),
    Task("down.bpl", _RECURSIVE, "bounded-safe", "inline", 3, kind="unfolding"),
    Task("split.bpl", _RECURSIVE, "bounded-safe", "inline", 3, kind="unfolding", workers=2),
    Task("deep.bpl", _DEEP, "safe", "inline", kind="unfolding"),
    Task("count.bpl", _COUNT, "safe", "pdr", kind="unfolding"),
    Task("steps.bpl", _TWO_LOOPS, "safe", "cegar", kind="unfolding"),
    Task("counted.bpl", _COUNT, "bounded-safe", "inline", 3, kind="unfolding"),
    Task("midpoint.c", _MIDPOINT, "unsafe", "inline", kind="trace", needs_c=True),
    Task("loop.c", _LOOP_IN_C, "safe", "pdr", kind="unfolding", needs_c=True),
    Task("sum.c", _SUM_IN_C, "safe", "inline", 8, kind="executions", needs_c=True),
    Task("locked.c", _LOCKED, "safe", "threads", kind="executions", needs_c=True),
    Task("unlocked.c", _UNLOCKED, "unsafe", "threads", kind="trace", needs_c=True),
    Task(
        *("peterson.c", _PETERSON, "bounded-safe", "threads"),
        options=(ThreadsOptions(contexts=(4,), unwind=2),),
        kind="schedules",
        needs_c=True,
    ),
    Task("range.c", _RANGE_IN_C, "safe", "intervals", kind="unfolding", needs_c=True),
    Task("found.c", _MIDPOINT, "unsafe", "executions", kind="trace", needs_c=True),
    Task("cut.c", _LOOP_IN_C, "bounded-safe", "bmc", options=(BmcOptions(unwind=2),), kind="unfolding", needs_c=True),
    Task("lamp.aag", _LAMP, "unsafe", "pdr", kind="derivation"),
    Task("tank.vmt", _TANK, "safe", "pdr", kind="interpretation"),
    Task("inv.smt2", _CLAUSES, "safe", "pdr", kind="interpretation"),
    Task("inv_cegar.smt2", _CLAUSES, "safe", "cegar", kind="interpretation"),
    Task("derived.smt2", _DERIVED, "unsafe", "pdr", kind="derivation"),
    Task("counter.btor2", _COUNTER_IN_BTOR2.replace("LIMIT", "12"), "safe", "pdr", kind="interpretation"),
    Task("counting.btor2", _COUNTER_IN_BTOR2.replace("LIMIT", "3"), "unsafe", "pdr", kind="derivation"),
)


def run(task: Task, folder: Path) -> tuple[Result, Path]:
    """The result, and where its certificate is."""
    file, out = folder / task.name, folder / f"{task.name}.cleave"
    file.write_text(task.text)
    engines = (InlineOptions(bounds=(task.bound,)),) if task.bound is not None else task.options
    options = Options(
        engine=task.engine, engines=engines, workers=task.workers, journal=None, outputs={"certificate": str(out)}
    )
    return verify(str(file), options), out
