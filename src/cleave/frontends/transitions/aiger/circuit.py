"""Circuits of and-gates and latches, and what they are as formulas."""

from __future__ import annotations

from dataclasses import field

from cleave.errors import InputError
from cleave.frontends.transitions.symbolic_system import Bad, HardwareModel, SymbolicSystem
from cleave.ir.program import Location
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Op, Term
from cleave.records import dataclass

_FLAT = 100  # a conjunction of more parts is not joined with another: in a chain of gates that would take forever


@dataclass(frozen=True, slots=True)
class Latch:
    """Its variable, and the literals of its value at the start and after a step. It starts with any value if it starts
    with its own."""

    variable: int
    first: int
    following: int


@dataclass(slots=True)
class Circuit:
    """Literals are 2v for variable v and 2v + 1 for its negation; variable 0 is false."""

    file: str
    inputs: dict[int, int] = field(default_factory=dict)  # the place of each in the file
    latches: list[Latch] = field(default_factory=list)
    gates: dict[int, tuple[int, int]] = field(default_factory=dict)
    bad: list[tuple[int, Location]] = field(default_factory=list)
    constraints: list[int] = field(default_factory=list)
    names: dict[tuple[str, int], str] = field(default_factory=dict)  # by kind, i or l, and place


def symbolic_system(circuit: Circuit) -> SymbolicSystem:
    """Raises `InputError` if a gate depends on itself, or on what is not there."""
    return _system(circuit, _Values(circuit))


def hardware_model(circuit: Circuit) -> HardwareModel:
    """The system with its inputs."""
    values = _Values(circuit)
    inputs = sorted(circuit.inputs, key=circuit.inputs.__getitem__)
    return HardwareModel(_system(circuit, values), tuple(values.literal(2 * variable) for variable in inputs))


def _system(circuit: Circuit, values: _Values) -> SymbolicSystem:
    literal = values.literal
    state = tuple(literal(2 * latch.variable) for latch in circuit.latches)
    constraint = t.conj_all([literal(number) for number in circuit.constraints])
    known = [latch for latch in circuit.latches if latch.first < 2]
    return SymbolicSystem(
        state=state,
        first=state,
        initial=t.conj_all([literal(2 * latch.variable + 1 - latch.first) for latch in known]),
        following=tuple(literal(latch.following) for latch in circuit.latches),
        step=constraint,
        bad=[Bad(t.conj(constraint, literal(number)), location) for number, location in circuit.bad],
        location=Location(circuit.file, 1, 1),
    )


class _Values:
    """The terms of a circuit's variables."""

    def __init__(self, circuit: Circuit) -> None:
        self._circuit = circuit
        self._terms = {0: t.FALSE}
        self._taken: set[str] = set()
        for place, latch in enumerate(circuit.latches):
            self._terms[latch.variable] = self._variable("l", place, "latch")
        for gate in circuit.gates:
            self._work_out(gate)

    def literal(self, number: int) -> Term:
        self._work_out(number // 2)
        made = self._terms[number // 2]
        return t.neg(made) if number % 2 else made

    def _work_out(self, root: int) -> None:
        """Gates may stand in any order in a text file."""
        terms, gates = self._terms, self._circuit.gates
        stack, opened = [root], set[int]()
        while stack:
            variable = stack[-1]
            if variable in terms:
                stack.pop()
            elif variable in gates:
                missing = [number // 2 for number in gates[variable] if number // 2 not in terms]
                if not missing:
                    terms[variable] = _conjunction(*(self._known(number) for number in gates[variable]))
                elif variable in opened:
                    raise InputError(f"gate {2 * variable} depends on itself", file=self._circuit.file)
                opened.add(variable)
                stack += missing
            elif variable in self._circuit.inputs:
                terms[variable] = self._variable("i", self._circuit.inputs[variable], "input")
            else:
                raise InputError(f"{2 * variable} is used, but defined nowhere", file=self._circuit.file)

    def _known(self, number: int) -> Term:
        made = self._terms[number // 2]
        return t.neg(made) if number % 2 else made

    def _variable(self, kind: str, place: int, word: str) -> Term:
        name = wanted = self._circuit.names.get((kind, place), f"{word}{place}")
        count = 0
        while name in self._taken:
            count += 1
            name = f"{wanted}!{count}"
        self._taken.add(name)
        return t.var(name, BOOL)


def _conjunction(left: Term, right: Term) -> Term:
    if any(part.op is Op.AND and len(part.args) > _FLAT for part in (left, right)) and not (
        left.is_value or right.is_value or left is right
    ):
        return t.make(Op.AND, (left, right), BOOL)
    return t.conj(left, right)
