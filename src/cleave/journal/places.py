"""Where the journals of runs are kept, and how a run is named and found again.

    info = RunInfo(id=new_run_id("src/driver.bpl", now), ...)   # 20261116-013105-driver-3f2a91
    journal = start_run(default_folder(), info, assignment)
    find_run(default_folder(), "latest")                        # or the beginning of an id, or a path

Ids begin with the time in UTC: sorted by name they are sorted by age.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from cleave.errors import CleaveError, InputError, UsageError
from cleave.journal.database import remove_database
from cleave.journal.journal import Journal, RunInfo
from cleave.journal.lock import Lock, is_locked

_log = logging.getLogger(__name__)

LATEST = "latest"
SUFFIX = ".journal"
_NAME_LENGTH = 24
_CANDIDATES = 5


class Run(NamedTuple):
    """A run that has a journal. If it has no result and is not running, it can be resumed."""

    path: Path
    info: RunInfo
    result: dict[str, Any] | None
    going_on: bool
    seconds: float  # that it has gone on, without breaks


class Listing(NamedTuple):
    """Runs, newest first, and a sentence about each file that could not be read."""

    runs: list[Run]
    notes: list[str]


def default_folder() -> Path:
    """By the XDG rules: state that outlives a run and that nobody needs a copy of."""
    state = os.environ.get("XDG_STATE_HOME", "")
    base = Path(state) if os.path.isabs(state) else Path.home() / ".local" / "state"
    return base / "cleave" / "runs"


def new_run_id(file: str, now: datetime | None = None) -> str:
    """An id for a run on ``file``, different at each call.

    >>> new_run_id("src/my driver.bpl", datetime(2026, 11, 16, 1, 31, 5, tzinfo=UTC))[:-6]
    '20261116-013105-my-driver-'
    """
    moment = (now or datetime.now(UTC)).astimezone(UTC).strftime("%Y%m%d-%H%M%S")
    name = re.sub(r"[^A-Za-z0-9_]+", "-", Path(file).stem)[:_NAME_LENGTH].strip("-")
    return "-".join(part for part in (moment, name, os.urandom(3).hex()) if part)


def start_run(
    folder: Path,
    info: RunInfo,
    plan: bytes = b"",
    source: bytes = b"",
    *,
    texts: Mapping[str, bytes] | None = None,
    keep: int = 200,
) -> Journal:
    """A journal for a new run, in a folder that is made if need be and from which old runs are removed."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"can't make the folder {folder} for journals: {error.strerror}") from None
    journal = Journal.create(folder / (info.id + SUFFIX), info, plan, source, texts)
    _log.info("the journal is %s", journal.path)
    for path in prune(folder, keep):
        _log.debug("removed the old journal %s", path)
    return journal


def find_run(folder: Path, name: str) -> Path:
    """The journal of the run that ``name`` tells: ``latest``, the beginning of just one id, or a path."""
    if name == LATEST:
        return _latest(folder)
    if name.endswith(SUFFIX) or os.sep in name:
        return _at_path(Path(name))
    found = [path for path in _journals(folder) if path.stem.startswith(name)]
    exact = [path for path in found if path.stem == name]
    if len(found) == 1 or exact:
        return (exact or found)[0]
    if not found:
        raise UsageError(f"no run in {folder} has an id that begins with {name!r}")
    shown = ", ".join(path.stem for path in found[:_CANDIDATES]) + (", ..." if len(found) > _CANDIDATES else "")
    raise UsageError(f"{len(found)} runs have ids that begin with {name!r}: {shown}")


def list_runs(folder: Path) -> Listing:
    listing = Listing([], [])
    for path in _journals(folder):
        try:
            with Journal.open(path) as journal:
                listing.runs.append(Run(path, journal.info, journal.result, is_locked(path), journal.seconds()))
        except InputError as error:
            listing.notes.append(str(error))
    listing.runs.sort(key=lambda run: run.info.started, reverse=True)
    return listing


def prune(folder: Path, keep: int = 200) -> list[Path]:
    """Removes finished runs, except the newest ``keep`` of all; what can be resumed stays. Returns what went."""
    return [path for path in _journals(folder)[keep:] if _remove_if_finished(path)]


def _journals(folder: Path) -> list[Path]:
    """Newest first, to the second."""
    return sorted(folder.glob("*" + SUFFIX), key=lambda path: path.stem, reverse=True)


def _latest(folder: Path) -> Path:
    runs = list_runs(folder).runs
    if not runs:
        raise UsageError(f"there are no runs in {folder}")
    return runs[0].path


def _at_path(path: Path) -> Path:
    if not path.is_file():
        raise UsageError(f"there is no journal at {path}")
    return path


def _remove_if_finished(path: Path) -> bool:
    """A file that can't be read is left for its owner to see."""
    try:
        if not _is_finished(path):
            return False
        lock = Lock.take(path)
    except CleaveError:
        return False
    try:
        if finished := _is_finished(path):  # nobody went on with it before it was ours
            remove_database(path)
        return finished
    except CleaveError:  # nor removed it
        return False
    finally:
        lock.give_back()


def _is_finished(path: Path) -> bool:
    with Journal.open(path) as journal:
        return journal.result is not None
