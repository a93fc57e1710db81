"""SPACER's answers, in Cleave's terms.

**Safe**: a conjunction of definitions, ``(forall (A B) (= (p0 A B) formula))`` for each predicate.

**Unsafe**: a proof of ground resolution steps, shared where a fact is used twice:

    ((_ hyper-res ...) (asserted rule) premise premise fact)

Z3 rewrites the rules, and puts the premises in the order of the rewritten one. So only the facts are taken from the
proof; which clause gives a fact from its premises, and in which order, is found by a solver (most often there is one
clause to try).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice, product

from cleave.engines.pdr.spacer.problem import Problem
from cleave.errors import UnsupportedError
from cleave.ir.horn import Clause, Derivation, HornSystem, Interpretation, Relation, Step
from cleave.logic import datatypes
from cleave.logic.sorts import Sort
from cleave.logic.terms import FALSE, TRUE, Term, conj_all, eq, var
from cleave.smt.solver import Answer
from cleave.smt.z3.native import lib
from cleave.smt.z3.operators import Build
from cleave.smt.z3.read import Reader
from cleave.smt.z3.solver import DEFAULT, Z3Solver

_AST_QUANTIFIER = 3
_TRUE, _FALSE, _EQ, _AND, _NOT, _IFF = 0x100, 0x101, 0x102, 0x105, 0x109, 0x107
_ASSERTED, _MODUS_PONENS, _HYPER_RESOLVE = 0x502, 0x504, 0x529

_MANY_ORDERS = 256  # ways to assign premises to the atoms of a body that are tried


def reader_of(problem: Problem) -> Reader:
    functions = {function.name: function for function in problem.system.functions if function.arguments}
    sorts = {problem.translator.sort(sort): sort for sort in problem.sorts}
    return Reader(problem.context, {}, functions, sorts, _datatype_builders(problem))


def _datatype_builders(problem: Problem) -> dict[int, Build]:
    """What the native functions of data types make; a test is found by the negated pointer of its constructor."""
    found: dict[int, Build] = {}
    declared = problem.translator.datatypes
    for sort in problem.sorts:
        for number, constructor in enumerate(sort.constructors if sort.is_datatype else ()):
            make = declared.constructor(sort, number)
            found[make] = partial(_construct, sort, number)
            found[-make] = found[declared.tester(sort, number)] = partial(_test, number)
            for place in range(len(constructor.fields)):
                found[declared.selector(sort, number, place)] = partial(_field, number, place)
    return found


def _construct(sort: Sort, number: int, args: list[Term]) -> Term:
    return datatypes.construct(sort, number, *args)


def _test(number: int, args: list[Term]) -> Term:
    return datatypes.test(args[0], number)


def _field(number: int, place: int, args: list[Term]) -> Term:
    return datatypes.field(args[0], number, place)


# --- safe -----------------------------------------------------------------------------------------------------------


def read_interpretation(problem: Problem, answer: int) -> Interpretation:
    reader = reader_of(problem)
    found: dict[str, Relation] = {}
    stack = [answer]
    while stack:
        part = stack.pop()
        if reader.kind(part) == _AND:
            stack += reversed(reader.arguments(part))
        elif reader.kind(part) != _TRUE:
            _read_definition(problem, reader, part, found)
    for name in problem.system.predicates:
        if name in problem.underivable:
            found[name] = Relation(_parameters(problem, name), FALSE)
        elif name not in problem.used:
            found[name] = Relation(_parameters(problem, name), TRUE)
    return {name: found[name] for name in problem.system.predicates if name in found}


def _parameters(problem: Problem, name: str) -> tuple[Term, ...]:
    return tuple(var(f"a{place}", sort) for place, sort in enumerate(problem.functions[name].arguments))


def _read_definition(problem: Problem, reader: Reader, part: int, found: dict[str, Relation]) -> None:
    pointer = problem.context.pointer
    while lib.Z3_get_ast_kind(pointer, part) == _AST_QUANTIFIER:
        part = lib.Z3_get_quantifier_body(pointer, part)
    atom, definition, negated = part, None, False
    if reader.kind(part) in (_EQ, _IFF):
        atom, definition = reader.arguments(part)
        if problem.names.get(reader.name(atom)) is None:
            atom, definition = definition, atom
    elif reader.kind(part) == _NOT:
        (atom,), negated = reader.arguments(part), True
    name = problem.names.get(reader.name(atom))
    if name is None:
        return  # of the query, or of a predicate that Z3 made
    parameters = _parameters(problem, name)
    bound: dict[int, Term] = {}
    for parameter, argument in zip(parameters, reader.arguments(atom), strict=True):
        bound[lib.Z3_get_index_value(pointer, argument)] = parameter
    scope = [bound[index] for index in range(len(bound))]
    formula = TRUE if definition is None else reader.term(definition, scope)
    found[name] = Relation(parameters, FALSE if negated else formula)


# --- unsafe ---------------------------------------------------------------------------------------------------------


def read_derivation(problem: Problem, proof: int) -> Derivation:
    """Raises `UnsupportedError` where the proof has another form, or facts without finite values."""
    reader = reader_of(problem)
    matcher = _Matcher(problem.system)
    steps: list[Step] = []
    places: dict[int, int] = {}  # of proof nodes, for the lemmas that are facts
    by_fact: dict[tuple[str | None, tuple[Term, ...]], int] = {}
    try:
        for node, premises in _proof_nodes(reader, proof):
            predicate, arguments = _fact(problem, reader, reader.arguments(node)[-1])
            key = (predicate, arguments)
            if key not in by_fact:
                below = [steps[places[premise]] for premise in premises]
                clause, order = matcher.match(predicate, arguments, below)
                by_fact[key] = len(steps)
                ordered = tuple(places[premises[place]] for place in order)
                steps.append(Step(clause, predicate, arguments, ordered))
            places[node] = by_fact[key]
            if predicate is None:
                return Derivation(_needed(steps))
    finally:
        matcher.close()
    raise UnsupportedError("SPACER's proof does not derive the query")


def _needed(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Without the steps that the last one does not need."""
    needed = {len(steps) - 1}
    for place in range(len(steps) - 1, -1, -1):
        if place in needed:
            needed.update(steps[place].premises)
    numbers = {place: number for number, place in enumerate(sorted(needed))}
    return tuple(
        Step(step.clause, step.predicate, step.arguments, tuple(numbers[premise] for premise in step.premises))
        for place, step in enumerate(steps)
        if place in needed
    )


