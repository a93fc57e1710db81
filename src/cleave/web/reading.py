"""Reviews of runs for pages: one watcher for each run that somebody looks at, each used by one thread at a time."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from cleave.journal.journal import Journal
from cleave.review.stages import PlanReview, Watcher
from cleave.web.jobs import journal_of

_MOST = 24  # watchers; each holds what its run told
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,120}")
T = TypeVar("T")


class Reader:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._watchers: OrderedDict[str, tuple[Watcher, threading.Lock]] = OrderedDict()
        self._lock = threading.Lock()

    def path(self, id: str) -> Path | None:
        """The journal of the run with this id; an id is never a path."""
        if not _ID.fullmatch(id):
            return None
        path = journal_of(self._folder, id)
        return path if path.is_file() and not path.is_symlink() else None

    def read(self, path: Path, make: Callable[[PlanReview], T]) -> T:
        """What is made of a review. The review changes with the next look, so nobody keeps it."""
        with self._watching(path) as watcher:
            return make(watcher.look())

    @contextmanager
    def _watching(self, path: Path) -> Iterator[Watcher]:
        with self._lock:
            if path.stem not in self._watchers:
                self._watchers[path.stem] = Watcher(path), threading.Lock()
            self._watchers.move_to_end(path.stem)
            watcher, lock = self._watchers[path.stem]
            while len(self._watchers) > _MOST:
                self._watchers.popitem(last=False)
        with lock:
            try:
                yield watcher
            except BaseException:  # it may have read half of the news
                with self._lock:
                    self._watchers.pop(path.stem, None)
                raise

    def sources(self, path: Path) -> dict[str, str]:
        with Journal.open(path) as journal:
            return journal.texts()
