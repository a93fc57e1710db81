"""Messages over a stream of bytes: each is preceded by its length.

>>> stream = Unframing()
>>> data = framed(b"one") + framed(b"two")
>>> stream.feed(data[:15]), stream.feed(data[15:])
([b'one'], [b'two'])
"""

from __future__ import annotations

import struct

_LENGTH = struct.Struct("!Q")

CHUNK_BYTES = 1 << 18
"""How much to read or write at once: about what the system keeps between two processes."""


def framed(message: bytes) -> bytes:
    return _LENGTH.pack(len(message)) + message


class Unframing:
    """Puts together what comes in pieces."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The messages that are complete with this piece."""
        self._buffer += data
        messages = []
        while len(self._buffer) >= _LENGTH.size:
            end = _LENGTH.size + _LENGTH.unpack_from(self._buffer)[0]
            if len(self._buffer) < end:
                break
            messages.append(bytes(self._buffer[_LENGTH.size : end]))
            del self._buffer[:end]
        return messages