def _proof_nodes(reader: Reader, proof: int) -> Iterator[tuple[int, list[int]]]:
    """The resolution steps, premises first, each once, with the steps that they use."""
    done: set[int] = set()
    stack = [proof]
    while stack:
        node = stack[-1]
        if node in done:
            stack.pop()
            continue
        kind = reader.kind(node)
        below = reader.arguments(node)
        if kind == _MODUS_PONENS:
            premises = below[:-2]
        elif kind == _HYPER_RESOLVE:
            premises = [argument for argument in below[1:-1] if reader.kind(argument) != _ASSERTED]
        else:
            raise UnsupportedError("SPACER's proof is no ground resolution")
        waiting = [premise for premise in premises if premise not in done]
        if waiting:
            stack += reversed(waiting)
            continue
        stack.pop()
        done.add(node)
        if kind == _HYPER_RESOLVE:
            yield node, premises


def _fact(problem: Problem, reader: Reader, atom: int) -> tuple[str | None, tuple[Term, ...]]:
    name = reader.name(atom)
    if name == "query":
        return None, ()
    predicate = problem.names.get(name)
    if predicate is None:
        raise UnsupportedError(f"SPACER's proof has a predicate of its own: {name}")
    return predicate, tuple(reader.term(argument) for argument in reader.arguments(atom))


class _Matcher:
    """Finds the clause that gives a fact."""

    def __init__(self, system: HornSystem) -> None:
        self._clauses: dict[tuple[str | None, frozenset[str]], list[int]] = {}
        self._system = system
        for index, clause in enumerate(system.clauses):
            head = None if clause.head is None else clause.head.predicate
            body = frozenset(atom.predicate for atom in clause.body)
            self._clauses.setdefault((head, body), []).append(index)
        self._solver = Z3Solver(profile=DEFAULT)

    def close(self) -> None:
        self._solver.close()

    def match(
        self, predicate: str | None, arguments: tuple[Term, ...], below: Sequence[Step]
    ) -> tuple[int, tuple[int, ...]]:
        """The number of the clause, and which premise stands for each atom of its body."""
        body = frozenset(str(step.predicate) for step in below)
        for index in self._clauses.get((predicate, body), ()):
            clause = self._system.clauses[index]
            for order in _orders(clause, below):
                if self._gives(clause, arguments, [below[place] for place in order]):
                    return index, order
        raise UnsupportedError(f"no clause gives a fact of {predicate} in SPACER's proof")

    def _gives(self, clause: Clause, arguments: tuple[Term, ...], below: Sequence[Step]) -> bool:
        head = () if clause.head is None else clause.head.arguments
        equations = [eq(a, b) for a, b in zip(head, arguments, strict=True)]
        for atom, step in zip(clause.body, below, strict=True):
            equations += [eq(a, b) for a, b in zip(atom.arguments, step.arguments, strict=True)]
        self._solver.push()
        self._solver.add(conj_all((*equations, clause.constraint)))
        answer = self._solver.check()
        self._solver.pop()
        return answer is Answer.SAT


def _orders(clause: Clause, below: Sequence[Step]) -> Iterator[tuple[int, ...]]:
    """The ways to choose a premise for each atom of the body; those that use all premises first. There may be fewer
    premises than atoms: Z3 drops an atom that is there twice."""
    fitting = [[place for place, step in enumerate(below) if step.predicate == atom.predicate] for atom in clause.body]
    found = list(islice(product(*fitting), _MANY_ORDERS))
    yield from sorted(found, key=lambda order: len(below) - len(set(order)))
