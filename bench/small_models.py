"""Random small transition systems in BTOR2, and whether a bad state is reached, by visiting every state.

model = random_model(Random(7))
model.text                        # BTOR2
model.reaches_bad()
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from random import Random

_BINARY = ("add", "sub", "mul", "and", "or", "xor", "sll", "srl")
_COMPARING = ("eq", "neq", "ult", "ulte", "slt", "ugt")


@dataclass
class Model:
    """``nodes`` are operations by number: a kind, a width and the numbers of their arguments."""

    width: int
    lines: list[str] = field(default_factory=list)
    nodes: dict[int, tuple[str, tuple[int, ...]]] = field(default_factory=dict)
    initial: dict[int, int] = field(default_factory=dict)  # of states; others begin anywhere
    following: dict[int, int] = field(default_factory=dict)
    states: list[int] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    constraints: list[int] = field(default_factory=list)
    bad: int = 0

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def reaches_bad(self) -> bool:
        values = range(1 << self.width)
        starts = product(*([self.initial[state]] if state in self.initial else values for state in self.states))
        pending, seen = list(starts), set[tuple[int, ...]]()
        while pending:
            state = pending.pop()
            if state in seen:
                continue
            seen.add(state)
            for chosen in product(values, repeat=len(self.inputs)):
                known = {**dict(zip(self.states, state, strict=True)), **dict(zip(self.inputs, chosen, strict=True))}
                found = self._evaluated(known)
                if not all(found[one] for one in self.constraints):
                    continue
                if found[self.bad]:
                    return True
                pending.append(tuple(found[self.following[one]] for one in self.states))
        return False

    def _evaluated(self, known: dict[int, int]) -> Mapping[int, int]:
        for number, (kind, arguments) in self.nodes.items():
            known[number] = self._value(kind, [known[one] for one in arguments] if kind != "constant" else [*arguments])
        return known

    def _value(self, kind: str, given: list[int]) -> int:
        full = 1 << self.width
        match kind, given:
            case "constant", [number]:
                return number
            case "ite", [condition, then, other]:
                return then if condition else other
            case "not", [bit]:
                return 1 - bit
            case _:
                first, second = given
        signed = [number - full if number >= full // 2 else number for number in given]
        return {
            "add": (first + second) % full,
            "sub": (first - second) % full,
            "mul": (first * second) % full,
            "and": first & second,
            "or": first | second,
            "xor": first ^ second,
            "sll": (first << second) % full,
            "srl": first >> second,
            "eq": int(first == second),
            "neq": int(first != second),
            "ult": int(first < second),
            "ulte": int(first <= second),
            "ugt": int(first > second),
            "slt": int(signed[0] < signed[1]),
        }[kind]


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.model = Model(random.choice((1, 2, 3, 4)))
        self.next = 1
        self.words: list[int] = []
        self.bits: list[int] = []

    def made(self) -> Model:
        model = self.model
        word, bit = self.line(f"sort bitvec {model.width}"), self.line("sort bitvec 1")
        constants = [self.constant(word) for _ in range(3)]  # before the states: so wants btorsim those of `init`
        model.states = [self.line(f"state {word} s{n}") for n in range(self.random.randint(1, 3))]
        model.inputs = [self.line(f"input {word} i{n}") for n in range(self.random.randint(0, 1))]
        self.words = [*model.states, *model.inputs, *constants]
        for state in model.states:
            if self.random.random() < 0.8:
                first = self.random.choice(constants)
                self.line(f"init {word} {state} {first}")
                model.initial[state] = model.nodes[first][1][0]
        for _ in range(self.random.randint(3, 9)):
            self.operation(word, bit)
        if not self.bits:
            self.comparison(bit)
        for state in model.states:
            model.following[state] = self.random.choice(self.words)
            self.line(f"next {word} {state} {model.following[state]}")
        if self.random.random() < 0.2:
            model.constraints.append(self.random.choice(self.bits))
            self.line(f"constraint {model.constraints[0]}")
        model.bad = self.random.choice(self.bits)
        self.line(f"bad {model.bad}")
        return model

    def line(self, text: str) -> int:
        self.model.lines.append(f"{self.next} {text}")
        self.next += 1
        return self.next - 1

    def node(self, text: str, kind: str, arguments: tuple[int, ...]) -> int:
        number = self.line(text)
        self.model.nodes[number] = (kind, arguments)
        return number

    def constant(self, sort: int) -> int:
        number = self.random.randrange(1 << self.model.width)
        return self.node(f"constd {sort} {number}", "constant", (number,))

    def operation(self, word: int, bit: int) -> None:
        kind = self.random.choice((*_BINARY, *_COMPARING, "ite", "not"))
        if kind in _BINARY:
            left, right = self.random.choice(self.words), self.random.choice(self.words)
            self.words.append(self.node(f"{kind} {word} {left} {right}", kind, (left, right)))
        elif kind == "ite" and self.bits:
            chosen = (self.random.choice(self.bits), self.random.choice(self.words), self.random.choice(self.words))
            self.words.append(self.node(f"ite {word} {' '.join(map(str, chosen))}", kind, chosen))
        elif kind == "not" and self.bits:
            one = self.random.choice(self.bits)
            self.bits.append(self.node(f"not {bit} {one}", kind, (one,)))
        else:
            self.comparison(bit)

    def comparison(self, bit: int) -> None:
        kind = self.random.choice(_COMPARING)
        left, right = self.random.choice(self.words), self.random.choice(self.words)
        self.bits.append(self.node(f"{kind} {bit} {left} {right}", kind, (left, right)))


def random_model(random: Random) -> Model:
    return _Maker(random).made()


def random_aiger(random: Random) -> str:
    """A model in AIGER's text form, with latches that begin with 0, 1 or anything."""
    inputs, latches, gates = random.randint(0, 3), random.randint(1, 4), random.randint(1, 8)
    literals = [2 * number for number in range(inputs + latches + 1)]

    def literal() -> int:
        return random.choice(literals) ^ random.randint(0, 1)

    ands = []
    for _ in range(gates):
        smaller, larger = sorted((literal(), literal()))
        literals.append(2 * len(literals))
        ands.append(f"{literals[-1]} {larger} {smaller}")
    own = literals[inputs + 1 : inputs + latches + 1]
    states = [f"{one} {literal()} {random.choice((0, 1, one))}" for one in own]
    constraints = [str(literal()) for _ in range(random.randint(0, 1))]
    counts = (inputs + latches + gates, inputs, latches, 0, gates, 1, len(constraints))
    lines = [f"aag {' '.join(map(str, counts))}", *map(str, literals[1 : inputs + 1]), *states, str(literal())]
    names = [*(f"i{n} in{n}" for n in range(inputs)), *(f"l{n} kept{n}" for n in range(latches))]
    return "\n".join([*lines, *constraints, *ands, *names]) + "\n"
