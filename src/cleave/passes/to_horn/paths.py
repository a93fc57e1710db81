"""The way back: a derivation of ``false`` as the path of an execution.

A step that derives the predicate of a cut point continues where its first premise ended; one that derives a summary
ends an activation of its procedure. So the steps of one activation are a chain of first premises, and between them lie
the activations of the callees, each the last premise of the step that begins with the call. A step that several others
use is walked once for each use.

Which branch a step takes inside of its region is not in the derivation: a solver finds values of the clause's other
variables that fit the facts before and after.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cleave.errors import InternalError
from cleave.ir.horn import Atom, Clause, Derivation, Step
from cleave.ir.path import Enter, Leave, Path, PathStep, Visit
from cleave.logic.terms import Term, eq
from cleave.passes.to_horn.cuts import END, Region
from cleave.passes.to_horn.encoding import Encoded
from cleave.records import dataclass
from cleave.smt.solver import Answer, Model
from cleave.smt.z3.solver import DEFAULT, Z3Solver


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a clause comes from. ``calls``: the last atom of its body is the summary of a callee. ``tracked`` gives
    the clause once more, with Booleans that tell which branches it takes."""

    procedure: str
    region: Region
    calls: bool
    tracked: Callable[[], Encoded]


@dataclass(frozen=True, slots=True)
class _Activation:
    """Still to be walked: everything up to the return of the procedure that a step derives."""

    step: int


_Work = PathStep | _Activation


def path_of(derivation: Derivation, origins: Sequence[Origin]) -> Path:
    """The path of the program whose clauses these are, from the entry to its return."""
    return _Walk(derivation, origins).run()


class _Walk:
    def __init__(self, derivation: Derivation, origins: Sequence[Origin]) -> None:
        self._steps = derivation.steps
        self._origins = origins
        self._known: dict[int, tuple[str, ...]] = {}

    def run(self) -> Path:
        path: list[PathStep] = []
        work: list[_Work] = [_Activation(len(self._steps) - 1)]
        while work:
            item = work.pop()
            if isinstance(item, _Activation):
                work += reversed(self._activation(item.step))
            else:
                path.append(item)
        return tuple(path)

    def _activation(self, last: int) -> list[_Work]:
        chain = [last]
        while self._origin(chain[-1]).region.source is not None:
            chain.append(self._steps[chain[-1]].premises[0])
        work: list[_Work] = [Enter(self._origin(last).procedure)]
        for number in reversed(chain):
            visits: list[_Work] = [Visit(label) for label in self._blocks(number)]
            if self._origin(number).calls:
                visits.insert(1, _Activation(self._steps[number].premises[-1]))
            work += visits
        return [*work, Leave()]

    def _origin(self, number: int) -> Origin:
        return self._origins[self._steps[number].clause]

    def _blocks(self, number: int) -> tuple[str, ...]:
        """The blocks that a step passes."""
        found = self._known.get(number)
        if found is None:
            region = self._origin(number).region
            found = region.blocks if region.is_chain else self._followed(number)
            self._known[number] = found
        return found

    def _followed(self, number: int) -> tuple[str, ...]:
        """The blocks of true edges in a model of the step's clause."""
        made = self._origin(number).tracked()
        model = self._model(made.clause, self._steps[number])
        blocks: list[str] = []
        label = next(iter(made.edges))
        while label != END:
            blocks.append(label)
            taken = [following for following, edge in made.edges[label] if edge.is_true or model.is_true(edge)]
            if not taken:
                raise InternalError(f"the solver's values leave block {label} by no edge")
            label = taken[0]
        return tuple(blocks)

    def _model(self, clause: Clause, step: Step) -> Model:
        solver = Z3Solver(profile=DEFAULT)
        solver.add(clause.constraint)
        premises = [self._steps[premise].arguments for premise in step.premises]
        for atom, values in zip(clause.body, premises, strict=True):
            _equate(solver, atom, values)
        if clause.head is not None:
            _equate(solver, clause.head, step.arguments)
        if solver.check() is Answer.UNSAT:
            raise InternalError(f"a step by clause {step.clause} does not follow from its premises")
        return solver.model()


def _equate(solver: Z3Solver, atom: Atom, values: tuple[Term, ...]) -> None:
    for argument, value in zip(atom.arguments, values, strict=True):
        solver.add(eq(argument, value))
