"""Simplification of Horn systems, pass by pass, with the way back.

    simplified = simplify_horn(system)
    simplified.system                       # with fewer clauses, predicates and arguments
    simplified.interpretation(found)        # of the system that was given
    simplified.derivation(found)            # likewise
    simplified.inlined                      # predicates that went because their definitions took their place

SPACER runs without Z3's own rewriting of clauses, as lemmas are shared and proofs read back in terms of the clauses;
this wins back most of what that costs. Every pass has a way back that can't fail for want of a solver's luck.
"""

from __future__ import annotations

from cleave.ir.horn import Derivation, HornSystem, Interpretation
from cleave.passes.horn.arguments import drop_arguments
from cleave.passes.horn.idle import drop_open, drop_unread
from cleave.passes.horn.inline import candidates, inline
from cleave.passes.horn.relevant import keep_relevant
from cleave.passes.horn.step import Pass
from cleave.passes.horn.tidy import tidy
from cleave.passes.horn.unwrap import unwrap
from cleave.records import dataclass


@dataclass(frozen=True)
class SimplifiedHorn:
    """A system and the way back to the one it came from."""

    system: HornSystem
    passes: tuple[Pass, ...] = ()
    inlined: tuple[str, ...] = ()

    def interpretation(self, interpretation: Interpretation) -> Interpretation:
        for done in reversed(self.passes):
            interpretation = done.interpretation(interpretation)
        return interpretation

    def derivation(self, derivation: Derivation) -> Derivation:
        for done in reversed(self.passes):
            derivation = done.derivation(derivation)
        return derivation

    def forward(self, interpretation: Interpretation) -> Interpretation:
        """Of the simplified system, from one of the system that was given: it holds of clauses that follow, too."""
        for done in self.passes:
            interpretation = done.forward(interpretation)
        return {name: relation for name, relation in interpretation.items() if name in self.system.predicates}

    def then(self, done: Pass, *inlined: str) -> SimplifiedHorn:
        return SimplifiedHorn(done.system, (*self.passes, done), (*self.inlined, *inlined))


def simplify_horn(system: HornSystem, *, quantifiers: bool = True) -> SimplifiedHorn:
    """Without ``quantifiers``, interpretations of the given system have none that were not there before."""
    state = SimplifiedHorn(system)
    for simple in (keep_relevant, tidy, drop_arguments, drop_unread, drop_open):
        state = state.then(simple(state.system))
    state = _inline_all(state, quantifiers)
    for simple in (keep_relevant, drop_arguments, drop_unread, drop_open):
        state = state.then(simple(state.system))
    return state


def _inline_all(state: SimplifiedHorn, quantifiers: bool) -> SimplifiedHorn:
    """Until no predicate can go any more. One that could not may be able to once another is gone."""
    is_changed = True
    while is_changed:
        is_changed = False
        for name in candidates(state.system):
            done = inline(state.system, name, quantifiers=quantifiers)
            if done is not None:
                state = state.then(done, name)
                is_changed = True
    return state


def unwrapped_horn(system: HornSystem) -> SimplifiedHorn:
    """Arithmetic that does not go round is written without that, and what is constant then goes."""
    state = SimplifiedHorn(system)
    size = -1
    while size != (size := sum(len(predicate.sorts) for predicate in state.system.predicates.values())):
        same = Pass(unwrap(state.system), lambda found: found, lambda found: found)
        state = state.then(same)
        for simple in (tidy, drop_arguments, drop_unread, drop_open):
            state = state.then(simple(state.system))
    return state
