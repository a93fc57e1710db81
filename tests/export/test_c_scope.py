"""Which integers are in scope at a place of C text."""

from __future__ import annotations

from cleave.export.c_scope import integers_in_scope
from cleave.export.c_text import CText, Place
from cleave.export.c_types import CInteger

TEXT = b"""\
typedef struct { int field; } record;
int g = 3, array[4], *pointer, twice; unsigned u;
static long f(unsigned n, int (*callback)(int a, int b), char *s, short k) {
  int x = 0, *p, y = max(1, 2); { char z; x = 2; } int a[3]; record r; long w; unsigned char c = 3;
  for (int i = 0; i < 3; i++) { int inner; while (x) { x--; } int later; }
  float twice;
  long long twice;
}
int main(void) { int local; while (1) { } }
"""
SIGNED, UNSIGNED = CInteger(32, True), CInteger(32, False)
OUTSIDE = {"g": SIGNED, "u": UNSIGNED}
IN_F = {"n": UNSIGNED, "k": CInteger(16, True), "x": SIGNED, "y": SIGNED, "c": CInteger(8, False)}


def test_what_is_visible_at_a_loop() -> None:
    text = CText(TEXT)
    at_for, at_while = Place(5, 3), Place(5, 44)
    assert text.header(at_while, "while") == at_while
    assert integers_in_scope(text, at_for, 64) == {**OUTSIDE, **IN_F, "w": CInteger(64, True)}
    assert integers_in_scope(text, at_while, 32) == {**OUTSIDE, **IN_F, "w": SIGNED, "inner": SIGNED}
    assert integers_in_scope(text, Place(9, 29), 64) == {**OUTSIDE, "local": SIGNED}


def test_a_place_that_is_no_token_sees_nothing() -> None:
    assert integers_in_scope(CText(TEXT), Place(5, 4), 64) == {}
