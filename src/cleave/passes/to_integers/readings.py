"""Which variables hold signed numbers and which unsigned ones: bit vectors do not say it, their uses do.

    assume (bvult k n); n := (bvadd m 1)        k, n and m are unsigned

Signed and unsigned comparisons, divisions, shifts and extensions count as votes for the variables in their operands;
who has none follows the variables that it is assigned, added or compared to. A wrong guess is no error: a value is then
converted where it is used.

The elements of an array have one reading, the same for all arrays that are assigned to each other: arrays can't be
converted. Neither can what a procedure returns, so it is read as the variable that gets it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from cleave.ir.program import Assert, Assign, Assume, Call, Procedure, Program, Statement
from cleave.logic.terms import Op, Term
from cleave.logic.walk import postorder
from cleave.passes.to_integers.numbers import Reading

Place = tuple[str, Term]
"""A variable, with its procedure; "" for globals. Of an array it stands for the elements."""

_SIGNED = frozenset((Op.BV_SLT, Op.BV_SLE, Op.BV_SDIV, Op.BV_SREM, Op.BV_SMOD, Op.BV_ASHR, Op.SIGN_EXTEND))
_UNSIGNED = frozenset((Op.BV_ULT, Op.BV_ULE, Op.BV_UDIV, Op.BV_UREM, Op.BV_LSHR, Op.ZERO_EXTEND))
_SAME = frozenset((Op.BV_ADD, Op.BV_SUB, Op.BV_MUL, Op.BV_NEG, Op.BV_NOT, Op.BV_AND, Op.BV_OR, Op.BV_XOR))


class Readings:
    def __init__(self, program: Program) -> None:
        self._globals = frozenset(program.globals)
        self._votes: Counter[Place] = Counter()  # positive: signed
        self._links: defaultdict[Place, set[Place]] = defaultdict(set)
        self._same: dict[Place, Place] = {}  # towards the one that decides for all that must have the same reading
        for procedure in program.procedures.values():
            self._procedure(program, procedure)
        self._found = self._decided()

    def of(self, procedure: str, variable: Term) -> Reading:
        """Of a bit vector, or of the elements of an array."""
        place = self._place(procedure, variable)
        return self._found.get(self._leader(place), Reading.SIGNED)

    # --- looking at the program -------------------------------------------------------------------------------------

    def _procedure(self, program: Program, procedure: Procedure) -> None:
        seen: set[Term] = set()
        for statement in procedure.statements():
            for node in postorder(_terms(statement), done=seen):
                self._node(procedure.name, node)
            if isinstance(statement, Assign):
                for target, value in zip(statement.targets, statement.values, strict=True):
                    self._link([self._place(procedure.name, target)], self._leaves(procedure.name, value))
            elif isinstance(statement, Call):
                callee = program.procedures[statement.procedure]
                for parameter, argument in zip(callee.parameters, statement.arguments, strict=True):
                    self._link([self._place(callee.name, parameter)], self._leaves(procedure.name, argument))
                for returned, result in zip(callee.returns, statement.results, strict=True):
                    self._unify(self._place(callee.name, returned), self._place(procedure.name, result))

    def _node(self, procedure: str, node: Term) -> None:
        op = node.op
        if op in _SIGNED or op in _UNSIGNED:
            shift = op in (Op.BV_ASHR, Op.BV_LSHR)
            for argument in node.args[:1] if shift else node.args:
                for place in self._leaves(procedure, argument):
                    self._votes[place] += 1 if op in _SIGNED else -1
        elif op in (Op.EQ, Op.STORE) or (op is Op.ITE and node.sort.is_array):
            first, last = node.args[-2] if op is Op.ITE else node.args[0], node.args[-1]
            self._link(self._leaves(procedure, first), self._leaves(procedure, last))

    def _leaves(self, procedure: str, term: Term) -> list[Place]:
        """The variables that ``term`` has its sign from; of an array, those that its elements are from."""
        found: dict[Place, None] = {}
        stack, seen = [term], {term}
        while stack:
            node = stack.pop()
            if node.is_var:
                found[self._place(procedure, node)] = None
            for part in _parts(node):
                if part not in seen:
                    seen.add(part)
                    stack.append(part)
        return list(found)

    def _place(self, procedure: str, variable: Term) -> Place:
        return ("" if variable in self._globals else procedure), variable

    # --- drawing conclusions ----------------------------------------------------------------------------------------

    def _link(self, some: Sequence[Place], others: Sequence[Place]) -> None:
        for one in some:
            for other in others:
                self._links[one].add(other)
                self._links[other].add(one)
                if one[1].sort.is_array and other[1].sort.is_array:
                    self._unify(one, other)

    def _unify(self, one: Place, other: Place) -> None:
        first, second = self._leader(one), self._leader(other)
        if first != second:
            self._same[second] = first

    def _leader(self, place: Place) -> Place:
        while place in self._same:
            place = self._same[place]
        return place

    def _decided(self) -> dict[Place, Reading]:
        votes: Counter[Place] = Counter()
        for place, count in self._votes.items():
            votes[self._leader(place)] += count
        links: defaultdict[Place, list[Place]] = defaultdict(list)
        for place, others in self._links.items():
            links[self._leader(place)] += sorted({self._leader(o) for o in others}, key=_order)
        found = {place: _majority(count) for place, count in votes.items() if count}
        border = sorted(found, key=_order)
        while border:  # the nearest that have votes decide for the others
            pending: Counter[Place] = Counter()
            for place in border:
                for other in links[place]:
                    if other not in found:
                        pending[other] += 1 if found[place] is Reading.SIGNED else -1
            border = sorted(pending, key=_order)
            found.update({place: _majority(pending[place]) for place in border})
        return found


def _majority(votes: int) -> Reading:
    return Reading.UNSIGNED if votes < 0 else Reading.SIGNED


def _order(place: Place) -> tuple[str, str]:
    return place[0], place[1].name


def _parts(node: Term) -> Iterable[Term]:
    if node.op in _SAME:
        return node.args
    match node.op:
        case Op.ITE:
            return node.args[1:]
        case Op.SELECT | Op.BV_SHL:
            return node.args[:1]
        case Op.STORE:
            return node.args[0], node.args[2]
        case Op.CONST_ARRAY:
            return node.args
        case _:
            return ()


def _terms(statement: Statement) -> Iterator[Term]:
    match statement:
        case Assume(condition) | Assert(condition):
            yield condition
        case Assign(_, values):
            yield from values
        case Call(_, arguments):
            yield from arguments
        case _:
            pass
