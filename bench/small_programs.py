"""Random small programs over whole numbers, as C and as Boogie, and what they do on every input.

    program = random_program(Random(7))
    as_c(program, 8)                  # text, with numbers of 8 bits
    as_boogie(program)                # text, with mathematical integers
    violates(program, 8)              # by executing it on every input; None if there are too many

A program is a tuple of tuples; its meaning is `_Machine` and nothing else. Loops and recursion go round a few times at
most, and inputs are small, so that executions can be counted out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

Expression = tuple[Any, ...]
Statement = tuple[Any, ...]

GLOBALS = ("g", "h")
_LOCALS = ("x", "y", "z")
_ELEMENTS = 4
_MOST_EXECUTIONS = 3_000
_MOST_STEPS = 20_000
_ROUNDS = 4
BOUND = 8
"""Loops and recursion go round fewer times than that."""


class SmallProgram(NamedTuple):
    """Functions by name, each with one parameter ``x`` and its result in ``y``; ``main`` comes last. ``down`` calls
    itself."""

    functions: dict[str, tuple[Statement, ...]]


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.counters = 0

    def program(self) -> SmallProgram:
        functions: dict[str, tuple[Statement, ...]] = {}
        for name in ("f", "down", "main")[self.random.randrange(3) :]:
            self.counters = 0
            body = self.block(tuple(functions), 2, self.random.randint(2, 5))
            if name == "down":  # with one less, if there is one less
                again: Statement = ("call", "y", "down", ("-", ("var", "x"), ("const", 1)))
                less = ("set", "x", ("%", ("var", "x"), ("const", _ROUNDS)))
                body = (less, ("if", ("<", ("const", 0), ("var", "x")), (again,), ()), *body)
            if name == "main":
                body = (*self.inputs(), *body, ("assert", self.condition()))
            functions[name] = body
        return SmallProgram(functions)

    def inputs(self) -> Iterator[Statement]:
        for name in (*GLOBALS, *_LOCALS)[: self.random.randint(1, 4)]:
            yield ("input", name, self.random.choice((2, 4, 7)))

    def block(self, callable_: Sequence[str], depth: int, length: int) -> tuple[Statement, ...]:
        return tuple(self.statement(callable_, depth) for _ in range(length))

    def statement(self, callable_: Sequence[str], depth: int) -> Statement:
        kind = self.random.choice(("set", "set", "store", "if", "loop", "call", "assert", "assume", "input"))
        match kind:
            case "if" if depth:
                then = self.block(callable_, depth - 1, self.random.randint(1, 3))
                return ("if", self.condition(), then, self.block(callable_, depth - 1, self.random.randint(0, 2)))
            case "loop" if depth:
                self.counters += 1
                counter, rounds = f"i{self.counters}", ("%", self.number(1), ("const", _ROUNDS))
                return ("loop", counter, rounds, self.block(callable_, depth - 1, self.random.randint(1, 2)))
            case "call" if callable_:
                return ("call", self.random.choice(_LOCALS), self.random.choice(callable_), self.number(1))
            case "assert" if self.random.random() < 0.5:
                return ("assert", self.condition())
            case "assume" if self.random.random() < 0.3:
                return ("assume", self.condition())
            case "input" if self.random.random() < 0.3:
                return ("input", self.random.choice(_LOCALS), 2)
            case "store":
                return ("store", self.number(1), self.number(2))
            case _:
                return ("set", self.random.choice((*GLOBALS, *_LOCALS)), self.number(2))

    def number(self, depth: int) -> Expression:
        kind = self.random.choice(("const", "var", "var", "elem", "+", "-", "*", "/", "%"))
        if not depth or kind in ("const", "var"):
            if self.random.random() < 0.35:
                return ("const", self.random.choice((0, 1, 2, 3, 5, 7)))
            return ("var", self.random.choice((*GLOBALS, *_LOCALS)))
        if kind == "elem":
            return ("elem", self.number(depth - 1))
        if kind in "/%":
            return (kind, self.number(depth - 1), ("const", self.random.choice((2, 3, 5))))
        return (kind, self.number(depth - 1), self.number(depth - 1))

    def condition(self) -> Expression:
        kind = self.random.choice(("<", "<=", "==", "!=", "!=", "or"))
        if kind == "or":
            return ("or", self.condition(), self.condition())
        return (kind, self.number(1), self.number(1))


def random_program(random: Random) -> SmallProgram:
    return _Maker(random).program()


# --- the truth ------------------------------------------------------------------------------------------------------


class TooManyError(Exception):
    """There are too many executions, or one is too long."""


class _Violated(Exception):  # noqa: N818
    pass


class _Infeasible(Exception):  # noqa: N818
    pass


class _Machine:
    """One execution; ``choices`` are its inputs as far as they are known, further ones are 0. ``limits`` says how many
    values each input has. ``bits`` 0: mathematical integers."""

    def __init__(self, program: SmallProgram, bits: int, choices: Sequence[int]) -> None:
        self.program, self.bits = program, bits
        self.choices = list(choices)
        self.limits: list[int] = []
        self.shared = dict.fromkeys((*GLOBALS, *(f"a{n}" for n in range(_ELEMENTS))), 0)
        self.steps = 0

    def call(self, name: str, argument: int) -> int:
        values = {**dict.fromkeys(_LOCALS, 0), "x": argument}
        self.run(self.program.functions[name], values)
        return values["y"]

    def run(self, block: Sequence[Statement], values: dict[str, int]) -> None:
        for statement in block:
            self.steps += 1
            if self.steps > _MOST_STEPS:
                raise TooManyError
            self.step(statement, values)

    def step(self, statement: Statement, values: dict[str, int]) -> None:
        match statement:
            case ("set", name, value):
                self.write(name, self.number(value, values), values)
            case ("store", index, value):
                place = self.number(index, values) % _ELEMENTS
                self.shared[f"a{place}"] = self.number(value, values)
            case ("input", name, limit):
                if len(self.choices) == len(self.limits):
                    self.choices.append(0)
                self.write(name, self.choices[len(self.limits)], values)
                self.limits.append(limit)
            case ("if", condition, then, other):
                self.run(then if self.truth(condition, values) else other, values)
            case ("loop", _, rounds, body):
                for _ in range(self.number(rounds, values)):
                    self.run(body, values)
            case ("call", target, name, argument):
                self.write(target, self.call(name, self.number(argument, values)), values)
            case ("assert", condition):
                if not self.truth(condition, values):
                    raise _Violated
            case ("assume", condition):
                if not self.truth(condition, values):
                    raise _Infeasible

    def write(self, name: str, value: int, values: dict[str, int]) -> None:
        (self.shared if name in GLOBALS else values)[name] = value

    def number(self, expression: Expression, values: dict[str, int]) -> int:
        match expression:
            case ("const", number):
                return int(number)
            case ("var", name):
                return self.shared[name] if name in GLOBALS else values[name]
            case ("elem", index):
                return self.shared[f"a{self.number(index, values) % _ELEMENTS}"]
        kind, left, right = expression
        first, second = self.number(left, values), self.number(right, values)
        made = {"+": first + second, "-": first - second, "*": first * second}.get(kind)
        if made is None:  # divisors are positive constants: all languages agree where numbers are not negative
            made = first // second if kind == "/" else first % second
        return made % (1 << self.bits) if self.bits else made

    def truth(self, expression: Expression, values: dict[str, int]) -> bool:
        kind, left, right = expression
        if kind == "or":
            return self.truth(left, values) or self.truth(right, values)
        first, second = self.number(left, values), self.number(right, values)
        return {"<": first < second, "<=": first <= second, "==": first == second, "!=": first != second}[kind]


def violates(program: SmallProgram, bits: int) -> bool | None:
    """Whether an execution violates an assertion; None if there are too many to say."""
    choices: list[int] | None = []
    for _ in range(_MOST_EXECUTIONS):
        assert choices is not None
        machine = _Machine(program, bits, choices)
        try:
            machine.call("main", 0)
        except _Violated:
            return True
        except _Infeasible:
            pass
        except TooManyError:
            return None
        choices = _next(machine.choices[: len(machine.limits)], machine.limits)
        if choices is None:
            return False
    return None


def _next(choices: list[int], limits: list[int]) -> list[int] | None:
    while choices:
        if choices[-1] + 1 < limits[len(choices) - 1]:
            return [*choices[:-1], choices[-1] + 1]
        choices = choices[:-1]
    return None


# --- texts ----------------------------------------------------------------------------------------------------------

_TYPES = {8: "unsigned char", 16: "unsigned short", 32: "unsigned int", 64: "unsigned long"}
_C_HEAD = """\
extern void abort(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
void reach_error(void) { abort(); }
#define CHECK(condition) do { if (!(condition)) { reach_error(); } } while (0)
"""


class _Text:
    """What C and Boogie have in common."""

    def expression(self, expression: Expression) -> str:
        match expression:
            case ("const" | "var", what):
                return str(what)
            case ("elem", index):
                return f"a[{self.remainder(index, _ELEMENTS)}]"
            case ("or", left, right):
                return f"({self.expression(left)} || {self.expression(right)})"
            case ("<" | "<=" | "==" | "!=" as kind, left, right):
                return f"({self.expression(left)} {kind} {self.expression(right)})"
        kind, left, right = expression
        return self.operation(kind, self.expression(left), self.expression(right))

    def remainder(self, index: Expression, divisor: int) -> str:
        return self.operation("%", self.expression(index), str(divisor))

    def operation(self, kind: str, left: str, right: str) -> str:
        raise NotImplementedError

    def block(self, block: Sequence[Statement], indent: str) -> str:
        return "".join(f"{indent}{self.statement(one, indent)}\n" for one in block)

    def statement(self, statement: Statement, indent: str) -> str:
        raise NotImplementedError


class _C(_Text):
    def __init__(self, bits: int) -> None:
        self.type = _TYPES[bits]

    def operation(self, kind: str, left: str, right: str) -> str:
        return f"({self.type})({left} {kind} {right})"

    def statement(self, statement: Statement, indent: str) -> str:
        inner = indent + "  "
        match statement:
            case ("set", name, value):
                return f"{name} = {self.expression(value)};"
            case ("store", index, value):
                return f"a[{self.remainder(index, _ELEMENTS)}] = {self.expression(value)};"
            case ("input", name, limit):
                return f"{name} = __VERIFIER_nondet_uint(); __VERIFIER_assume({name} < {limit});"
            case ("if", condition, then, other):
                made = f"if {self.expression(condition)} {{\n{self.block(then, inner)}{indent}}}"
                return made + (f" else {{\n{self.block(other, inner)}{indent}}}" if other else "")
            case ("loop", counter, rounds, body):
                head = f"{self.type} n{counter} = {self.expression(rounds)}; for (int {counter} = 0; "
                loop = f"{head}{counter} < n{counter}; {counter}++) {{\n{self.block(body, inner)}{indent}}}"
                return f"{{ {loop} }}"
            case ("call", target, name, argument):
                return f"{target} = {name}({self.expression(argument)});"
            case ("assert", condition):
                return f"CHECK({self.expression(condition)});"
            case _:
                return f"__VERIFIER_assume({self.expression(statement[1])});"


def as_c(program: SmallProgram, bits: int) -> str:
    text = _C(bits)
    made = [_C_HEAD, f"{text.type} g, h, a[{_ELEMENTS}];\n"]
    for name, body in program.functions.items():
        is_main = name == "main"
        head = "int main(void)" if is_main else f"{text.type} {name}({text.type} x)"
        first = f"  {text.type} {'x = 0, ' if is_main else ''}y = 0, z = 0;\n"
        made.append(f"{head} {{\n{first}{text.block(body, '  ')}  return {'0' if is_main else 'y'};\n}}\n")
    return "".join(made)


class _Boogie(_Text):
    def operation(self, kind: str, left: str, right: str) -> str:
        return f"({left} {({'/': 'div', '%': 'mod'}).get(kind, kind)} {right})"

    def statement(self, statement: Statement, indent: str) -> str:
        inner = indent + "  "
        match statement:
            case ("set", name, value):
                return f"{_local(name)} := {self.expression(value)};"
            case ("store", index, value):
                return f"a[{self.remainder(index, _ELEMENTS)}] := {self.expression(value)};"
            case ("input", name, limit):
                return f"havoc {_local(name)}; assume 0 <= {_local(name)} && {_local(name)} < {limit};"
            case ("if", condition, then, other):
                made = f"if {self.expression(condition)} {{\n{self.block(then, inner)}{indent}}}"
                return made + (f" else {{\n{self.block(other, inner)}{indent}}}" if other else "")
            case ("loop", counter, rounds, body):
                head = f"n{counter} := {self.expression(rounds)}; {counter} := 0;"
                last = f"{inner}{counter} := {counter} + 1;\n"
                return f"{head}\n{indent}while ({counter} < n{counter}) {{\n{self.block(body, inner)}{last}{indent}}}"
            case ("call", target, name, argument):
                return f"call {_local(target)} := {name}({self.expression(argument)});"
            case _:
                return f"{statement[0]} {self.expression(statement[1])};"

    def expression(self, expression: Expression) -> str:
        return _local(str(expression[1])) if expression[0] == "var" else super().expression(expression)


def _local(name: str) -> str:
    """A parameter can't be assigned to in Boogie."""
    return "v" if name == "x" else name


def as_boogie(program: SmallProgram) -> str:
    text = _Boogie()
    made = ["var g: int; var h: int; var a: [int]int;\n"]
    for name, body in program.functions.items():
        is_main = name == "main"
        counters = "".join(f" var {c}: int; var n{c}: int;" for c in sorted(_counters(body)))
        head = "procedure main()" if is_main else f"procedure {name}(x: int) returns (y: int)"
        start = "g := 0; h := 0;" + "".join(f" a[{n}] := 0;" for n in range(_ELEMENTS)) if is_main else ""
        own = f"var v: int; {'var y: int; ' if is_main else ''}var z: int;{counters}"
        first = f"  {own}\n  v := {'0' if is_main else 'x'}; y := 0; z := 0; {start}\n"
        made.append(f"{head}\n  modifies g, h, a;\n{{\n{first}{text.block(body, '  ')}}}\n")
    return "".join(made)


def _counters(block: Sequence[Statement]) -> Iterator[str]:
    for statement in block:
        if statement[0] == "loop":
            yield statement[1]
            yield from _counters(statement[3])
        elif statement[0] == "if":
            yield from _counters((*statement[2], *statement[3]))
