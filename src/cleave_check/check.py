"""Checks a certificate: what it claims, whether its evidence shows that, and what the answer rests on.

report = check(read_certificate(data), seconds=120)      # or a `Refusal`
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cleave_check.bits import clauses_of
from cleave_check.certificate import Certificate, Claim
from cleave_check.clauses import derivation, obligations, read_clauses
from cleave_check.data import listed, mapped, number, only, text
from cleave_check.explore import explore
from cleave_check.program import Program, read_program
from cleave_check.refusal import Refusal, Undecided, Unreadable
from cleave_check.refutation import check_refutation, unpacked
from cleave_check.replay import replay
from cleave_check.sexpr import one
from cleave_check.smtlib import script
from cleave_check.solvers import SHOWN, ask, order
from cleave_check.term_reader import TermReader
from cleave_check.terms import FALSE, Term, conj, disj, neg
from cleave_check.threads import ThreadUnfolding, rounds_for
from cleave_check.unfold import Unfolding

MOST_STATES = 2_000_000
MOST_ROUNDS = 50
_DEPTH = 20_000  # of calls in Python: each call of the program takes a few


@dataclass(slots=True)
class Report:
    """``checked`` says how; ``rests_on`` what nobody checked."""

    claim: Claim
    checked: list[str] = field(default_factory=list)
    rests_on: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Asking:
    """Solvers that may be asked, and how long in all. ``only``: just this one."""

    found_by: list[str]
    seconds: float
    only: str | None = None

    def all(self, formulas: list[Term], answer: str, what: str) -> str:
        """Who confirmed that each formula has this answer."""
        left = list(range(len(formulas)))
        by: dict[str, None] = {}
        names = [self.only] if self.only else order(formulas, self.found_by)
        for name in names if left else ():
            scripts = [script([formulas[at]]) for at in left]
            said = dict(zip(left, ask(name, scripts, self.seconds), strict=True))
            wrong = [at for at in left if said[at] not in (answer, "unknown")]
            if wrong:
                raise Refusal(f"{what} {wrong[0] + 1} does not hold: {SHOWN[name]} says {said[wrong[0]]}")
            confirmed = [at for at in left if said[at] == answer]
            by |= {name: None} if confirmed else {}
            left = [at for at in left if said[at] != answer]
            if not left:
                break
        if left:
            tried = " and ".join(SHOWN[name] for name in names) or "no solver that did not search"
            raise Undecided(f"{what} {left[0] + 1} is not decided by {tried}")
        return " and ".join(SHOWN[one] for one in by)

    def refuted(self, formulas: list[Term], refutations: Any, what: str) -> tuple[int, str]:
        """That no formula has a model: how many steps of refutations were checked, and who says it of the others."""
        told = listed(refutations) or [None] * len(formulas)
        if len(told) != len(formulas):
            raise Unreadable("a certificate has a refutation, or null, for each formula")
        left, steps = [], 0
        for formula, refutation in zip(formulas, told, strict=True):
            if formula is FALSE:
                continue
            if refutation is None or self.only:
                left.append(formula)
                continue
            clauses = clauses_of(formula)
            if clauses is None:
                raise Unreadable("a formula that is not about bits has no refutation")
            steps += check_refutation(clauses, unpacked(text(refutation)))
        return steps, self.all(left, "unsat", what)


def allow_depth() -> None:
    """Calls and loops of a program are followed by calls in Python."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _DEPTH))


def check(certificate: Certificate, *, seconds: float = 120, solver: str | None = None) -> Report:
    asking = _Asking(certificate.solvers, seconds, solver)
    report = Report(certificate.claim)
    kind = text(certificate.evidence.get("kind"))
    checker = _KINDS.get(kind)
    if checker is None:
        raise Unreadable(f"evidence of the kind {kind[:60]!r} is not known")
    try:
        checker(certificate, asking, report)
    except RecursionError:
        raise Undecided("the evidence is nested too deeply") from None
    except MemoryError:
        raise Undecided("the evidence needs more memory than there is") from None
    reader = text(certificate.origin["reader"])
    report.rests_on.insert(0, f"the front end for {reader}, which made the subject of the source")
    return report


# --- programs --------------------------------------------------------------------------------------------------------


def property_of(program: Program) -> str:
    """What a violation is, in the words of a claim."""
    if program.ends:
        return "end-reachable"
    return ", ".join(sorted(program.checked)) or "assertions"


def _program(certificate: Certificate, *verdicts: str) -> Program:
    program, claim = read_program(certificate.subject), certificate.claim
    if claim.verdict not in verdicts:
        raise Refusal(f"evidence of this kind does not show {claim.verdict}")
    if claim.property != property_of(program):
        raise Refusal(f"the claim is about {claim.property}, and the program asks about {property_of(program)}")
    if not claim.entries or len(set(claim.entries)) != len(claim.entries):
        raise Unreadable("the claim names no entry, or one twice")
    if any(not (procedure := program.procedures.get(name)) or not procedure.blocks for name in claim.entries):
        raise Unreadable("the claim names an entry that has no body")
    return program


