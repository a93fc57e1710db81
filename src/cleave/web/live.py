"""News for the viewers of a page: they are made once for all viewers, and only while there is one.

    channel = channels.of("runs/ID", look)           # look() -> Look: the parts of the page, and whether it is over
    async for text in channel.news(): ...            # server-sent events

A viewer that is slow misses what was replaced meanwhile and nothing else: no queue grows. A page that takes long to
make, or is large and has many viewers, is made less often, but never later than `_LONGEST` seconds after the last time:
somebody waits for the end of the run.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from time import monotonic, thread_time
from typing import NamedTuple

from cleave.errors import CleaveError

_PAUSE = 1.0  # seconds between two looks
_SHARE = 30  # the time between two looks is at least so many times the processor time of a look
_LONGEST = 10.0
_FIRST = 30.0  # seconds that a first viewer has to come
_BYTES_PER_SECOND = 6_000_000
_KEEP_ALIVE = 15.0


class Look(NamedTuple):
    """What is to be seen now, by the ids of elements or, in an API, of objects."""

    parts: dict[str, str]
    over: bool


def news_of(parts: dict[str, str]) -> str:
    """As pages take it."""
    return f"event: news\ndata: {json.dumps(parts)}\n\n"


class Channel:
    def __init__(self, look: Callable[[], Look], said: Callable[[dict[str, str]], str] = news_of) -> None:
        self._look = look
        self._said = said
        self._parts: dict[str, tuple[int, str]] = {}
        self._version = 0
        self._over = False
        self._changed = asyncio.Condition()
        self._task: asyncio.Task[None] | None = None
        self._made: dict[int, bytes] = {}  # by what a viewer has seen: what it is sent
        self.viewers = 0
        self._made_at = monotonic()
        self._has_begun = False

    def is_wanted(self) -> bool:
        """Somebody looks, or is about to."""
        return self.viewers > 0 or (not self._has_begun and monotonic() - self._made_at < _FIRST)

    async def news(self) -> AsyncIterator[bytes]:
        self.viewers += 1
        self._has_begun = True
        if self._task is None:
            self._task = asyncio.create_task(self._go_on())
        seen = 0
        try:
            while True:
                try:
                    async with asyncio.timeout(_KEEP_ALIVE), self._changed:
                        await self._changed.wait_for(lambda: self._version > seen or self._over)  # noqa: B023
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                if self._version > seen:
                    yield self._since(seen)
                    seen = self._version
                if self._over:
                    yield b"event: end\ndata: {}\n\n"
                    return
        finally:
            self.viewers -= 1

    def _since(self, seen: int) -> bytes:
        if seen not in self._made:
            new = {id: text for id, (version, text) in self._parts.items() if version > seen}
            self._made[seen] = self._said(new).encode("utf-8", "replace")
        return self._made[seen]

    async def _go_on(self) -> None:
        try:
            while self.viewers and not self._over:
                look, took = await asyncio.to_thread(self._timed)
                size = await self._take(look)
                wanted = max(_PAUSE, _SHARE * took, self.viewers * size / _BYTES_PER_SECOND)
                await asyncio.sleep(0 if self._over else min(wanted, _LONGEST))
        except Exception as error:
            await self._take(Look({}, over=True))  # the page, loaded again, says what is wrong
            if not isinstance(error, CleaveError):
                raise
        finally:
            self._task = None

    def _timed(self) -> tuple[Look, float]:
        """And its processor time: what else the machine does makes no page later."""
        began = thread_time()
        return self._look(), thread_time() - began

    async def _take(self, look: Look) -> int:
        """The characters that are new."""
        new = {id: text for id, text in look.parts.items() if self._parts.get(id, (0, ""))[1] != text}
        async with self._changed:
            if new:
                self._version += 1
                self._made.clear()
                self._parts |= {id: (self._version, text) for id, text in new.items()}
            self._over = look.over
            self._changed.notify_all()
        return sum(map(len, new.values()))


class Channels:
    """By name; those that nobody looks at are forgotten, but not before their first viewer had the time to come."""

    def __init__(self) -> None:
        self._known: dict[str, Channel] = {}

    def of(self, name: str, look: Callable[[], Look], said: Callable[[dict[str, str]], str] = news_of) -> Channel:
        self._known = {key: one for key, one in self._known.items() if one.is_wanted()}
        return self._known.setdefault(name, Channel(look, said))

    def viewers(self) -> int:
        return sum(one.viewers for one in self._known.values())
