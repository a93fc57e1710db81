"""Programs as text: what is printed is read back as the same program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.errors import InputError
from cleave.ir.program import (
    Assert,
    Assign,
    Assume,
    Block,
    Call,
    Check,
    Clause,
    Havoc,
    Location,
    Procedure,
    Program,
    Property,
    Statement,
    old,
)
from cleave.ir.reader import read_program
from cleave.ir.text import print_program
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, INT, REAL, array, bitvec, uninterpreted
from cleave.logic.terms import Function, Op, Term

GOLDEN = """\
property end-reachable
checked signed-overflow 4, |a toy| 0
var g: Int
var |odd name|: (Array Int (_ BitVec 8))
const limit: Int
function f(Int, T) -> Int
axiom (< 0 limit)
axiom (forall ((i Int) (x T)) (! (<= 0 (f i x)) :pattern ((f i x))))
proc main(n: Int) -> (r: Int) [entry, extra_recursion 2] { @ a.bpl:1:7
  requires (<= 0 n) "n is a size" @ a.bpl:2
  ensures free (= g |old(g)|)
  modifies g
  local i: Int
  local b: (_ BitVec 8)
  start: @ a.bpl:3
    i, r := 0, (+ n 1) @ "a b.bpl":4:2
    havoc g, b
    call inc(i) -> (i)
    assume (< i n) @ a.bpl:6:1
    assert (= g 1) "g is \\"one\\""
    assert (< i n) "{0:int} < {1:int}" check signed-overflow 3 values (i, n) @ a.bpl:7:1
    assert (< n i) check |a toy| 1
    goto start, done
  done:
    assert (= b ((_ extract 7 0) (select |odd name| i)))
    return
}
proc inc(x: Int) -> (y: Int) {
  ensures (= y (+ x 1))
}
"""


def test_the_printed_form_is_read_and_printed_again() -> None:
    text = GOLDEN.replace("((_ extract 7 0) (select |odd name| i))", "(select |odd name| i)")
    program = read_program(text)
    assert print_program(program, locations=True) == text
    assert program.property is Property.END_REACHABLE
    main = program.procedures["main"]
    assert main.is_entry
    assert main.extra_recursion == 2
    assert main.location == Location("a.bpl", 1, 7)
    assert main.requires[0].message == "n is a size"
    assert main.blocks["start"].statements[0].location == Location("a b.bpl", 4, 2)
    assert not program.procedures["inc"].has_body
    assert program.checked == {"signed-overflow": 4, "a toy": 0}
    checked = main.blocks["start"].statements[5]
    assert isinstance(checked, Assert)
    assert checked.check == Check("signed-overflow", 3)
    assert [value.name for value in checked.values] == ["i", "n"]


def test_locations_are_left_out_unless_asked_for() -> None:
    text = print_program(read_program(GOLDEN))
    assert "@" not in text
    assert read_program(text).procedures["main"].location is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("var x Int\n", "1:7: ':' expected"),
        ("axiom (< 0 y)\n", "y is not declared"),
        ("axiom (< 0 true)\n", "1:7: < takes numbers of one sort"),
        ("axiom (< 0\n", "cut off"),
        ("proc f() -> () {\n  b:\n    jump b\n}\n", "3:5: a statement expected"),
        ("proc f() -> () {\n  requires true false\n}\n", "end of the line expected"),
        ("widget\n", "a declaration expected"),
    ],
)
def test_errors_name_the_place(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_program(text)
    assert message in str(error.value)


def test_keywords_can_be_names() -> None:
    names = ("assume", "goto", "return", "free", "local", "let", "and", "true", "call")
    variables = tuple(t.var(name, BOOL) for name in names)
    copies = tuple(Assign((v,), (t.conj(v, variables[0]),)) for v in variables)
    clause = Clause(variables[3])
    block = Block("goto", (*copies, Havoc(variables), Assume(variables[7])), ("goto", "local"))
    procedure = Procedure(name="proc", requires=(clause,), blocks={"goto": block, "local": Block("local", (), ())})
    program = Program(globals=variables, procedures={"proc": procedure})
    assert read_program(print_program(program)) == program


def test_deep_terms_are_read() -> None:
    x = t.var("x", INT)
    text = "var x: Int\naxiom (< x " + "(- " * 50_000 + "x" + ")" * 50_000 + ")\n"
    node = read_program(text).axioms[0].args[1]
    depth = 0
    while node is not x:
        assert node.op is Op.NEG
        node = node.args[0]
        depth += 1
    assert depth == 50_000


@pytest.mark.parametrize("name", ["x", "_1", "|_1%n{2}|"])
def test_shared_terms_survive(name: str) -> None:
    term = x = t.var(name, INT)
    for _ in range(2000):
        term = t.add(term, t.sub(term, x))
    program = Program(constants=(x,), axioms=(t.lt(term, x),))
    assert read_program(print_program(program)) == program


# --- random programs ------------------------------------------------------------------------------------------------

ELEMENT = uninterpreted("Some Sort")
SORTS = (BOOL, INT, REAL, bitvec(4), array(INT, bitvec(4)), ELEMENT)
GLOBALS = tuple(t.var(f"g{i}" if i % 2 else f"g {i}", sort) for i, sort in enumerate(SORTS))
LOCALS = tuple(t.var(f"l{i}#", sort) for i, sort in enumerate(SORTS))
FUNCTIONS = (Function("f", (INT, ELEMENT), INT), Function("unit", (), ELEMENT), Function("p?", (bitvec(4),), BOOL))
LEAVES: list[Term] = [
    *GLOBALS,
    *LOCALS,
    *(old(variable) for variable in GLOBALS),
    t.apply(FUNCTIONS[1]),
    t.TRUE,
    *(t.integer(i) for i in (0, 1, -3, 10**20)),
    *(t.real(Fraction(*pair)) for pair in ((1, 3), (-7, 2), (5, 1))),
    t.bv(9, 4),
]
ARITHMETIC = (t.add, t.sub, t.mul, t.le, t.lt, t.eq)
BITWISE = (Op.BV_AND, Op.BV_SHL, Op.BV_SREM, Op.BV_ASHR, Op.BV_SUB)
UNARY: tuple[Callable[[Term], Term], ...] = (
    t.neg,
    t.minus,
    t.to_real,
    t.to_int,
    t.bv_to_int,
    lambda a: t.int_to_bv(a, 4),
    lambda a: t.extract(t.sign_extend(a, 3), 5, 2),
    lambda a: t.zero_extend(t.extract(a, 2, 1), 2),
    lambda a: t.const_array(INT, a),
    lambda a: t.bv_unary(Op.BV_NOT, a),
    lambda a: t.apply(FUNCTIONS[2], a),
)


@st.composite
def term_pools(draw: st.DrawFn) -> list[Term]:
    """Leaves, and terms over them, each built from earlier ones."""
    pool = list(LEAVES)
    number = iter(range(1000))
    for _ in range(draw(st.integers(0, 25))):
        a, b, c = (draw(st.sampled_from(pool)) for _ in range(3))
        builders: list[Callable[[], Term]] = [
            partial(draw(st.sampled_from(UNARY)), a),
            partial(draw(st.sampled_from(ARITHMETIC)), a, b),
            partial(draw(st.sampled_from((t.div, t.mod, t.real_div))), a, b),
            partial(t.bv_binary, draw(st.sampled_from(BITWISE)), a, b),
            partial(lambda a, b: t.extract(t.concat(a, b), 6, 3), a, b),
            partial(t.select, a, b),
            partial(t.store, a, b, c),
            partial(t.ite, a, b, c),
            partial(draw(st.sampled_from((t.conj, t.disj, t.distinct))), a, b, c),
            partial(t.implies, a, b),
            partial(t.apply, FUNCTIONS[0], a, b),
            partial(_quantified, a, next(number), draw(st.booleans())),
        ]
        try:
            pool.append(draw(st.sampled_from(builders))())
        except t.SortError:
            continue
    return pool


def _quantified(body: Term, number: int, with_trigger: bool) -> Term:
    i, x = t.var(f"i{number}", INT), t.var(f"x {number}", ELEMENT)
    application = t.apply(FUNCTIONS[0], i, x)
    triggers = ((application,), (application, t.add(i, t.integer(1)))) if with_trigger else ()
    return t.exists((i, x), t.disj(body, t.lt(application, i)), triggers)


LOCATIONS = st.one_of(
    st.none(),
    st.builds(
        Location, st.sampled_from(("a.bpl", 'd "q"/x y.c', "c:\\a@ b:3", "ü.c")), st.integers(1, 99), st.integers(0, 9)
    ),
)

CHECKS = st.one_of(st.none(), st.builds(Check, st.sampled_from(("shift", "a b")), st.integers(1, 99)))


@st.composite
def programs(draw: st.DrawFn) -> Program:
    pool = draw(term_pools())
    conditions = st.sampled_from([term for term in pool if term.sort is BOOL])
    labels = ("b 0", "b1", "return")
    texts = st.text(max_size=6)

    def statement() -> Statement:
        place = draw(LOCATIONS)
        targets = tuple(draw(st.lists(st.sampled_from((*GLOBALS, *LOCALS)), unique=True, max_size=3)))
        values = tuple(draw(st.sampled_from([term for term in pool if term.sort is v.sort])) for v in targets)
        kinds: list[Statement] = [
            Assume(draw(conditions), place),
            Assert(draw(conditions), draw(texts), place, draw(CHECKS), values),
            Assign(targets, values, place),
            Havoc(targets, place),
            Havoc(targets, place, 'a "function"'),
            Call("no body", values, targets, place),
        ]
        return draw(st.sampled_from(kinds))

    def block(label: str) -> Block:
        statements = tuple(statement() for _ in range(draw(st.integers(0, 3))))
        return Block(label, statements, tuple(draw(st.lists(st.sampled_from(labels), max_size=2))), draw(LOCATIONS))

    def clauses() -> tuple[Clause, ...]:
        parts = st.builds(Clause, conditions, st.booleans(), texts, LOCATIONS)
        return tuple(draw(st.lists(parts, max_size=2)))

    main = Procedure(
        name="ma in",
        locals=LOCALS,
        requires=clauses(),
        ensures=clauses(),
        modifies=GLOBALS[: draw(st.integers(0, 2))],
        blocks={label: block(label) for label in labels},
        is_entry=draw(st.booleans()),
        is_loop=draw(st.booleans()),
        extra_recursion=draw(st.integers(0, 2)),
        location=draw(LOCATIONS),
    )
    # Contracts see no locals: they are parameters and returns here, so that any term may stand in any place.
    main = replace(main, locals=LOCALS[2:], parameters=LOCALS[:1], returns=LOCALS[1:2], requires=(), ensures=())
    bodyless = Procedure(name="no body", parameters=LOCALS, requires=clauses(), ensures=clauses())
    constant = t.var("constant", INT)
    return Program(
        globals=GLOBALS,
        constants=(constant,),
        functions=FUNCTIONS,
        axioms=(t.lt(constant, t.integer(2)),),
        procedures={"ma in": main, "no body": bodyless},
        property=draw(st.sampled_from(Property)),
    )


@settings(max_examples=120, deadline=None)
@given(programs())
def test_what_is_printed_is_read_as_the_same_program(program: Program) -> None:
    assert read_program(print_program(program, locations=True)) == program
