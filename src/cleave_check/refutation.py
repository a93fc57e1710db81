"""Refutations of clauses: steps, each a clause that follows from earlier ones by unit propagation (LRAT, without RAT).

    check_refutation([(1, 2), (-1, 2), (-2,)], unpacked("..."))

A step is ``literals 0 hints 0``. The hints name clauses in the order in which they become unit when no literal of the
step is true, until one has no literal left. Given clauses have the numbers from 1 on, steps those that follow; the last
step has no literals. In a certificate the numbers are a text, packed by zlib and base64.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterable, Iterator, Sequence

from cleave_check.refusal import Refusal, Unreadable

MOST_BYTES = 100_000_000
_MOST_DIGITS = 12


def packed(steps: Iterable[tuple[Sequence[int], Sequence[int]]]) -> str:
    """Of literals and hints."""
    text = "\n".join(" ".join(map(str, (*literals, 0, *hints, 0))) for literals, hints in steps)
    return base64.b64encode(zlib.compress(text.encode())).decode()


def unpacked(text: str) -> Iterator[tuple[list[int], list[int]]]:
    try:
        reader = zlib.decompressobj()
        data = reader.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
        if not reader.eof or reader.unconsumed_tail or reader.unused_data:
            raise Unreadable("a refutation is cut off, or too long")
        lines = data.decode("ascii").split("\n")
    except (binascii.Error, zlib.error, ValueError):
        raise Unreadable("a refutation is no packed text") from None
    for line in lines:
        words = line.split()
        try:
            numbers = [int(word) for word in words if len(word) <= _MOST_DIGITS]
            end = numbers.index(0)
        except ValueError:
            raise Unreadable("a step of a refutation has literals and hints") from None
        if numbers[-1] != 0 or numbers.count(0) != 2 or len(numbers) != len(words):
            raise Unreadable("a step of a refutation has literals and hints")
        yield numbers[:end], numbers[end + 1 : -1]


def check_refutation(clauses: Sequence[Sequence[int]], steps: Iterable[tuple[list[int], list[int]]]) -> int:
    """How many steps it has. Raises `Refusal` if they do not show that the clauses have no model."""
    known: list[Sequence[int]] = list(clauses)
    last: list[int] | None = None
    for literals, hints in steps:
        if not _follows(literals, hints, known):
            raise Refusal(f"step {len(known) - len(clauses) + 1} of a refutation does not follow")
        known.append(literals)
        last = literals
    if last is None or last:
        raise Refusal("a refutation does not end with a contradiction")
    return len(known) - len(clauses)


def _follows(literals: Sequence[int], hints: Sequence[int], known: Sequence[Sequence[int]]) -> bool:
    false = set(literals)
    for hint in hints:
        if not 1 <= hint <= len(known):
            return False
        left = [one for one in known[hint - 1] if one not in false]
        if not left:
            return True
        if len(left) > 1 or -left[0] in false:
            return False
        false.add(-left[0])
    return False
