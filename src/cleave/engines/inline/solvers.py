"""Which of Z3's settings a search goes with.

Boogie's suit drivers, whose integers are compared and rarely computed with: case splits follow the program. With bit
vectors they lead astray; there Z3's own are behind by a factor of two at times, and ahead by hundreds at others.
Programs that compare maps need what Boogie's leave out: that maps with the same elements are equal. With quantifiers
it costs more than it gives: a queue of Boogie's textbook tests is verified in 4 s without, and not in a minute with it.

A worker that searches what another one searches, too, goes by the activity of literals instead: on some drivers with a
violation that takes less than a tenth of the cost, on others several times as much (docs/design/inline.md).
"""

from __future__ import annotations

from itertools import chain

from cleave.ir.program import Program
from cleave.logic.sorts import Sort
from cleave.logic.terms import Op, Term
from cleave.logic.walk import has_quantifier, postorder
from cleave.passes.flow import reads
from cleave.smt.z3.solver import ACTIVE, BOOGIE, EXTENSIONAL, PLAIN, Profile, Z3Solver


def solver_for(program: Program, seed: int, *, differently: bool = False) -> Z3Solver:
    profile = profile_for(program)
    if differently:
        profile = ACTIVE if profile is BOOGIE else PLAIN if profile is EXTENSIONAL else BOOGIE
    return Z3Solver(profile=profile, seed=seed)


def profile_for(program: Program) -> Profile:
    procedures = program.procedures.values()
    own = (chain(procedure.parameters, procedure.returns, procedure.locals) for procedure in procedures)
    variables = chain(program.globals, chain.from_iterable(own))
    if any(_has_bits(variable.sort) for variable in variables):
        return PLAIN
    return EXTENSIONAL if _compares_maps(program) else BOOGIE


def _compares_maps(program: Program) -> bool:
    """Quantifiers but those that say what a lambda expression is take very long with it."""
    terms = [term for procedure in program.procedures.values() for one in procedure.statements() for term in reads(one)]
    if any(map(has_quantifier, (*terms, *(axiom for axiom in program.axioms if not _is_lambda(axiom))))):
        return False
    nodes = postorder([*terms, *program.axioms])
    return any(node.op is Op.EQ and (node.args[0].sort.is_array or node.args[0].sort.is_datatype) for node in nodes)


def _is_lambda(axiom: Term) -> bool:
    """``forall x :: f(a)[x] == body``, without a quantifier in the body"""
    if axiom.op is not Op.FORALL or axiom.args[0].op is not Op.EQ or has_quantifier(axiom.args[0]):
        return False
    return any(side.op is Op.SELECT for side in axiom.args[0].args)


def _has_bits(sort: Sort) -> bool:
    return sort.is_bitvec or (sort.is_array and (_has_bits(sort.index) or _has_bits(sort.element)))