def _trace(certificate: Certificate, asking: _Asking, report: Report) -> None:
    evidence = only(certificate.evidence, "kind", "entry", "schedule", "values", "successors", "functions")
    program = _program(certificate, "unsafe")
    if evidence["entry"] not in certificate.claim.entries:
        raise Refusal("the execution begins elsewhere than at an entry of the claim")
    report.checked.append(replay(program, evidence["entry"], evidence))
    if any(s.unmodelled for p in program.procedures.values() for s in p.statements()):
        report.rests_on.append("that functions which the program leaves open may return what the execution takes")


def _executions(certificate: Certificate, asking: _Asking, report: Report) -> None:
    evidence = only(certificate.evidence, "kind", "states")
    program = _program(certificate, "safe", "bounded-safe")
    bounds = certificate.claim.bounds
    if set(bounds) - {"contexts"}:
        raise Refusal("evidence of this kind shows nothing within such bounds")
    if program.ends and program.has_threads:
        raise Refusal("with several threads, only assertions can be violated")
    if any(p.requires or p.ensures for p in program.procedures.values()) and program.has_threads:
        raise Undecided("contracts are not checked in a program with threads")
    most = min(MOST_STATES, number(evidence["states"]))
    for entry in certificate.claim.entries:
        report.checked.append(explore(program, entry, bounds.get("contexts"), most))


def _unfolding(certificate: Certificate, asking: _Asking, report: Report) -> None:
    evidence, formulas = certificate.evidence, formulas_of(certificate)
    count = sum(len(mapped(one)["conditions"]) for one in evidence["invariants"])
    _ask(formulas, evidence, asking, report, f", with {count} loop invariants" if count else "")


def _schedules(certificate: Certificate, asking: _Asking, report: Report) -> None:
    formulas, claim = formulas_of(certificate), certificate.claim
    within = ", ".join(f"{name} {bound}" for name, bound in claim.bounds.items())
    _ask(formulas, certificate.evidence, asking, report, f", for all schedules within {within}")


def _ask(formulas: list[Term], evidence: dict[str, Any], asking: _Asking, report: Report, more: str) -> None:
    what = "part" if len(formulas) > 1 else "obligation"
    steps, names = asking.refuted(formulas, evidence["refutations"], what)
    said = f"{len(evidence['instances'])} calls and loop iterations were unfolded and encoded again{more}"
    said += f", in {len(formulas)} parts that cover the search" if len(formulas) > 1 else ""
    shown = [f"a refutation of {steps} steps, each checked, shows that nothing is violated"] if steps else []
    shown += [f"{names} says that nothing is violated"] if names else []
    report.checked.append(f"{said}; {' and '.join(shown) or 'constants decide'}")
    report.rests_on += [names] if names else []


def formulas_of(certificate: Certificate) -> list[Term]:
    """What must have no model, so that the claim holds: a formula for each leaf of the split tree, or each clause."""
    evidence, claim = certificate.evidence, certificate.claim
    kind = evidence.get("kind")
    if kind == "unfolding":
        only(evidence, "kind", "instances", "invariants", "split", "refutations")
        program = _program(certificate, "safe", "bounded-safe")
        made = unfolding(program, claim.entries, evidence, claim.bounds).encode()
    elif kind == "schedules":
        only(evidence, "kind", "instances", "split", "refutations")
        program = _program(certificate, "bounded-safe")
        made = schedules(program, claim.entries, _instances(evidence), claim.bounds)[0].encode()
    else:
        only(evidence, "kind", "definitions", "refutations")
        _no_program(claim, "safe")
        definitions = "\n".join(text(line) for line in listed(evidence["definitions"]))
        return obligations(read_clauses(certificate.subject), definitions)
    if len(made.reached) != len(evidence["instances"]):
        raise Refusal("an instance is of no call or loop that the program can reach")
    parts = leaves(evidence["split"], made.reached)
    return [conj(*made.assumed, disj(*made.bad), *decisions) for decisions in parts]


def _instances(evidence: dict[str, Any]) -> list[tuple[int, str]]:
    instances = []
    for pair in map(listed, listed(evidence["instances"])):
        if len(pair) != 2 or isinstance(pair[0], bool) or not isinstance(pair[0], int):
            raise Unreadable("an instance has a parent and a place")
        instances.append((pair[0], text(pair[1])))
    return instances


def unfolding(
    program: Program, entries: tuple[str, ...], evidence: dict[str, Any], bounds: Mapping[str, int], grow: int = 0
) -> Unfolding:
    """``recursion N`` allows N activations and iterations; ``unwind N`` N whole ones and the beginning of another, and
    does not count iterations that constants decide."""
    if set(bounds) - {"recursion", "unwind"} or len(bounds) > 1:
        raise Refusal("evidence of this kind shows nothing within such bounds")
    bound = bounds["unwind"] + 1 if "unwind" in bounds else bounds.get("recursion")
    if bound == 0:
        raise Refusal("a bound is at least 1")
    counts_all, conditions = "unwind" not in bounds, _conditions(program, evidence)
    return Unfolding(program, entries, _instances(evidence), bound, conditions, grow, counts_all)


