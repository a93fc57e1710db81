"""How to read Boogie, where the file does not say: lines in the source, so that they go with the source.

procedure main() { async call p(); }
//:cleave file p.bpl
procedure p() { }
//:cleave cooperative
"""

from __future__ import annotations

from cleave.records import dataclass

_MARK = "\n//:cleave "
_COOPERATIVE, _FILE, _PROCEDURE = "cooperative", "file ", "procedure "
_CANDIDATES, _DROPPED, _CHECKS = "candidates", "dropped ", "check "


@dataclass(frozen=True, slots=True, kw_only=True)
class BoogieOptions:
    """``cooperative``: threads give way only where they ``yield``, as with Corral's ``/cooperative``. ``others`` are
    further files of the program. ``procedure`` is the one to verify against its contract. ``candidates``: constants
    that are marked as existential say which conditions are tried, and ``dropped`` are those that are not any more.
    ``checks`` names the properties of a program with threads; none: assertions."""

    cooperative: bool = False
    others: tuple[str, ...] = ()
    procedure: str = ""
    candidates: bool = False
    dropped: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()

    def added_to(self, source: bytes, contents: dict[str, bytes]) -> bytes:
        """The source with these options; ``contents`` are those of the other files."""
        for file in self.others:
            source += f"{_MARK}{_FILE}{file}\n".encode() + contents[file].removeprefix(b"\xef\xbb\xbf")
        told = [_COOPERATIVE] * self.cooperative + [f"{_PROCEDURE}{self.procedure}"] * bool(self.procedure)
        told += [_CANDIDATES] * self.candidates + [f"{_DROPPED}{name}" for name in self.dropped]
        told += [f"{_CHECKS}{name}" for name in self.checks]
        return source + "".join(f"{_MARK}{one}" for one in told).encode()


def options_in(text: str, file: str) -> tuple[list[tuple[int, str]], BoogieOptions]:
    """The files that a text is made of, each with the number of its first line, and its options."""
    if _MARK not in text:
        return [(1, file)], BoogieOptions()
    files = [(1, file)]
    lines = text.split("\n")
    told = {number: line[len(_MARK) - 1 :] for number, line in enumerate(lines, 1) if line.startswith(_MARK[1:])}
    files += [(number + 1, one.removeprefix(_FILE)) for number, one in told.items() if one.startswith(_FILE)]
    procedures = [one.removeprefix(_PROCEDURE) for one in told.values() if one.startswith(_PROCEDURE)]
    return files, BoogieOptions(
        cooperative=_COOPERATIVE in told.values(),
        others=tuple(name for _, name in files[1:]),
        procedure=procedures[0] if procedures else "",
        candidates=_CANDIDATES in told.values(),
        dropped=tuple(one.removeprefix(_DROPPED) for one in told.values() if one.startswith(_DROPPED)),
        checks=tuple(one.removeprefix(_CHECKS) for one in told.values() if one.startswith(_CHECKS)),
    )
