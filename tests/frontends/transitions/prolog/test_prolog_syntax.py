"""Prolog terms: how operators group, what brackets and quotes are, and the words for what can't be read."""

from __future__ import annotations

import pytest

from cleave.errors import InputError
from cleave.frontends.transitions.prolog.parser import read_terms
from cleave.frontends.transitions.prolog.syntax import Compound, match, show, substitute
from cleave.frontends.transitions.prolog.tokens import Source

GROUPING = {
    "a - b - c": "a-b-c",
    "a - (b - c)": "a-(b-c)",
    "main-0-9": "main-0-9",
    "a + b * c - d": "(a+(b*c))-d",
    "- a * b": "-(a)*b",
    "-1 * b": "(-1)*b",
    "- 1": "-(1)",
    "a - 1": "a-1",
    "a -1": "a-1",
    "a- -1": "a-(-1)",
    "2 ^ 3 ^ 4": "2^(3^4)",
    "a :- b, c ; d": "a:-((b,c);d)",
    "a, b, c": "a,(b,c)",
    r"\+ a = b": r"\+(a=b)",
    "f((a, b), c)": "f((a,b),c)",
    "f(-)": "f(-)",
    "[-]": "[-]",
    "[]": "[]",
    "[a, b|T]": "[a,b|T]",
    "[[2|2], [1]]": "[[2|2],[1]]",
    "[(a, b)]": "[(a,b)]",
    "{a, b}": "{}((a,b))",
    "f({})": "f({})",
    "x mod y": "x mod y",
    "'it''s'": r"'it\'s'",
    r"'a\'b'": r"'a\'b'",
    "'plain'": "plain",
    "'A'(x)": "'A'(x)",
    "f(X, _Y)": "f(X,_Y)",
    "0x1F + 0b11": "31+3",
    "1.5e2": "150",
    "a /* b. */ = % c.\n d": "a=d",
    ":- multifile r/5, p/1": ":-(multifile(((r/5),(p/1))))",
}


def read(text: str) -> list[str]:
    return [show(term) for term in read_terms(Source(text, "f"))]


@pytest.mark.parametrize("text", GROUPING)
def test_grouping(text: str) -> None:
    assert read(f"{text}.") == [GROUPING[text]]


def test_several_clauses() -> None:
    assert read("a. b:-c.%end\nd.") == ["a", "b:-c", "d"]
    assert read("") == read("% nothing\n") == []


def test_anonymous_variables_differ() -> None:
    (term,) = read_terms(Source("f(_, _, X, X).", "f"))
    assert isinstance(term, Compound)
    first, second, third, fourth = (show(argument) for argument in term.arguments)
    assert first != second
    assert third == fourth


@pytest.mark.parametrize(
    ("pattern", "ground", "expected"),
    [
        ("[1, A]", "[1, f(2)]", "A = f(2)"),
        ("[A, A]", "[f(2), f(2)]", "A = f(2)"),
        ("[A, A]", "[f(2), f(3)]", None),
        ("[1|A]", "[1, 2]", "A = [2]"),
        ("f(A)", "f(1, 2)", None),
        ("f(1)", "f(2)", None),
        ("f(1)", "f(a)", None),
    ],
)
def test_matching(pattern: str, ground: str, expected: str | None) -> None:
    left, right = read_terms(Source(f"{pattern}. {ground}.", "f"))
    values = match(left, right)
    assert (values and ", ".join(f"{name} = {show(value)}" for name, value in values.items())) == expected
    if values is not None:
        assert show(substitute(left, values)) == show(right)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p(X) :- q(X)", "f:1:1: the clause that starts here has no . at its end"),
        ("p.\nq :- (a, b.", "f:2:6: this bracket is never closed"),
        ("p(a, .", "f:1:2: this bracket is never closed"),
        ("p :- .", "f:1:6: a term expected before the ."),
        ("p(a)).", "f:1:5: this ) closes nothing"),
        ("p([a)).", "f:1:5: ] expected"),
        ("p(,).", "f:1:3: a term expected, not ,"),
        ("X = 1 = 2.", "f:1:7: the operator = needs parentheses here"),
        ("p(a :- b).", "f:1:5: the operator :- needs parentheses here"),
        ("[a|b,c].", "f:1:5: the operator , needs parentheses here"),
        ("p q.", "f:1:3: an operator or the end of the clause expected, not q"),
        ("p 'q'.", "f:1:3: an operator or the end of the clause expected, not 'q'"),
        ("p :- 'q.", "f:1:6: the ' is never closed"),
        ("p. /* q.", "f:1:4: this comment is never closed"),
        ("p :- §.", "f:1:6: the character '§' is unexpected"),
        ("p(" + "9" * 5000 + ").", "f:1:3: a number of more than 4000 digits"),
        ("p(1.0e99999).", "f:1:3: a number of more than 4000 digits"),
    ],
)
def test_what_cannot_be_read(text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value).split("\n")[0] == expected


def test_the_line_is_shown() -> None:
    with pytest.raises(InputError) as caught:
        read("p.\nq(X) :- X =< .\n")
    assert str(caught.value) == "f:2:14: a term expected before the .\n    q(X) :- X =< .\n                 ^"
