"""Programs whose search is split dozens of times, and what their workers tell."""

from __future__ import annotations

from collections.abc import Sequence

from cleave.engines.coordination import Event, valid_messages
from cleave.engines.inline.messages import Closed, Outcome, SendPartition, from_worker
from cleave.engines.inline.options import InlineOptions, Splits

OFTEN = InlineOptions(bounds=(1,), splits=Splits.RANDOM, split_after=0, interval=0.05, slice_cost=10_000, moving_cost=0)
"""Splits in every other turn of a worker."""


def sums(steps: int, target: int) -> str:
    """Can the sum of so many even numbers, each one of four, be ``target``? Each step multiplies the work by four."""
    calls = " ".join(f"call p{i}();" for i in range(steps))
    text = ["var g: int;", f"procedure main() modifies g; {{ g := 0; {calls} assert g != {target}; }}"]
    for i in range(steps):
        text.append(f"procedure p{i}() modifies g; {{ if (*) {{ call a{i}(); }} else {{ call b{i}(); }} }}")
        for name, one, other in (("a", 2 * i + 2, 4 * i + 8), ("b", 6 * i + 18, -2 * i - 10)):
            text.append(f"procedure {name}{i}() modifies g;")
            text.append(f"{{ if (*) {{ g := g + {one}; }} else {{ g := g + ({other}); }} }}")
    return "\n".join(text)


LONG = sums(7, target=7)
"""Safe; takes two workers a second or two and is split dozens of times."""


def closed_ids(events: Sequence[Event]) -> list[str]:
    messages = [message for _, message in valid_messages(events, from_worker)]
    return [m.id for m in messages if isinstance(m, Outcome) and isinstance(m.answer, Closed)]


def splits(events: Sequence[Event]) -> int:
    return sum(isinstance(message, SendPartition) for _, message in valid_messages(events, from_worker))
