"""Boolean circuits as clauses, each gate made once.

>>> gates = Gates()
>>> a, b = gates.fresh(), gates.fresh()
>>> gates.conj((a, b)), gates.conj((b, a)), gates.conj((a, -a))
(4, 4, -1)
>>> gates.take()
[[1], [-4, 2], [-4, 3], [4, -2, -3]]

Literals are DIMACS's: a variable is a positive number, its negation the negative one. Variable 1 is true. What
constants, equal or opposite inputs decide is no gate, so that a circuit all of whose inputs are constants is evaluated.
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.errors import UnsupportedError

TRUE, FALSE = 1, -1
MOST_CLAUSES = 5_000_000  # about a gigabyte
Clause = list[int]


class Gates:
    def __init__(self) -> None:
        self.variables = TRUE
        self.made = 1  # clauses so far
        self._clauses: list[Clause] = [[TRUE]]
        self._conjunctions: dict[tuple[int, ...], int] = {}
        self._exclusive: dict[tuple[int, int], int] = {}
        self._choices: dict[tuple[int, int, int], int] = {}
        self._majorities: dict[tuple[int, ...], int] = {}

    def fresh(self) -> int:
        self.variables += 1
        return self.variables

    def require(self, clause: Iterable[int]) -> None:
        """One of the literals is true."""
        literals = set(clause)
        if TRUE in literals or any(-literal in literals for literal in literals):
            return
        literals.discard(FALSE)
        self._add(sorted(literals))

    def take(self) -> list[Clause]:
        """The clauses that were made since the last call."""
        taken, self._clauses = self._clauses, []
        return taken

    def _add(self, *clauses: Clause) -> None:
        self.made += len(clauses)
        if self.made > MOST_CLAUSES:
            raise UnsupportedError(f"bit-blasting makes more than {MOST_CLAUSES:,} clauses of it")
        self._clauses += clauses

    # --- gates --------------------------------------------------------------------------------------------------------

    def conj(self, literals: Iterable[int]) -> int:
        inputs = set(literals)
        inputs.discard(TRUE)
        if FALSE in inputs or any(-literal in inputs for literal in inputs):
            return FALSE
        if len(inputs) < 2:
            return next(iter(inputs), TRUE)
        key = tuple(sorted(inputs))
        found = self._conjunctions.get(key)
        if found is None:
            found = self._conjunctions[key] = self.fresh()
            self._add(*([-found, literal] for literal in key), [found, *(-literal for literal in key)])
        return found

    def disj(self, literals: Iterable[int]) -> int:
        return -self.conj([-literal for literal in literals])

    def xor(self, a: int, b: int) -> int:
        if abs(a) > abs(b):
            a, b = b, a
        if abs(a) == TRUE:
            return -b if a == TRUE else b
        if abs(a) == abs(b):
            return FALSE if a == b else TRUE
        sign = -1 if (a < 0) != (b < 0) else 1
        a, b = abs(a), abs(b)
        found = self._exclusive.get((a, b))
        if found is None:
            found = self._exclusive[a, b] = self.fresh()
            self._add([-found, a, b], [-found, -a, -b], [found, -a, b], [found, a, -b])
        return sign * found

    def ite(self, condition: int, then: int, otherwise: int) -> int:
        if condition < 0:
            condition, then, otherwise = -condition, otherwise, then
        if condition == TRUE or then == otherwise:
            return then
        if then in (TRUE, condition):
            return self.disj((condition, otherwise))
        if then in (FALSE, -condition):
            return self.conj((-condition, otherwise))
        if otherwise in (TRUE, -condition):
            return self.disj((-condition, then))
        if otherwise in (FALSE, condition):
            return self.conj((condition, then))
        if then == -otherwise:
            return -self.xor(condition, then)
        sign = -1 if then < 0 else 1
        return sign * self._choice(condition, sign * then, sign * otherwise)

    def _choice(self, condition: int, then: int, otherwise: int) -> int:
        key = (condition, then, otherwise)
        found = self._choices.get(key)
        if found is None:
            found = self._choices[key] = self.fresh()
            # That both agree tells the result, too, but not by unit propagation. Clauses that say so do not pay:
            # see docs/design/threads.md.
            self._add(
                [-condition, -then, found],
                [-condition, then, -found],
                [condition, -otherwise, found],
                [condition, otherwise, -found],
            )
        return found

    def majority(self, a: int, b: int, c: int) -> int:
        """Whether at least two of three are true: the carry of a sum, and, one negated, that of a difference."""
        a, b, c = sorted((a, b, c), key=abs)
        if abs(a) == TRUE:
            return self.disj((b, c)) if a == TRUE else self.conj((b, c))
        if abs(a) == abs(b):
            return a if a == b else c
        if abs(b) == abs(c):
            return b if b == c else a
        found = self._majorities.get((a, b, c))
        if found is None:
            found = self._majorities[a, b, c] = self.fresh()
            self._add([-a, -b, found], [-a, -c, found], [-b, -c, found])
            self._add([a, b, -found], [a, c, -found], [b, c, -found])
        return found
