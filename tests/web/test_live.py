"""News for viewers: each gets all that is new, and the end, however long a look takes and whenever it comes."""

from __future__ import annotations

import asyncio
import time

import pytest

from cleave.web import live
from cleave.web.live import Channel, Channels, Look


async def heard(channel: Channel) -> list[bytes]:
    return [one async for one in channel.news()]


def test_many_viewers_share_one_channel_and_all_hear_the_end() -> None:
    looks = iter([Look({"a": "1"}, over=False), Look({"a": "2"}, over=False), Look({"a": "3"}, over=True)])
    channels = Channels()

    async def watch() -> list[list[bytes]]:
        found = [channels.of("run", lambda: next(looks)) for _ in range(50)]  # before any of them has begun to hear
        assert len(set(map(id, found))) == 1
        return await asyncio.gather(*map(heard, found))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(live, "_PAUSE", 0.01)
        for told in asyncio.run(watch()):
            assert told[-1].startswith(b"event: end")
            assert b'"3"' in told[-2]


def test_a_look_that_waits_for_others_makes_no_pause_longer() -> None:
    """A machine that has other things to do makes a look slow; its processor time is what counts."""
    began = time.monotonic()
    looks = iter([Look({"a": "1"}, over=False), Look({}, over=True)])

    def slow() -> Look:
        time.sleep(0.2)
        return next(looks)

    told = asyncio.run(heard(Channel(slow)))
    assert told[-1].startswith(b"event: end")
    assert time.monotonic() - began < 5.0, "thirty times the seconds of a look would be longer"


def test_channels_without_viewers_are_forgotten() -> None:
    channels = Channels()
    first = channels.of("run", lambda: Look({"a": "1"}, over=True))
    asyncio.run(heard(first))
    assert channels.viewers() == 0
    assert channels.of("run", lambda: Look({}, over=True)) is not first
