"""Invariants by guessing, and proofs by k-induction with them.

    facts of each predicate  (`samples`)
    ──▶ formulas that hold of all of them  (`guesses`)
    ──▶ those that all rules preserve, together  (`houdini`)               a proof, if they exclude the queries
    ──▶ short derivations and k-induction, on clauses that assume them  (`unrolling`)

Typical loops have such invariants: what is counted together stays in proportion. What is proved in the end is an
invariant of the clauses as they are: the guesses and what k-induction adds. It is checked as any other one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cleave.engines.pdr.guesses import guesses
from cleave.engines.pdr.houdini import Houdini
from cleave.engines.pdr.options import USUAL, PdrOptions
from cleave.engines.pdr.samples import Samples
from cleave.engines.pdr.spacer.run import Answered, Event, Lemma, NoAnswer, Paused, SafeAnswer
from cleave.engines.pdr.unrolling import Unrolling
from cleave.ir.horn import Clause, HornSystem, Relation
from cleave.logic.terms import Term, conj_all
from cleave.logic.walk import has_quantifier, substitute
from cleave.passes.horn.relevant import parameters

_SAMPLES_COST = 1_000_000
_SIEVE_COST = 4_000_000

_Formulas = Mapping[str, Sequence[Term]]


class Guessing:
    """A run as `job.Run` wants it. It ends without an answer when it has cost more than ``cost_limit`` (0: never)."""

    def __init__(self, system: HornSystem, *, cost_limit: int = 0, options: PdrOptions = USUAL) -> None:
        self._system = system
        self._cost_limit = cost_limit
        self._options = options
        self._spent = 0
        self._samples: Samples | None = None
        self._houdini: Houdini | None = None
        self._unrolling: Unrolling | None = None
        self._invariants: _Formulas = {}
        self._answer: Answered | None = None
        if any(has_quantifier(clause.constraint) for clause in system.clauses):
            self._answer = NoAnswer("nothing is guessed about clauses with quantifiers")
        else:
            self._samples = Samples(system, _SAMPLES_COST)

    def resume(self, imports: Sequence[Lemma] = ()) -> Event:
        """One small step."""
        if self._answer is None and self._cost_limit and self.cost() >= self._cost_limit:
            self._answer = NoAnswer("nothing was proved by what was guessed within the cost")
        if self._answer is None:
            self._answer = self._step()
        return self._answer or Paused((), 0, self.cost())

    def stop(self) -> None:
        self._answer = self._answer or NoAnswer("stopped")
        self._close_samples()
        self._close_houdini()
        if self._unrolling is not None:
            self._unrolling.stop()

    def cost(self) -> int:
        running = [one for one in (self._samples, self._houdini, self._unrolling) if one is not None]
        return self._spent + sum(one.cost() for one in running)

    def counts(self) -> Mapping[str, int]:
        return {}

    def _step(self) -> Answered | None:
        if self._samples is not None:
            self._sample(self._samples)
            return None
        if self._houdini is not None:
            return self._sieve(self._houdini)
        return self._unroll()

    def _sample(self, samples: Samples) -> None:
        if not samples.is_over:
            samples.step()
            return
        self._houdini = Houdini(self._system)
        for name, found in samples.facts.items():
            self._houdini.add({name: list(dict.fromkeys(guesses(parameters(self._system, name), list(found))))})
        self._close_samples()

    def _sieve(self, houdini: Houdini) -> Answered | None:
        if houdini.is_busy and houdini.cost() < _SIEVE_COST:
            houdini.step()
            return None
        if not houdini.is_busy:
            self._invariants = houdini.invariants()
            if houdini.excludes_queries():
                return SafeAnswer(self._relations())
        self._close_houdini()
        self._unrolling = Unrolling(strengthened(self._system, self._invariants), options=self._options)
        return None

    def _unroll(self) -> Answered | None:
        assert self._unrolling is not None
        event = self._unrolling.resume()
        if isinstance(event, SafeAnswer):
            return SafeAnswer({name: self._joined(name, one) for name, one in event.interpretation.items()})
        return event if isinstance(event, Answered) else None

    def _relations(self) -> dict[str, Relation]:
        return {
            name: Relation(parameters(self._system, name), conj_all(found)) for name, found in self._invariants.items()
        }

    def _joined(self, name: str, relation: Relation) -> Relation:
        own = dict(zip(parameters(self._system, name), relation.parameters, strict=True))
        known = (substitute(one, own) for one in self._invariants.get(name, ()))
        return Relation(relation.parameters, conj_all((*known, relation.formula)))

    def _close_samples(self) -> None:
        if self._samples is not None:
            self._spent += self._samples.cost()
            self._samples.close()
            self._samples = None

    def _close_houdini(self) -> None:
        if self._houdini is not None:
            self._spent += self._houdini.cost()
            self._houdini.close()
            self._houdini = None


def strengthened(system: HornSystem, invariants: _Formulas) -> HornSystem:
    """Clauses that assume of their bodies what holds of all facts: they derive what they did."""

    def told(clause: Clause) -> Clause:
        known = [
            substitute(formula, dict(zip(parameters(system, atom.predicate), atom.arguments, strict=True)))
            for atom in clause.body
            for formula in invariants.get(atom.predicate, ())
        ]
        return replace(clause, constraint=conj_all((clause.constraint, *known))) if known else clause

    return replace(system, clauses=tuple(map(told, system.clauses)))
