"""What is said of an engine's counters: golden lines, and that nothing is counted which no class knows."""

from __future__ import annotations

from typing import Any

import pytest

from cleave.engines.cegar.counters import CegarCounters
from cleave.engines.counters import Counters
from cleave.engines.executions.counters import ExecutionsCounters
from cleave.engines.inline.counters import InlineCounters
from cleave.engines.pdr.counters import PdrCounters
from cleave.engines.threads.coordinator import ThreadsCoordinator
from cleave.engines.threads.counters import ThreadsCounters
from cleave.engines.threads.messages import Task as ThreadsTask
from cleave.engines.threads.options import ThreadsOptions
from cleave.errors import InternalError
from support.hydra_desk import Desk as HydraDesk
from support.pdr_desk import Desk as PdrDesk

READ = {"read_seconds": 0.25}
INLINE_ALONE = {
    **READ,
    "bound": 2,
    "instances": 41,
    "merges": 7,
    "open_calls": 3,
    "blocked_calls": 1,
    "checks": 9,
    "cost": 12_345,
    "solver_seconds": 1.25,
}
INLINE = {
    **READ,
    "workers": 4,
    "waiting": 1,
    "lost_workers": 0,
    "splits": 41,
    "closed": 30,
    "open_partitions": 12,
    "instances": 1834,
    "bound": 2,
    "cost": 12_345_678,
}
PDR = {
    **READ,
    "jobs": 9,
    "workers": 4,
    "lost_workers": 1,
    "closed": 2,
    "partitions": 5,
    "level": 7,
    "cost": 1_200_000,
    "lemmas_pushed": 12,
    "lemmas_pulled": 8,
}
CEGAR = {"iterations": 1, "predicates": 4, "states": 12}
THREADS = {"contexts": 4, "unwind": 2, "cost": 700}
PARTS = {"workers": 2, "lost_workers": 0, "splits": 3, "closed": 4, "open_partitions": 0}
GOLDEN: list[tuple[type[Counters], dict[str, Any], str, str]] = [
    (
        InlineCounters,
        INLINE_ALONE,
        "41 instances, 7 merges, 3 calls open, 1 at the bound, 9 checks, solver cost 12345",
        "bound 2, 41 instances, 7 merges, 3 open calls, 1 blocked, 9 checks, 1.2 s in the solver",
    ),
    (
        InlineCounters,
        {**INLINE, "setup_cost": 4_115_226, "validation_cost": 0},
        "4 workers, 41 splits, 30 parts closed, 12 open, cost 16.5M, 25% of it to set up parts",
        "bound 2, 4 workers (3 busy), 41 splits (1.2/s), 30 parts closed, 12 open, 1834 instances, cost 12.3M",
    ),
    (
        InlineCounters,
        {**INLINE, "splits": 0, "lost_workers": 2, "bound": 0},
        "4 workers (2 lost), not split, cost 12.3M",
        "4 workers (3 busy, 2 lost), 0 splits (1.2/s), 30 parts closed, 12 open, 1834 instances, cost 12.3M",
    ),
    (
        PdrCounters,
        {**READ, "level": 3, "cost": 52_000, "runs": 1},
        "1 strategy run, level 3, solver cost 52.0k",
        "level 3, solver cost 52.0k",
    ),
    (
        PdrCounters,
        {**PDR, "solved_by global": 1, "solved_by unroll": 1},
        "4 workers (1 lost), 2 of 5 partitions closed, level 7, 12 lemmas sent, 8 passed on, solver cost 1.2M,"
        " solved by global, unroll",
        "4 workers (1 lost), 2 of 5 partitions closed, level 7, 12 lemmas sent, 8 passed on, solver cost 1.2M,"
        " solved by global, unroll",
    ),
    (
        CegarCounters,
        CEGAR,
        "1 iteration, 4 predicates, 12 abstract states",
        "1 iteration, 4 predicates, 12 abstract states",
    ),
    (
        CegarCounters,
        {**CEGAR, "workers": 3, "lost_workers": 0, "queries": 1_500, "cost": 90},
        "3 workers, 1 iteration, 4 predicates, 12 abstract states, 1.5k queries, solver cost 90",
        "3 workers, 1 iteration, 4 predicates, 12 abstract states, 1.5k queries, solver cost 90",
    ),
    (
        ThreadsCounters,
        {**THREADS, "clauses": 20_000},
        "4 contexts, unwind 2, 20.0k clauses, solver cost 700",
        "4 contexts, solver cost 700",
    ),
    (
        ThreadsCounters,
        {"contexts": 4, "cost": 700, **PARTS},
        "2 workers, 3 splits, 4 parts closed, 0 open, cost 700",
        "4 contexts, 4 parts closed, 0 open, solver cost 700",
    ),
    (ExecutionsCounters, {"probe_steps": 30_000}, "30.0k steps of executions tried", "trying executions"),
]


@pytest.mark.parametrize(("kind", "told", "line", "progress"), GOLDEN)
def test_what_is_said(kind: type[Counters], told: dict[str, Any], line: str, progress: str) -> None:
    counters = kind.of(told)
    assert counters.line() == line
    assert counters.progress(1.23) == progress
    assert counters.as_object() == told


@pytest.mark.parametrize("kind", [InlineCounters, PdrCounters, CegarCounters, ThreadsCounters])
def test_before_a_search_has_begun(kind: type[Counters]) -> None:
    assert kind.of(READ).progress() == "reading"
    assert kind.of(READ).line() == ""
    assert kind.of({**READ, "probe_steps": 1_200}).line() == "1.2k steps of executions tried"


def test_news_are_added() -> None:
    counters = PdrCounters.of({"cost": 1, "solved_by global": 1}).updated({"cost": 5, "solved_by unroll": 1})
    assert counters.as_object() == {"cost": 5, "solved_by global": 1, "solved_by unroll": 1}
    assert counters.rows() == [("cost", "5"), ("solved by global", "1"), ("solved by unroll", "1")]


def test_what_nobody_counts_is_an_error() -> None:
    with pytest.raises(InternalError, match="InlineCounters does not count aim, clauses"):
        InlineCounters.of({"cost": 1, "clauses": 2, "aim": 3})


def test_rows_are_for_people() -> None:
    assert InlineCounters.of(INLINE_ALONE).rows()[:3] == [
        ("read seconds", "0.250"),
        ("bound", "2"),
        ("instances", "41"),
    ]
    assert ("cost", "12,345") in InlineCounters.of(INLINE_ALONE).rows()


def test_coordinators_count_what_their_classes_know() -> None:
    assert InlineCounters.of(HydraDesk().coordinator.counters())
    assert PdrCounters.of(PdrDesk().coordinator.counters())
    assert ThreadsCounters.of(ThreadsCoordinator(ThreadsTask("f", b"", None, ThreadsOptions())).counters())
