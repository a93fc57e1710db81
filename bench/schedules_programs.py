"""Random C programs with threads: atomic blocks and functions, locks of all kinds, condition variables, barriers.

    program = random_program(7)
    program.source                      # C
    program.machine()                   # the same for `schedules_oracle`, access by access

Statements are written twice as they are made: as C, and as the operations that C's meaning takes them apart into.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from bench.schedules_oracle import Condition, Machine, Operation, Value

CELLS = ("x", "y", "z", "s.a", "s.b")
_HEAD = """\
#include <pthread.h>
#include <semaphore.h>
void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int); void reach_error(void); void abort(void);
int x, y, z, a[2]; struct { int a, b; } s;
pthread_mutex_t m, n; pthread_spinlock_t p; pthread_rwlock_t w; pthread_cond_t c; pthread_barrier_t b; sem_t q;
pthread_t t1, t2, t3;
"""
_LOCKS = {
    "m": ("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);", "pthread_mutex_trylock(&m)"),
    "n": ("pthread_mutex_lock(&n);", "pthread_mutex_unlock(&n);", "pthread_mutex_trylock(&n)"),
    "p": ("pthread_spin_lock(&p);", "pthread_spin_unlock(&p);", "pthread_spin_trylock(&p)"),
    "w": ("pthread_rwlock_wrlock(&w);", "pthread_rwlock_unlock(&w);", "pthread_rwlock_trywrlock(&w)"),
}
_REGISTERS = 3
_SCRATCH = 3  # registers from here on have no name in C
_ORDER = "__ATOMIC_SEQ_CST"


@dataclass(slots=True)
class Written:
    """A piece of a thread in both forms; jumps are relative."""

    text: str
    code: list[Operation] = field(default_factory=list)

    def then(self, other: Written) -> Written:
        return Written(f"{self.text} {other.text}".strip(), [*self.code, *other.code])


@dataclass(frozen=True, slots=True)
class RandomProgram:
    source: str
    code: tuple[tuple[Operation, ...], ...]
    needed: int  # by the barrier

    def machine(self, *, spurious: bool = True) -> Machine:
        memory = dict.fromkeys((*CELLS, "a0", "a1"), 0)
        return Machine(self.code, memory, {"b": self.needed}, spurious=spurious)


def random_program(seed: int, statements: int = 3) -> RandomProgram:
    return _Maker(random.Random(seed), statements).program()


class _Maker:
    def __init__(self, pick: random.Random, statements: int) -> None:
        self._pick = pick
        self._statements = statements
        self._functions: list[str] = []  # as C
        self._bodies: dict[str, list[Operation]] = {}
        kinds = ["block", "function", "lock", "try", "share", "condition", "barrier", "semaphore", "branch", "atomic"]
        self._kinds = pick.sample(kinds, 4)  # a program has few of them, so that they meet

    def program(self) -> RandomProgram:
        workers = self._pick.choice((1, 2, 2, 2))
        needed = self._pick.choice((2, 2, workers + 1))
        for number in range(2):
            self._function(f"f{number}")
            self._function(f"__VERIFIER_atomic_g{number}")
        threads = [self._body(self._pick.randint(1, self._statements)) for _ in range(workers)]
        main = self._main(workers)
        local = " ".join(f"int r{number} = 0;" for number in range(_REGISTERS))
        text = [_HEAD, *self._functions]
        for number, thread in enumerate(threads, start=1):
            text.append(f"void *thread{number}(void *argument) {{ {local}\n  {thread.text}\n  return 0; }}")
        first = f"pthread_spin_init(&p, 0); pthread_barrier_init(&b, 0, {needed}); sem_init(&q, 0, 0);"
        text.append(f"int main(void) {{ {local} {first}\n  {main.text}\n  return 0; }}\n")
        code = tuple(tuple(_absolute(thread.code)) for thread in (main, *threads))
        return RandomProgram("\n".join(text), code, needed)

    def _main(self, workers: int) -> Written:
        made = Written("")
        for number in range(1, workers + 1):
            create = f"pthread_create(&t{number}, 0, thread{number}, 0);"
            made = made.then(Written(create, [Operation("spawn", str(number))]))
        if self._pick.random() < 0.7:
            made = made.then(self._body(self._pick.randint(1, 2)))
        for number in range(1, workers + 1):
            if self._pick.random() < 0.7:
                made = made.then(Written(f"pthread_join(t{number}, 0);", [Operation("join", str(number))]))
        return made.then(self._read()).then(self._assertion())

    def _function(self, name: str) -> None:
        body = self._simple().then(self._simple())
        local = " ".join(f"int r{number} = 0;" for number in range(_REGISTERS))
        self._functions.append(f"void {name}(void) {{ {local} {body.text} }}")
        self._bodies[name] = body.code

    def _call(self, name: str, *, by_pointer: bool = False) -> Written:
        """A function has registers of its own; scratch ones are not kept from one statement to the next."""
        shift = 8
        code = [_shifted(operation, shift) for operation in self._bodies[name]]
        fresh = [Operation("set", register=number + shift) for number in range(_REGISTERS)]
        text = f"{{ void (*f)(void) = {name}; f(); }}" if by_pointer else f"{name}();"
        return Written(text, [*fresh, *code])

    # --- statements ---------------------------------------------------------------------------------------------------

    def _body(self, count: int) -> Written:
        made = Written("")
        for _ in range(count):
            made = made.then(self._statement())
        return made

    def _statement(self) -> Written:
        if self._pick.random() < 0.4:
            return self._simple()
        return self._of(self._pick.choice(self._kinds))

    def _of(self, kind: str) -> Written:
        pick = self._pick
        match kind:
            case "block":
                return self._block()
            case "function":
                name = pick.choice(list(self._bodies))
                made = self._call(name, by_pointer=pick.random() < 0.2)
                is_atomic = name.startswith("__VERIFIER_atomic_")
                return _enclosed(made, "", "") if is_atomic else made
            case "lock":
                lock, unlock, _ = _LOCKS[name := pick.choice(list(_LOCKS))]
                inner = self._simple() if pick.random() < 0.7 else self._of("lock")
                text = f"{lock} {inner.text} {unlock}"
                return Written(text, [Operation("lock", name), *inner.code, Operation("unlock", name)])
            case "try":
                return self._try()
            case "share":
                inner = self._simple()
                text = f"pthread_rwlock_rdlock(&w); {inner.text} pthread_rwlock_unlock(&w);"
                return Written(text, [Operation("share", "w"), *inner.code, Operation("unshare", "w")])
            case "condition":
                return self._condition_variable()
            case "barrier":
                return Written("pthread_barrier_wait(&b);", [Operation("meet", "b")])
            case "semaphore":
                post = pick.random() < 0.6
                return Written(f"sem_{'post' if post else 'wait'}(&q);", [Operation("post" if post else "take", "q")])
            case "branch":
                return self._branch(self._simple())
            case _:
                return self._atomic()

    def _simple(self) -> Written:
        pick = self._pick
        register, cell, number = pick.randrange(_REGISTERS), self._cell(), pick.randint(0, 2)
        draw = pick.random()
        if draw < 0.25:
            return self._read()
        if draw < 0.4:
            return Written(f"{cell} = {number};", [Operation("write", cell, value=Value((), number))])
        if draw < 0.5:
            return Written(f"{cell} = r{register};", [Operation("write", cell, value=Value((register,)))])
        if draw < 0.65:
            code = [Operation("read", cell, register=_SCRATCH), Operation("write", cell, value=Value((_SCRATCH,), 1))]
            return Written(f"{cell}++;", code)
        if draw < 0.75:
            other = self._cell()
            code = [
                Operation("read", other, register=_SCRATCH),
                Operation("read", cell, register=_SCRATCH + 1),
                Operation("write", cell, value=Value((_SCRATCH, _SCRATCH + 1))),
            ]
            return Written(f"{cell} = {other} + {cell};", code)
        if draw < 0.83:
            return self._element(register)
        if draw < 0.9:
            return self._assertion()
        if draw < 0.95:
            return self._branch(Written(f"{cell} = {number};", [Operation("write", cell, value=Value((), number))]))
        return self._atomic()

    def _element(self, register: int) -> Written:
        code = [Operation("read", "a", element=register, register=_SCRATCH)]
        if self._pick.random() < 0.5:
            code.append(Operation("set", register=register, value=Value((_SCRATCH,))))
            return Written(f"r{register} = a[r{register} & 1];", code)
        code.append(Operation("write", "a", element=register, value=Value((_SCRATCH,), 1)))
        return Written(f"a[r{register} & 1]++;", code)

    def _read(self) -> Written:
        register, cell = self._pick.randrange(_REGISTERS), self._cell()
        return Written(f"r{register} = {cell};", [Operation("read", cell, register=register)])

    def _cell(self) -> str:
        return self._pick.choice(("x", "x", *CELLS))

    def _assertion(self) -> Written:
        condition, text = self._condition()
        if self._pick.random() < 0.25:
            return Written(f"__VERIFIER_assume({text});", [Operation("assume", condition=condition)])
        return Written(f"if (!({text})) {{ reach_error(); abort(); }}", [Operation("assert", condition=condition)])

    def _condition(self) -> tuple[Condition, str]:
        register, equal, number = self._pick.randrange(_REGISTERS), self._pick.random() < 0.4, self._pick.randint(0, 2)
        return Condition(Value((register,)), equal, number), f"r{register} {'==' if equal else '!='} {number}"

    def _branch(self, inner: Written) -> Written:
        condition, text = self._condition()
        jump = Operation("unless", condition=condition, target=1 + len(inner.code))
        return Written(f"if ({text}) {{ {inner.text} }}", [jump, *inner.code])

    def _atomic(self) -> Written:
        register, number = self._pick.randrange(_REGISTERS), self._pick.randint(0, 2)
        cell = self._cell()
        draw = self._pick.random()
        if draw < 0.25:
            text = f"__atomic_store_n(&{cell}, {number}, {_ORDER});"
            return Written(text, [Operation("store", cell, value=Value((), number))])
        if draw < 0.5:
            text = f"r{register} = __atomic_load_n(&{cell}, {_ORDER});"
            return Written(text, [Operation("load", cell, register=register)])
        if draw < 0.7:
            text = f"r{register} = __atomic_fetch_add(&{cell}, 1, {_ORDER});"
            return Written(text, [Operation("add", cell, register=register)])
        new = self._pick.randint(0, 2)
        exchange = f"__atomic_compare_exchange_n(&{cell}, &e, {new}, 0, {_ORDER}, {_ORDER})"
        text = f"{{ int e = {number}; r{register} = {exchange}; }}"
        code = Operation("exchange", cell, register=register, expected=number, value=Value((), new))
        return Written(text, [code])

    def _block(self) -> Written:
        inner = self._simple()
        if self._pick.random() < 0.7:
            plain = [name for name in self._bodies if name.startswith("f")]
            calls = self._pick.random() < 0.4
            more = self._call(self._pick.choice(plain), by_pointer=self._pick.random() < 0.3) if calls else None
            inner = inner.then(more or self._simple())
        return _enclosed(inner, "__VERIFIER_atomic_begin();", "__VERIFIER_atomic_end();")

    def _try(self) -> Written:
        _, unlock, attempt = _LOCKS[name := self._pick.choice(list(_LOCKS))]
        inner = self._simple()
        failed = Operation("unless", condition=Condition(Value((_SCRATCH,)), True, 0), target=2 + len(inner.code))
        code = [Operation("try", name, register=_SCRATCH), failed, *inner.code, Operation("unlock", name)]
        return Written(f"if ({attempt} == 0) {{ {inner.text} {unlock} }}", code)

    def _condition_variable(self) -> Written:
        draw = self._pick.random()
        if draw < 0.5:
            kind = self._pick.choice(("signal", "signal", "broadcast"))
            signal = Written(f"pthread_cond_{kind}(&c);", [Operation(kind, "c")])
            if self._pick.random() < 0.5:
                return signal
            inner = self._simple().then(signal)
            text = f"pthread_mutex_lock(&m); {inner.text} pthread_mutex_unlock(&m);"
            return Written(text, [Operation("lock", "m"), *inner.code, Operation("unlock", "m")])
        wait = Written("pthread_cond_wait(&c, &m);", [Operation("wait", "c", mutex="m")])
        cell = self._cell()
        read = Operation("read", cell, register=_SCRATCH)
        zero = Condition(Value((_SCRATCH,)), True, 0)
        if draw < 0.65:
            inner = wait
        elif draw < 0.85:
            inner = Written(
                f"if ({cell} == 0) {wait.text}", [read, Operation("unless", condition=zero, target=2), *wait.code]
            )
        else:
            code = [read, Operation("unless", condition=zero, target=3), *wait.code, Operation("jump", target=-3)]
            inner = Written(f"while ({cell} == 0) {wait.text}", code)
        inner = inner.then(self._simple())
        text = f"pthread_mutex_lock(&m); {inner.text} pthread_mutex_unlock(&m);"
        return Written(text, [Operation("lock", "m"), *inner.code, Operation("unlock", "m")])


def _enclosed(inner: Written, begin: str, end: str) -> Written:
    return Written(f"{begin} {inner.text} {end}".strip(), [Operation("begin"), *inner.code, Operation("end")])


def _absolute(code: list[Operation]) -> list[Operation]:
    """Jumps are written as distances."""
    jumps = ("jump", "unless")
    return [o._replace(target=at + o.target) if o.kind in jumps else o for at, o in enumerate(code)]


def _shifted(operation: Operation, shift: int) -> Operation:
    def moved(value: Value) -> Value:
        return Value(tuple(register + shift for register in value.registers), value.constant)

    condition = operation.condition
    return operation._replace(
        register=operation.register + shift,
        element=None if operation.element is None else operation.element + shift,
        value=moved(operation.value),
        condition=condition._replace(value=moved(condition.value)),
    )
