"""A compiled C program, as bytes: it goes to workers, which may have neither compiler nor headers.

decode_compiled(encode_compiled(compiled), "queue.c") == compiled
"""

from __future__ import annotations

import zlib

import msgspec

from cleave.errors import InputError
from cleave.frontends.c.options import COptions

_MAGIC = b"\0cleave-c-1\0"  # no C file begins like this


class Unit(msgspec.Struct, frozen=True, array_like=True):
    """One file in LLVM's text form."""

    file: str
    text: str
    is_library: bool = False


class Compiled(msgspec.Struct, frozen=True, array_like=True):
    """All files of a program, and the options that were chosen, by the user or from the files."""

    units: tuple[Unit, ...]
    options: COptions
    assumptions: tuple[str, ...] = ()
    texts: dict[str, str] = {}  # of the source files, for traces


def encode_compiled(compiled: Compiled) -> bytes:
    return _MAGIC + zlib.compress(msgspec.msgpack.encode(compiled))


def is_compiled(content: bytes) -> bool:
    return content.startswith(_MAGIC)


def decode_compiled(content: bytes, file: str) -> Compiled:
    try:
        return msgspec.msgpack.decode(zlib.decompress(content.removeprefix(_MAGIC)), type=Compiled)
    except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputError(f"a compiled program that can't be read: {error}", file=file) from None
