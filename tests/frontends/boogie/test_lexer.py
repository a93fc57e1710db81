"""Places of tokens: each line is taken apart once, and columns come back from the line."""

from __future__ import annotations

from time import process_time

import pytest

from cleave.errors import InputError
from cleave.frontends.boogie import read_boogie
from cleave.frontends.boogie.lexer import tokenize


def places(text: str) -> list[tuple[str, int, int]]:
    source = tokenize(text, "a.bpl")
    found = []
    for at, token in enumerate(source.tokens[: source.tokens.index("")]):
        place = source.location(at)
        found.append((token, place.line, place.column))
    return found


def test_equal_lines_have_places_of_their_own() -> None:
    assert places("  x := 1;\n\n  x := 1;\n") == [
        *(("x", 1, 3), (":=", 1, 5), ("1", 1, 8), (";", 1, 9)),
        *(("x", 3, 3), (":=", 3, 5), ("1", 3, 8), (";", 3, 9)),
    ]


def test_comments_take_room_and_nothing_else() -> None:
    assert places('a /* "b\n c */ d // e\n"f // g"') == [("a", 1, 1), ("d", 2, 7), ('"f // g"', 3, 1)]


def test_what_strip_takes_for_blank_separates_tokens() -> None:
    assert places("\ta\N{NO-BREAK SPACE}b\fc\r\n\N{EM SPACE}d") == [("a", 1, 2), ("b", 1, 4), ("c", 1, 6), ("d", 2, 2)]


def test_symbols_have_the_places_at_which_they_are_written() -> None:
    assert places("∀ x % y") == [("forall", 1, 1), ("x", 1, 3), ("mod", 1, 5), ("y", 1, 7)]


def test_after_the_last_token_comes_the_end_of_the_file() -> None:
    with pytest.raises(InputError, match="not the end of the file") as caught:
        read_boogie("procedure p() {\n  // open", "a.bpl")
    assert (caught.value.line, caught.value.column, caught.value.source_line) == (2, 10, "  // open")


def test_an_error_shows_the_line_with_its_comment() -> None:
    with pytest.raises(InputError) as caught:
        read_boogie("procedure p() { /* here */ x := @; }", "a.bpl")
    assert (caught.value.column, caught.value.source_line) == (33, "procedure p() { /* here */ x := @; }")


def test_one_long_line_is_taken_apart_once() -> None:
    text = "var x: int; procedure p() { " + "x := x; " * 30_000 + "}"
    started = process_time()
    read_boogie(text, "a.bpl")
    assert process_time() - started < 20
