"""An engine of another package, which says what it is told to say."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from typing import ClassVar, NoReturn

from cleave.engines.counters import Counters
from cleave.engines.desk import Desk, Facts
from cleave.engines.engine import Engine, Setting, Team
from cleave.engines.options import option
from cleave.errors import InternalError, UnsupportedError, UsageError
from cleave.frontends.input import Input, Kind
from cleave.verdict import BoundedSafe, Reason, Safe, Unknown, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class ToyOptions:
    says: str = option("unknown", flag="--toy-says", help="what to say", metavar="WORD")
    seconds: float = option(0.0, help="to say nothing before", unit="seconds", low=0, reason="others are slow, too")


class ToyCounters(Counters, frozen=True, kw_only=True):
    rounds: int | None = None


@dataclass(frozen=True, slots=True)
class ToySearch:
    options: ToyOptions
    facts: Facts | None = None
    worker: ClassVar[str] = ""
    begins_alone: ClassVar[bool] = True

    @staticmethod
    def make(input: Input, options: ToyOptions, setting: Setting) -> ToySearch:
        return ToySearch(options, setting.facts)

    def alone(self, desk: Desk) -> Verdict:
        rounds, end = 0, desk.watch.seconds() + self.options.seconds
        while True:
            rounds += 1
            desk.note({"rounds": rounds})
            desk.watch.check()
            if desk.watch.seconds() >= end:
                if self.options.says == "facts":
                    desk.facts = Facts(b"", "a toy's facts")
                return self._said()
            time.sleep(0.01)

    def _said(self) -> Verdict:
        match self.options.says:
            case "safe":
                return Safe("because")
            case "asks" if self.facts is not None:
                return Safe("told what others found")
            case "bounded":
                return BoundedSafe({"rounds": 1}, "because")
            case "refuses":
                raise UnsupportedError("not for toys", file="p.bpl", line=3, column=1)
            case "misused":
                raise UsageError("toys are not used like that")
            case "crashes":
                os.kill(os.getpid(), signal.SIGKILL)
            case "memory":
                raise MemoryError
        return Unknown(Reason.SOLVER, "what was the question?")

    def together(self, desk: Desk, team: Team) -> Verdict:
        return self.alone(desk)

    def assignment(self) -> bytes:
        self.coordinator()

    def coordinator(self) -> NoReturn:
        raise InternalError("toys have no workers")


TOY = Engine(
    name="toy",
    purpose="say what it is told to say",
    kinds=frozenset({Kind.PROGRAM}),
    options=ToyOptions,
    counters=ToyCounters,
    search="toy_engine:ToySearch",
    distributes=False,
)
