"""Which variables of integer type a C expression may name at a place, and their types.

    int f(unsigned n) { int x = 0, *p; { char y; } while (x < n) … }        at while:  n: unsigned, x: int

Only declarations with the words of C itself are understood: what has another type, is declared twice in the file, or is
no plain variable, is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from cleave.export.c_text import CText, Place
from cleave.export.c_types import CInteger

_TYPES = frozenset({"char", "short", "int", "long", "unsigned", "signed"})
_OTHERS = frozenset({"const", "volatile", "static", "register", "auto", "extern"})


def integers_in_scope(text: CText, place: Place, bits: Literal[32, 64]) -> dict[str, CInteger]:
    """Without those of the header of a loop at the place, whose scope begins later."""
    everything = [found for words in text.declarations() for found in _declared(words, bits)]
    times = Counter(name for name, _ in everything)
    visible = [found for words in text.declarations(place) for found in _declared(words, bits)]
    return {name: type_ for name, type_ in visible if times[name] == 1}


def _declared(words: Sequence[str], bits: Literal[32, 64]) -> Iterator[tuple[str, CInteger]]:
    """From the tokens of a declaration, or of a parameter."""
    count = next((n for n, word in enumerate(words) if word not in _TYPES and word not in _OTHERS), len(words))
    type_ = _integer([word for word in words[:count] if word in _TYPES], bits)
    if type_ is None:
        return
    for declarator in _split(words[count:]):
        if declarator and declarator[0].isidentifier() and declarator[1:2] in ([], ["="]):
            yield declarator[0], type_


def _integer(words: Sequence[str], bits: Literal[32, 64]) -> CInteger | None:
    if not words:
        return None
    long = 64 if words.count("long") > 1 else bits
    width = 8 if "char" in words else 16 if "short" in words else long if "long" in words else 32
    return CInteger(width, "unsigned" not in words)


def _split(words: Sequence[str]) -> Iterator[list[str]]:
    """At commas that no brackets enclose."""
    current: list[str] = []
    depth = 0
    for word in words:
        depth += (word in "([{") - (word in ")]}")
        if word == "," and not depth:
            yield current
            current = []
        else:
            current.append(word)
    yield current
