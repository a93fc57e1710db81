"""Prolog clauses and transition systems: golden cases (text in, Horn clauses out), verdicts, refusals."""

from __future__ import annotations

import pytest

from cleave.errors import InputError
from cleave.frontends.transitions.prolog import read_prolog, transitions
from cleave.ir.horn import HornSystem
from cleave.logic.sorts import INT, REAL
from support.horn_reading import shown, verdict

CLAUSES = {
    "a loop": (
        "p(X) :- X = 0. p(X+1) :- p(X), X < 9. false :- p(X), X >= 10.",
        ["(p X) :- (= X 0)", "(p (+ X 1)) :- (p X), (< X 9)", "false :- (p X), (<= 10 X)"],
    ),
    "facts": (
        "p(1, Y). q. unsafe :- q, p(X, 2*X).",
        ["(p 1 Y) :- true", "(q) :- true", "false :- (q), (p X (* 2 X)), true"],
    ),
    "comparisons": (
        r"false :- A =:= B, B =\= C, C \== D, D is A, A >= 1, B > 1, C =< 1, D < 1, A \= 1, B == 1.",
        [
            "false :- (and (= A B) (not (= B C)) (not (= C D)) (= D A) (<= 1 A) (< 1 B) (<= C 1) (< D 1)"
            " (not (= A 1)) (= B 1))"
        ],
    ),
    "formulas": (
        "false :- {A > 0, B > 0}, (A < 1 ; B = 2, A = 3), true.",
        ["false :- (and (< 0 A) (< 0 B) (or (< A 1) (and (= B 2) (= A 3))))"],
    ),
    "no way": ("false :- p, fail. p :- false.", ["false :- (p), false", "(p) :- false"]),
    "two predicates of a name": (
        "p(X) :- p. p. false :- p(1).",
        ["(p/1 X) :- (p/0), true", "(p/0) :- true", "false :- (p/1 1), true"],
    ),
    "unsafe as a predicate": (
        "unsafe :- X > 0. false :- unsafe.",
        ["(unsafe) :- (< 0 X)", "false :- (unsafe), true"],
    ),
    "directives": (":- multifile p/1, q/2.\n:- use_module(library(clpq)).\nfalse.", ["false :- true"]),
    "signs": ("false :- A = -1, B = - 1, C = -A, D = +A, E = 1 - -1.", [
        "false :- (and (= A (- 1)) (= B (- 1)) (= C (- A)) (= D A) (= E 2))"
    ]),
    "fractions": (
        "false :- p(X), X = 1/2*Y, Y >= 0.25, Z = rat(-1,2), Y / 2 = 1. p(rat(2,1)).",
        [
            "false :- (p X), (and (= X (* (/ 1 2) Y)) (<= (/ 1 4) Y) (= Z (- (/ 1 2))) (= (* (/ 1 2) Y) 1))",
            "(p 2) :- true",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CLAUSES)
def test_clauses(name: str) -> None:
    text, expected = CLAUSES[name]
    assert [line.replace("1.0", "1").replace("2.0", "2").replace("4.0", "4") for line in shown(read(text))] == expected


def read(text: str) -> HornSystem:
    return read_prolog("f", text.encode())


def test_variables_are_integers_unless_a_fraction_is_written() -> None:
    between = "false :- p(X), 0 < X, X < 1. p(X) :- p(Y), X = Y. p(X) :- {}."
    assert verdict(read(between.format("true"))) == "safe"
    assert verdict(read(between.format("X = 0.5"))) == "unsafe"
    assert read("false :- p(rat(1,1)).").predicates["p"].sorts == (INT,)
    assert read("false :- p(rat(1,2)).").predicates["p"].sorts == (REAL,)


@pytest.mark.parametrize(("limit", "expected"), [("12", "safe"), ("10", "unsafe")])
def test_verdicts_of_clauses(limit: str, expected: str) -> None:
    text = f"p(A, B) :- A = 0, B = 0. p(C, D) :- p(A, B), A =< 9, C = A + 1, D = B + 1. false :- p(A, B), B >= {limit}."
    assert verdict(read(text)) == expected


SYSTEM = """
:- multifile r/5, preds/2.
refinement(inter).
preds(p(_, data(X, Y)), []).
var2names(p(pc(_), data(X, Y)), [(X, 'x'), (Y, 'y')]).
start(pc(main-0)).
error(pc(main-err)).
cutpoint(pc(main-1)).
r(p(pc(main-0), data(X, Y)), p(pc(main-1), data(Xp, Yp)), [], [Xp = 0, Yp = Y], 1). % x := 0
stmtsrc(1, 'x=0;').
r(p(pc(main-1), data(X, Y)), p(pc(main-1), data(Xp, Yp)), [(X +1 =< Y)], [Xp = (X + 1), Yp = Y], 2).
r(p(pc(main-1), data(X, Y)), p(pc(main-err), data(Xp, Yp)), [X > Y, Y >= LEAST], [], 3).
strengthening(p(pc(main-1), data(X, Y)), [X >= 0.5]).
"""


def test_a_transition_system() -> None:
    assert shown(read(SYSTEM.replace("LEAST", "0"))) == [
        "(main-0 _0 _1) :- true",
        "(main-1 Xp Yp) :- (main-0 X Y), (and (= Xp 0) (= Yp Y))",
        "(main-1 Xp Yp) :- (main-1 X Y), (and (<= (+ X 1) Y) (= Xp (+ X 1)) (= Yp Y))",
        "(main-err Xp Yp) :- (main-1 X Y), (and (< Y X) (<= 0 Y))",
        "false :- (main-err _0 _1), true",
    ]


@pytest.mark.parametrize(("least", "expected"), [("0", "safe"), ("-1", "unsafe")])
def test_verdicts_of_transition_systems(least: str, expected: str) -> None:
    system = read(SYSTEM.replace("LEAST", least))
    assert verdict(system) == expected
    assert str(system.clauses[-1].location) == "f:7:7"


def test_what_is_not_updated_takes_any_value() -> None:
    text = (
        "start(p(pc(a),data(X)), [X = 0]). error(p(pc(b),data(X)), [X = 7], 1). "
        "r(p(pc(a),data(X)), p(pc(b),data({})), [], [], 1)."
    )
    assert verdict(read(text.format("Y"))) == "unsafe"
    assert verdict(read(text.format("X"))) == "safe"
    assert verdict(read(text.format("X+7"))) == "unsafe"


THREADS = """
start(p(pc([1,1]), data(_, L)), [L = 0]).
error(p(pc([3,3]), data(_, _)), [], 1).
error(p(pc([_,9]), data(_, _)), [], 2).
r(p(pc([1,A]), data(X, L)), p(pc([3,A]), data(X, M)), [L = 0], [M = 1], (1,1)).
r(p(pc([3,A]), data(X, L)), p(pc([1,A]), data(X, M)), [], [M = 0], (1,2)).
r(p(pc([A,1]), data(X, L)), p(pc([A,3]), data(X, M)), [LOCKED], [M = 1], (2,1)).
r(p(pc([A,3]), data(X, L)), p(pc([A,1]), data(X, M)), [], [M = 0], (2,2)).
"""


def test_threads() -> None:
    """A transition of one thread is there at every location of the other."""
    system = read(THREADS.replace("LOCKED", "L = 0"))
    assert list(system.predicates) == ["[1,1]", "[3,1]", "[1,3]", "[3,3]"]
    assert shown(system)[1] == "([3,1] X M) :- ([1,1] X L), (and (= L 0) (= M 1))"
    assert len(system.rules()) == 9
    assert len(system.queries()) == 1
    assert verdict(system) == "safe"
    assert verdict(read(THREADS.replace("LOCKED", ""))) == "unsafe"


def test_many_threads_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transitions, "MAX_LOCATIONS", 50)
    names = [f"A{i}" for i in range(14)]

    def place(number: int, value: int) -> str:
        return f"p(pc([{','.join(str(value) if i == number else name for i, name in enumerate(names))}]), data(X))"

    steps = [f"r({place(i, 1)}, {place(i, 2)}, [], [], {i})." for i in range(14)]
    text = f"start(pc([{','.join('1' * 14)}])). error(pc(x)). {' '.join(steps)}"
    with pytest.raises(InputError, match="the locations of all threads together are more than 50"):
        read(text)


R = "start(pc(a)). error(pc(b)).\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "f: no clause has the head false (or unsafe, or incorrect), so there is nothing to check"),
        ("p :- q.", "f: no clause has the head false (or unsafe, or incorrect), so there is nothing to check"),
        ("false :- p(a).", "f:1:12: a is neither a number nor a condition on numbers"),
        ("false :- p([1]).", "f:1:12: a list is neither a number nor a condition on numbers"),
        ("false :- X = f(Y).", "f:1:14: f/1 is neither a number nor a condition on numbers"),
        ("false :- X = 7 // 2.", "f:1:16: ///2 is neither a number nor a condition on numbers"),
        ("false :- X = 1 / Y.", "f:1:16: a division by what is no number other than 0 is not supported"),
        ("false :- X = 1 / 0.", "f:1:16: a division by what is no number other than 0 is not supported"),
        ("false :- X = rat(1, 0).", "f:1:14: two integers expected in rat, the second one not 0"),
        ("false :- X = (Y < 1).", "f:1:17: a number expected, not </2"),
        ("false :- (X ; Y < 1).", "f:1:11: a condition expected, not X"),
        ("false :- (p(X) ; X < 1).", "f:1:11: p/1 is neither a number nor a condition on numbers"),
        ("false :- X.", "f:1:10: a predicate or a condition expected, not X"),
        (r"false :- \+ X = 1.", r"f:1:10: \+ is not supported here"),
        (r"false :- (X = 1 ; \+ X = 2).", r"f:1:19: \+/1 is neither a number nor a condition on numbers"),
        ("false :- p, !.", "f:1:13: ! is not supported here"),
        ("false :- (p -> q).", "f:1:13: -> is not supported here"),
        ("X = 1 :- p. false.", "f:1:3: = is not supported here"),
        ("X :- p.", "f:1:1: a clause starts with a predicate, not with X"),
        ("1.", "f:1:1: a clause starts with a predicate, not with 1"),
        ("a --> b.", "f:1:3: grammar rules (-->) are not supported"),
        (":- include(other). false.", "f:1:1: the directive include(other) is not supported"),
        (":- use_module(other). false.", "f:1:1: other files can't be read along with this one"),
        ("?- p. false.", "f:1:1: the directive p is not supported"),
        ("start(pc(a)).", "f: the transition system has no error location"),
        ("error(pc(a)).", "f: the transition system has no start location"),
        ("% 3 transitions\n" + R, "f:1:1: the file is cut off: it has 0 of these transitions"),
        (R + "error(pc(a), 7).", "f:2:14: a condition expected, not 7"),
        (R + "implicit_updates.", "f:2:1: implicit_updates is not supported: write all values after a transition"),
        (R + "atomic(1, 2, 3).", "f:2:1: atomic/3 is not known as a fact about a transition system"),
        (R + "r(X, Y, Z, [], 1) :- p.", "f:2:22: a transition system is made of facts, without bodies"),
        (R + "r(a, p(pc(a), data), [], [], 1).", "f:2:3: a state expected, as in p(pc(a), data(X))"),
        (R + "r(p(pc(a), d(X)), p(pc(a), data(X)), [], [], 1).",
         "f:2:12: data(...) expected as the second part of a state"),
        (R + "r(p(a, data(X)), p(pc(a), data(X)), [], [], 1).", "f:2:5: pc(...) expected as the location of a state"),
        (R + "r(p(pc(a), data(X)), p(pc(a), data(X, Y)), [], [], 1).",
         "f:2:22: 2 values in a state, where others have 1"),
        (R + "r(p(pc(a), data(X)), p(pc(B), data(X)), [], [], 1).",
         "f:2:3: which location B is meant here is not said"),
        (R + "r(p(pc(L), data(X)), p(pc(L), data(X)), [L = 1], [], 1).",
         "f:2:42: L is a part of the location, which is no number"),
        (R + "r(p(pc(a), data(X)), p(pc(b), data(X)), [q(X)], [], 1).",
         "f:2:42: q/1 is neither a number nor a condition on numbers"),
        (R + "r(p(pc(a), data(X)), p(pc(b), data(X)), [X], [], 1).", "f:2:42: a condition expected, not X"),
    ],
)  # fmt: skip
def test_refusals(text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value).split("\n")[0] == expected
