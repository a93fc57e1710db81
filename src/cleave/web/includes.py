r"""Whether a C file that somebody submitted asks the compiler for files that are none of its business.

    #include <stdio.h>              fine: a header of the library
    #include "queue.h"              fine if it was submitted as well
    #include "/etc/passwd"          refused, as are .., macros in place of a name, #embed, __has_include, .incbin

The check looks for directives everywhere, also inside of comments and strings, and after joining continued lines: a
text that hides a directive from it would have to hide the directive from the compiler, too. Besides, the compiler is
asked which files it read (`dependencies`).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from cleave.errors import InputError

_SPLICE = re.compile(r"(?:\\|\?\?/)[ \t\v\f]*\r?\n")
_HASH = r"(?:\#|%:|\?\?=)"
_BLANK = r"(?:[ \t\v\f\r]|/\*.*?\*/)*"
_DIRECTIVE = re.compile(
    rf"{_HASH}{_BLANK}(?P<word>include_next|__include_macros|include|import|embed)\b{_BLANK}(?P<rest>[^\n]*)", re.DOTALL
)
_LIBRARY = re.compile(r"<(?P<name>[A-Za-z0-9_+.\-/]+)>")
_OWN = re.compile(r'"(?P<name>[^"\n]+)"')
_OTHERS = re.compile(
    r"(?P<word>__has_(?:include|include_next|embed)\b|\.\s*incbin\b|\bdependency\b|\bmodule_map\b"
    rf"|{_HASH}{_BLANK}pragma{_BLANK}clang{_BLANK}module\b)"
)


def check_includes(file: str, content: bytes, own: Collection[str]) -> None:
    """Raises `InputError` for the first directive that may read a file outside. ``own`` are the submitted files."""
    text = _SPLICE.sub("", content.decode("latin-1"))
    for found in _DIRECTIVE.finditer(text):
        if not _is_harmless(found["word"], found["rest"], own):
            _refuse(file, text, found.start(), f"#{found['word']} {found['rest'].strip()[:80]}")
    other = _OTHERS.search(text)
    if other is not None and not _is_plain_word(text, other):
        _refuse(file, text, other.start(), other["word"])


def _is_harmless(word: str, rest: str, own: Collection[str]) -> bool:
    library = _LIBRARY.match(rest)
    if library is not None and word in ("include", "include_next"):
        parts = library["name"].split("/")
        return ".." not in parts and "" not in parts
    submitted = _OWN.match(rest)
    return submitted is not None and word == "include" and submitted["name"] in own


def _is_plain_word(text: str, found: re.Match[str]) -> bool:
    """``dependency`` may be a name; only a pragma looks at the file behind it."""
    return found["word"] == "dependency" and not re.search(r"pragma|_Pragma", text)


def _refuse(file: str, text: str, place: int, what: str) -> None:
    line = text.count("\n", 0, place) + 1
    told = f"submitted programs may include library headers and submitted files only, not: {what}"
    raise InputError(told, file=file, line=line)


def outside(dependencies: str, allowed: Collection[Path], at: Path) -> str | None:
    """The first file of a compiler's list of dependencies, as make reads it, that is in none of the folders.

    >>> outside("input.o: a.c /etc/passwd", [Path("/work")], Path("/work"))
    '/etc/passwd'
    """
    listed = re.sub(r"\\\r?\n", " ", dependencies).partition(": ")[2]
    for name in re.split(r"(?<!\\)\s+", listed.strip()):
        file = (at / name.replace("\\ ", " ").replace("$$", "$").replace("\\#", "#")).resolve()
        if name and not any(file.is_relative_to(folder.resolve()) for folder in allowed):
            return str(file)
    return None
