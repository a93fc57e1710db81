"""HYDRA's coordinator under any sequence of events: each open partition is queued or in the hands of one worker, the
open partitions are the leaves of the split tree, and every run ends.

The workers here are what the coordinator knows of them: they ask, split, close, and are lost, whenever they can.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from cleave.engines.coordination import STOPPED, Command, Event, Finish, Hire, Joined, Lost, Passed, Received, Send
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.inline.coordinator import HydraCoordinator
from cleave.engines.inline.messages import (
    Answer,
    Back,
    CheckProof,
    Closed,
    Effort,
    FromWorker,
    GetPartition,
    Outcome,
    Pace,
    Searched,
    SendPartition,
    Task,
    ToWorker,
    Wait,
    decode_finding,
    encode,
    to_worker,
)
from cleave.engines.inline.options import InlineOptions, Queues, Rate
from cleave.engines.inline.record import split_tree
from cleave.validate.proofs.coverage import covered
from support.hydra_desk import WHOLE, half

CHOICES = st.integers(0, 2**16)


@dataclass
class Colleague:
    """A worker: the partition it works on, None while it has none, and the halves that it could turn to."""

    asked: bool = False
    works_on: str | None = None
    may_split: bool = True
    halves: list[str] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)  # searched, their proofs not checked yet


class Coordination(RuleBasedStateMachine):
    @initialize(
        workers=st.integers(1, 5), queues=st.sampled_from(Queues), rate=st.sampled_from(Rate), unsplit=st.booleans()
    )
    def begin(self, workers: int, queues: Queues, rate: Rate, unsplit: bool) -> None:
        how = InlineOptions(queues=queues, rate=rate, unsplit=unsplit)
        self.task = Task("program", b"", None, None, how, workers)
        self.coordinator = HydraCoordinator(self.task)
        self.hired = 0
        self.crew: dict[int, Colleague] = {}
        self.lost: list[int] = []
        self.leaves = {""}
        self.given_up: set[str] = set()
        self.whole_closed = False  # by the one who searches it unsplit
        self.losses: dict[str, int] = {}
        self.events: list[Event] = []
        self.commands: list[Command] = []
        self.answer: Answer | None = None
        self.obey(self.coordinator.start())

    # --- what happens -------------------------------------------------------------------------------------------------

    def tell(self, event: Event) -> None:
        self.events.append(event)
        self.obey(self.coordinator.on(event))

    def hear(self, worker: int, message: FromWorker) -> None:
        self.tell(Received(worker, encode(message)))

    def obey(self, commands: list[Command]) -> None:
        self.commands += commands
        for command in commands:
            match command:
                case Hire(workers=workers):
                    assert self.hired < workers <= self.task.workers
                    self.hired = workers
                case Finish(outcome=outcome):
                    self.answer = decode_finding(outcome).answer
                case Send(worker=worker, message=message):
                    self.order(self.crew[worker], to_worker(message))

    def order(self, colleague: Colleague, message: ToWorker) -> None:
        if isinstance(message, Pace):
            assert colleague.works_on is not None
            return
        if isinstance(message, Wait):
            assert colleague.works_on is None
            assert colleague.claims
            return
        assert not isinstance(message, CheckProof), "no proof was told"
        assert colleague.asked
        assert colleague.works_on is None, "it has something to do"
        if isinstance(message, Back):
            assert message.id == colleague.halves.pop(), "its latest half"
        else:
            assert message.partition == (half(message.id) if message.id else WHOLE)
            colleague.halves.clear()
            colleague.may_split = message.split
        colleague.works_on = message.id
        assert message.id in self.leaves or not colleague.may_split

    def pick(self, choice: int, *, splits: bool = False) -> int | None:
        """One of those who work."""
        busy = [n for n, c in self.crew.items() if c.works_on is not None and (c.may_split or not splits)]
        return busy[choice % len(busy)] if busy else None

    def goes_on(self) -> bool:
        return self.answer is None

    # --- rules --------------------------------------------------------------------------------------------------------

    @rule()
    @precondition(lambda self: self.goes_on() and len(self.crew) < self.hired)
    def join(self) -> None:
        worker = len(self.crew) + len(self.lost) + 1
        self.crew[worker] = Colleague()
        self.tell(Joined(worker))

    @rule()
    @precondition(goes_on)
    def ask(self) -> None:
        for worker, colleague in self.crew.items():
            if not colleague.asked:
                colleague.asked = True
                self.hear(worker, GetPartition())
                break

    @rule(choice=CHOICES)
    @precondition(goes_on)
    def split(self, choice: int) -> None:
        worker = self.pick(choice, splits=True)
        if worker is None:
            return
        name = self.crew[worker].works_on
        assert name is not None
        self.leaves.remove(name)
        self.leaves |= {name + "0", name + "1"}
        self.crew[worker].works_on = name + "0"
        self.crew[worker].halves.append(name + "1")
        self.hear(worker, SendPartition(name, name.encode(), half(name + "1")))

    @rule(choice=CHOICES)
    @precondition(goes_on)
    def close(self, choice: int) -> None:
        if len(self.leaves) > 1 or choice % 8 == 0:  # otherwise most runs would be over soon
            self.end(choice // 8, None)

    @rule(choice=CHOICES)
    @precondition(goes_on)
    def search(self, choice: int) -> None:
        worker = self.pick(choice, splits=True)
        if worker is not None:
            colleague = self.crew[worker]
            name, colleague.works_on = colleague.works_on, None
            assert name is not None
            colleague.claims.append(name)
            self.hear(worker, Searched(name))

    @rule(choice=CHOICES)
    @precondition(goes_on)
    def check_a_proof(self, choice: int) -> None:
        owing = [number for number, colleague in self.crew.items() if colleague.claims]
        if not owing:
            return
        worker = owing[choice % len(owing)]
        name = self.crew[worker].claims.pop(0)
        self.leaves.remove(name)
        if choice % 32 == 0:
            self.given_up.add(name)
        self.tell_outcome(worker, name, GivenUp("unconfirmed") if choice % 32 == 0 else None)

    @rule(choice=CHOICES)
    @precondition(goes_on)
    def give_up(self, choice: int) -> None:
        if choice % 8 == 0:
            self.end(choice // 8, GivenUp("unconfirmed"))

    @rule(choice=CHOICES)
    @precondition(goes_on)
    def violate(self, choice: int) -> None:
        if choice % 32 == 0:
            self.end(choice // 32, Violation(()))

    def end(self, choice: int, answer: Answer | None) -> None:
        worker = self.pick(choice)
        if worker is None:
            return
        colleague = self.crew[worker]
        name, colleague.works_on = colleague.works_on, None
        assert name is not None
        if isinstance(answer, GivenUp) and colleague.may_split:
            self.given_up.add(name)
        if colleague.may_split and not isinstance(answer, Violation):
            self.leaves.remove(name)
        self.whole_closed |= answer is None and not colleague.may_split
        self.tell_outcome(worker, name, answer)

    def tell_outcome(self, worker: int, name: str, answer: Answer | None) -> None:
        decisions = tuple((name[:place].encode(), bit == "1") for place, bit in enumerate(name))
        self.hear(worker, Outcome(name, answer or Closed(None, decisions, "checked"), Effort()))

    @rule(choice=CHOICES, reason=st.sampled_from(("crashed", "memory", STOPPED)))
    @precondition(lambda self: self.goes_on() and self.crew)
    def lose(self, choice: int, reason: str) -> None:
        worker = list(self.crew)[choice % len(self.crew)]
        colleague = self.crew.pop(worker)
        self.lost.append(worker)
        self.blame(colleague, reason)
        self.tell(Lost(worker, reason))

    def blame(self, colleague: Colleague, reason: str) -> None:
        """What a lost worker was doing is to blame: the partition it worked on, or else the oldest proof to check."""
        name = colleague.works_on if colleague.works_on is not None else next(iter(colleague.claims), None)
        if name is None or not colleague.may_split or reason == STOPPED:
            return
        self.losses[name] = self.losses.get(name, 0) + 1
        if self.losses[name] == 8 or (reason == "memory" and self.losses[name] > 1):
            self.leaves.remove(name)
            self.given_up.add(name)

    @rule(choice=CHOICES)
    @precondition(lambda self: self.goes_on() and self.lost)
    def hear_of_a_lost_worker(self, choice: int) -> None:
        messages = (GetPartition(), SendPartition("", b"", half("1")), Outcome("", Violation(()), Effort()))
        before = (len(self.commands), self.coordinator.counters())
        self.hear(self.lost[choice % len(self.lost)], messages[choice % 3])
        assert (len(self.commands), self.coordinator.counters()) == before

    @rule(seconds=st.floats(0, 2))
    def time_passes(self, seconds: float) -> None:
        told = len(self.commands)
        over = not self.goes_on()
        self.tell(Passed(seconds))
        assert not over or len(self.commands) == told

    # --- what must hold -----------------------------------------------------------------------------------------------

    @invariant()
    def nothing_open_is_in_two_hands(self) -> None:
        held = [c.works_on for c in self.crew.values() if c.works_on is not None and c.may_split]
        held += [name for c in self.crew.values() for name in c.claims]
        assert len(set(held)) == len(held)
        if self.goes_on():
            assert set(held) <= self.leaves
            waiting = sum(c.asked and c.works_on is None for c in self.crew.values())
            assert not waiting or set(held) == self.leaves, "nobody waits while a partition does"
            counters = self.coordinator.counters()
            assert counters["open_partitions"] == len(self.leaves)
            assert counters["waiting"] == waiting

    @invariant()
    def coverage_knows_the_same_leaves(self) -> None:
        opened = sorted(self.leaves | self.given_up, key=lambda name: (len(name), name))
        cover = covered(split_tree(self.events))
        if isinstance(self.answer, Closed):
            assert cover.holds
        elif isinstance(self.answer, GivenUp) or self.goes_on():
            others = f", and {len(opened) - 1} more" if len(opened) > 1 else ""
            whole = "nothing was divided or closed: the whole search is still open"
            assert cover.text == (whole if opened == [""] else f"partition {opened[0]!r} is still open{others}")

    @invariant()
    def the_answer_is_what_it_must_be(self) -> None:
        if isinstance(self.answer, GivenUp):
            assert self.given_up
            assert not self.leaves
            assert all(c.may_split or c.works_on is None for c in self.crew.values()), "the whole may still be closed"

    def teardown(self) -> None:
        """Whatever has happened: once workers stay and close what they get, the run ends, and can be rebuilt."""
        if not hasattr(self, "crew"):
            return
        steps = 0
        while self.goes_on():
            steps += 1
            assert steps < 3000, "the run does not end"
            if not self.crew:
                self.join()
            self.ask()
            self.close(8 * steps)
            if self.goes_on():
                self.check_a_proof(32 * steps + 1)
        self.coverage_knows_the_same_leaves()
        if not isinstance(self.answer, Violation) and not self.whole_closed:
            assert isinstance(self.answer, GivenUp) == bool(self.given_up)
        rebuilt = HydraCoordinator(self.task)
        assert rebuilt.start() + [c for event in self.events for c in rebuilt.on(event)] == self.commands
        assert rebuilt.counters() == self.coordinator.counters()


Coordination.TestCase.settings = settings(max_examples=150, stateful_step_count=50, deadline=None, database=None)
TestCoordination = Coordination.TestCase
