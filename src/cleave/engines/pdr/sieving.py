"""Invariants out of everybody's lemmas: which of them hold for any number of rounds, all together?

    worker 1 learned   x >= 0 in the first 4 rounds          together they are inductive: a worker that
    worker 2 learned   y = 2 * x in the first 7 rounds       gets both has two invariants more

SPACER looks for lemmas that hold for any number of rounds when one of its levels is complete, and among its own. A
sieve takes those of all workers, as soon as they are learned, and keeps what is inductive (`houdini`). That gives
invariants to share long before SPACER has any, and often a proof: lemmas that exclude the queries are one. It is an
answer like SPACER's own, and checked like that.
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.engines.pdr.houdini import Houdini
from cleave.engines.pdr.messages import INVARIANT, Lemma
from cleave.engines.pdr.options import USUAL, PdrOptions
from cleave.engines.pdr.spacer.run import SafeAnswer
from cleave.errors import InputError
from cleave.ir.horn import HornSystem, Relation
from cleave.logic.smtlib_reader import read_term
from cleave.logic.terms import Term, conj_all
from cleave.passes.horn.relevant import parameters


class Sieve:
    """`add` lemmas, then `work`; what it found is in `news` and `proof`."""

    def __init__(self, system: HornSystem, options: PdrOptions = USUAL) -> None:
        self._system = system
        self._most_lemmas = options.most_sieved
        self._houdini = Houdini(system)
        self._scopes = {name: {v.name: v for v in parameters(system, name)} for name in system.predicates}
        self._functions = {function.name: function for function in system.functions}
        self._texts: dict[tuple[str, Term], str] = {}
        self._invariants: set[tuple[str, str]] = set()  # that somebody knows
        self._seen: set[tuple[str, str]] = set()
        self._news: list[Lemma] = []
        self._found = 0  # invariants, so far
        self.proof: SafeAnswer | None = None

    def add(self, lemmas: Iterable[Lemma]) -> None:
        for lemma in lemmas:
            key = (lemma.predicate, lemma.text)
            if lemma.level == INVARIANT:
                self._invariants.add(key)
            if key not in self._seen and len(self._seen) < self._most_lemmas and lemma.predicate in self._scopes:
                self._seen.add(key)
                self._read(lemma)

    def _read(self, lemma: Lemma) -> None:
        try:
            formula = read_term(lemma.text, self._scopes[lemma.predicate], self._functions)
        except InputError:
            return  # in words of Z3's own, or a lie
        self._texts.setdefault((lemma.predicate, formula), lemma.text)
        self._houdini.add({lemma.predicate: [formula]})

    @property
    def is_busy(self) -> bool:
        return self._houdini.is_busy

    def work(self, cost: int) -> None:
        """Goes on for about so much, or until there is nothing to do."""
        end = self.cost() + cost
        while self.proof is None and self._houdini.is_busy and self.cost() < end:
            if self._houdini.step():
                self._look()

    def _look(self) -> None:
        """A round is over: are there more invariants than before?"""
        found = self._houdini.invariants()
        texts = [(name, self._texts[name, formula]) for name, formulas in found.items() for formula in formulas]
        if len(texts) == self._found:
            return
        self._found = len(texts)
        self._news += (Lemma(name, INVARIANT, text) for name, text in texts if (name, text) not in self._invariants)
        self._invariants.update(texts)
        if self._houdini.excludes_queries():
            relations = {name: Relation(parameters(self._system, name), conj_all(f)) for name, f in found.items()}
            self.proof = SafeAnswer(relations)

    def news(self) -> list[Lemma]:
        """Invariants that nobody knew; each once."""
        news, self._news = self._news, []
        return news

    def cost(self) -> int:
        return self._houdini.cost()

    def close(self) -> None:
        self._houdini.close()