def schedules(
    program: Program,
    entries: tuple[str, ...],
    instances: Sequence[tuple[int, str]],
    bounds: Mapping[str, int],
    grow: int = 0,
) -> tuple[ThreadUnfolding, int]:
    """An unfolding for all schedules within the bounds, and its rounds."""
    both = {"contexts", "rounds"} & set(bounds)
    if len(entries) != 1 or set(bounds) - {"contexts", "rounds", "unwind"} or len(both) != 1:
        raise Refusal("evidence of this kind shows nothing within such bounds, or from several entries")
    bound = bounds["unwind"] + 1 if "unwind" in bounds else None
    if not 1 <= bounds.get("rounds", bounds.get("contexts", 0)) <= MOST_ROUNDS:
        raise Refusal(f"evidence of this kind is about 1 to {MOST_ROUNDS} rounds or contexts")
    rounds = bounds["rounds"] if "rounds" in bounds else rounds_for(bounds["contexts"], 2)
    contexts = bounds.get("contexts")
    made = ThreadUnfolding(program, entries[0], instances, rounds, contexts, bound, grow)
    made.encode()
    if contexts is not None:
        rounds = rounds_for(contexts, made.threads)
    return ThreadUnfolding(program, entries[0], made.instances, rounds, contexts, bound, grow), rounds


def _conditions(program: Program, evidence: dict[str, Any]) -> dict[tuple[str, str], list[tuple[int, Term]]]:
    found: dict[tuple[str, str], list[tuple[int, Term]]] = {}
    count = 0
    for data in map(mapped, listed(evidence["invariants"])):
        invariant = only(data, "procedure", "head", "conditions")
        procedure = program.procedures.get(text(invariant["procedure"]))
        key = (text(invariant["procedure"]), text(invariant["head"]))
        if procedure is None or key in found or key[1] not in procedure.blocks:
            raise Unreadable("an invariant is at a block that is not there, or comes twice")
        own = (*program.globals, *program.constants, *procedure.parameters, *procedure.returns, *procedure.locals)
        reader = TermReader({str(v.data): v for v in own}, program.functions)
        found[key] = []
        for condition in listed(invariant["conditions"]):
            term = reader.read(one(text(condition)))
            if term.sort != ("Bool",):
                raise Unreadable("an invariant is not a Bool")
            found[key].append((count, term))
            count += 1
    return found


def leaves(split: Any, reached: dict[int, Term]) -> list[list[Term]]:
    """The decisions of each leaf of a split tree: ``[instance, avoiding, reaching]``, or None for a leaf.

    Whatever an execution does, it reaches an instance or avoids it; so the leaves of such a tree cover everything.
    """
    found: list[list[Term]] = []
    pending: list[tuple[Any, list[Term]]] = [(split, [])]
    while pending:
        node, decisions = pending.pop()
        if node is None:
            found.append(decisions)
            continue
        parts = listed(node)
        if len(parts) != 3 or number(parts[0]) not in reached or len(found) + len(pending) > 100_000:
            raise Unreadable("a node of the split tree has an instance and two children")
        here = reached[parts[0]]
        pending += [(parts[2], [*decisions, here]), (parts[1], [*decisions, neg(here)])]
    return found


# --- clauses ---------------------------------------------------------------------------------------------------------


def _no_program(claim: Claim, verdict: str) -> None:
    if claim.verdict != verdict:
        raise Refusal(f"evidence of this kind does not show {claim.verdict}")
    if claim.property != "clauses" or claim.entries or claim.bounds:
        raise Refusal("a claim about clauses has no other property, no entry and no bound")


def _interpretation(certificate: Certificate, asking: _Asking, report: Report) -> None:
    asked = formulas_of(certificate)
    steps, names = asking.refuted(asked, certificate.evidence["refutations"], "clause")
    shown = [f"a refutation of {steps} steps, each checked, shows it"] if steps else []
    shown += [f"{names} says so"] if names else []
    said = f"{len(asked)} clauses hold under the definitions of their predicates"
    report.checked.append(f"{said}; {' and '.join(shown) or 'there is nothing else to check'}")
    report.rests_on += [names] if names else []


def _derivation(certificate: Certificate, asking: _Asking, report: Report) -> None:
    evidence = only(certificate.evidence, "kind", "steps")
    _no_program(certificate.claim, "unsafe")
    asked = derivation(read_clauses(certificate.subject), [mapped(step) for step in listed(evidence["steps"])])
    names = asking.all(asked, "sat", "step")
    report.checked.append(f"false is derived in {len(asked)} steps, each by its clause, says {names}")
    report.rests_on.append(names)


_KINDS: dict[str, Callable[[Certificate, _Asking, Report], None]] = {
    "trace": _trace,
    "executions": _executions,
    "unfolding": _unfolding,
    "schedules": _schedules,
    "interpretation": _interpretation,
    "derivation": _derivation,
}
