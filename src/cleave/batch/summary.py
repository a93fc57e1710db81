"""All rows of a batch in a few lines, as CSV, and as JUnit XML for build servers.

300 tasks: 212 correct, 60 unknown, 20 bounded, 8 error; score 371
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from xml.etree import ElementTree

from cleave.batch.rows import STATUSES, Row
from cleave.engines.text import table

_CSV = ("name", "asked", "expected", "verdict", "status", "score", "seconds", "cpu_seconds", "memory_mb", "engine")
_MOST_SHOWN = 40


def in_words(rows: Sequence[Row]) -> str:
    counts = {status: sum(row.status == status for row in rows) for status in STATUSES}
    told = ", ".join(f"{number} {status}" for status, number in counts.items() if number)
    score = sum(row.score for row in rows)
    cpu = sum(row.cpu_seconds for row in rows)
    return f"{len(rows)} tasks: {told or 'nothing'}; score {score}; {cpu:,.1f} s of processor time"


def as_text(rows: Sequence[Row]) -> list[str]:
    """Expected against got, then the tasks that somebody has to look at, then the sum."""
    verdicts = ("safe", "bounded-safe", "unsafe", "unknown", "error")
    lines: list[tuple[str, ...]] = [("expected", *verdicts)]
    for expected in ("safe", "unsafe", None):
        own = [row for row in rows if row.expected == expected]
        if own:
            counts = (str(sum(row.verdict == verdict for row in own)) for verdict in verdicts)
            lines.append((expected or "not said", *counts))
    shown = list(table(lines, right=verdicts))
    striking = [row for row in rows if row.status == "error" or is_failure(row)]
    shown += [f"  {_striking(row)}" for row in striking[:_MOST_SHOWN]]
    if len(striking) > _MOST_SHOWN:
        shown.append(f"  and {len(striking) - _MOST_SHOWN} more")
    return [*shown, in_words(rows)]


def _striking(row: Row) -> str:
    if row.status == "error":
        return f"error: {row.name}: {row.reason}"
    told = f"{row.verdict}, expected {row.expected}" if row.status == "wrong" else row.violated
    return ": ".join(filter(None, (row.status if row.status == "wrong" else row.verdict, row.name, told)))


def as_csv(rows: Sequence[Row]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow((*_CSV, "bounds", "reason", "violated", "exit_code", "files"))
    for row in rows:
        bounds = " ".join(f"{name}={bound}" for name, bound in row.bounds.items())
        cells = [getattr(row, name) for name in _CSV]
        writer.writerow(
            (*map(_plain, cells), bounds, _plain(row.reason), _plain(row.violated), row.exit_code, " ".join(row.files))
        )
    return stream.getvalue()


def _plain(cell: object) -> object:
    """A table program takes a text that begins so for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in "=+-@" and cell else "" if cell is None else cell


def as_junit(rows: Sequence[Row]) -> str:
    """What is wrong, or unsafe and not expected to be, is a failure; what has no answer is skipped."""
    failing = {row.name: row for row in rows if is_failure(row)}
    suite = ElementTree.Element(
        "testsuite",
        name="cleave",
        tests=str(len(rows)),
        failures=str(len(failing)),
        errors=str(sum(row.status == "error" for row in rows)),
        skipped=str(sum(row.status in ("unknown", "bounded") for row in rows)),
        time=f"{sum(row.seconds for row in rows):.3f}",
    )
    for row in rows:
        case = ElementTree.SubElement(
            suite, "testcase", name=row.name, classname=row.asked or "cleave", time=f"{row.seconds:.3f}"
        )
        told = f"{row.verdict}, expected {row.expected}" if row.expected else row.verdict
        said = _xml_text("; ".join(filter(None, (told, row.violated or row.reason))))
        kind = "failure" if row.name in failing else "error" if row.status == "error" else "skipped"
        if kind != "skipped" or row.status in ("unknown", "bounded"):
            ElementTree.SubElement(case, kind, message=said)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def is_failure(row: Row) -> bool:
    return row.status == "wrong" or (row.status == "unjudged" and row.verdict == "unsafe")


def _xml_text(text: str) -> str:
    """Without characters that XML does not have."""
    return "".join(character if character.isprintable() else " " for character in text)
