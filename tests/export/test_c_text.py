"""Places in C text: ends of calls, beginnings of statements, keywords of headers."""

from __future__ import annotations

import pytest

from cleave.export.c_text import CText, Place

TEXT = b"""\
/* f(x) */ int g = 1; // if (x)
#define N f(
struct s { int a : 3; } t = { 4 };
int f(int x) {
  int a[] = { f(1), 2 }, b = f((x),
    f(")"));
  if (a[0] && f(x)) b = 3; else while (b)
    { b--; }
  for (int i = 0; i < 3; i++) switch (b) { case 1: f(2); default: f(3); }
L: do f(4); while (f(5));
  return ({ f(6); });
}
# 12 "other.c"
int h(void) { return f ( 7 ) ; }
"""


@pytest.fixture(scope="module")
def text() -> CText:
    return CText(TEXT)


def place_of(word: str, number: int = 1) -> Place:
    """Of the n-th occurrence of a word."""
    at = -1
    for _ in range(number):
        at = TEXT.index(word.encode(), at + 1)
    return Place(TEXT.count(b"\n", 0, at) + 1, at - TEXT.rfind(b"\n", 0, at))


@pytest.mark.parametrize(
    ("call", "end"), [("f(1)", (5, 18)), ("f((x)", (6, 11)), ('f(")")', (6, 10)), ("f ( 7", (14, 28))]
)
def test_a_call_ends_at_its_closing_parenthesis(text: CText, call: str, end: tuple[int, int]) -> None:
    assert text.end_of_call(place_of(call), "f") == end
    assert text.end_of_call(place_of(call)) == end
    assert text.end_of_call(place_of(call), "g") is None


def test_comments_macros_and_places_inside_of_tokens_are_no_calls(text: CText) -> None:
    assert text.end_of_call(place_of("f(x) */"), "f") is None
    assert text.end_of_call(place_of("f(\n"), "f") is None
    assert text.end_of_call(Place(99, 1)) is None
    assert text.end_of_call(place_of("switch")._replace(column=32)) is None


@pytest.mark.parametrize(
    ("inside", "start"),
    [
        ("f(1)", "int a["),
        ('f(")")', "int a["),
        ("= 3", "b = 3"),
        ("--", "b--"),
        ("f(2)", "f(2)"),
        ("f(3)", "f(3)"),
        ("f(4)", "f(4)"),
        ("f(6)", "return ({"),
        ("f ( 7", "return f"),
    ],
)
def test_the_statement_that_a_place_is_in(text: CText, inside: str, start: str) -> None:
    assert text.statement(place_of(inside)) == place_of(start)


@pytest.mark.parametrize("outside", ["g = 1", "t = {", "f(x))", "i < 3", "f(5)", "else"])
def test_places_in_no_statement_of_a_function(text: CText, outside: str) -> None:
    assert text.statement(place_of(outside)) is None


def test_headers_belong_to_their_keywords(text: CText) -> None:
    assert text.header(place_of("f(x))"), "if") == place_of("if (a")
    assert text.header(place_of("f(x))"), "while") is None
    assert text.header(place_of("i++"), "for") == place_of("for (")
    assert text.header(place_of("for ("), "for") == place_of("for (")
    assert text.header(place_of("f(5)"), "while") == place_of("while (f")
    assert text.header(place_of("b--"), "while") is None


@pytest.mark.parametrize(
    "broken", [b"", b"int f( {", b"}}}", b"int f() { if (", b"'", b"int f() { case 1", b"\xff\x00#"]
)
def test_what_is_no_c_has_no_answers(broken: bytes) -> None:
    text = CText(broken)
    assert text.statement(Place(1, 1)) is None
    assert text.end_of_call(Place(1, 7)) is None
