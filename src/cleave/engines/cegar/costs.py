"""The cost of the engine's own work in virtual time, in the solver's units, each about half a microsecond.

The solver counts its own steps. The rest was measured, as processor time of one worker and of ten
(docs/design/cegar.md), and is counted, so that the virtual time of a run is the same on every machine.
"""

from __future__ import annotations

from cleave.records import dataclass

BLOCKED = 5
"""Of a transition that is known to be impossible, ..."""

LOOKUP = 30
"""... of another one, ..."""

ASK = 150
"""... of one that the solver is asked about, besides what that costs, ..."""

FIRST = 150
"""... and when that is done for the first time, as its terms are new to the solver."""

TRUTH = 4
"""Of a predicate that is looked up in the values of a model, ..."""

MODEL = 15
"""... or in the model itself."""

WRITING = 120
"""Of a model that is written down for others, ..."""

READING = 12
"""... and read by one of them."""

STEP = 10
"""Of working out what comes after a transition."""

LEARN = 100
"""Of a predicate that is learned."""

ORDER = 40
"""Of being told what to look at, ..."""

TOLD = 1
"""... of being told a fact, ..."""

CORE = 4
"""... and of reading what implies a predicate, ..."""

WITNESS = 13
"""... or a witness."""


@dataclass(slots=True)
class Account:
    """What was spent."""

    spent: int = 0
