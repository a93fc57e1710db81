"""docs/guide/options.md: the options of all engines as tables, made from the options themselves.

python -m cleave.run.options_page > docs/guide/options.md
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.engines.registry import engine, names
from cleave.run.choices import Choice, choices_of
from cleave.run.options import Described

_PAGE = """\
# Options of the engines

*Made by `make docs` from the engines' options; a test compares.*

The flags are for `cleave verify` and `cleave plan`. The name in Python is a field of the engine's class of options.
Options without a flag tune a search and are for benchmarks. Solver cost counts the solver's work and does not depend
on the machine. One second is about a million. [Commands](commands.md) has the options that all engines share.
"""


def table(engine: Described) -> str:
    """The options of an engine as Markdown: those with a flag, then those that tune."""
    choices = choices_of(engine.options)
    flagged = [choice for choice in choices if choice.about.flag]
    tuning = [choice for choice in choices if not choice.about.flag]
    lines = []
    if flagged:
        lines += ["| flag | in Python | meaning | values | default |", "| --- | --- | --- | --- | --- |"]
        lines += [_row(_flags(one), f"`{one.name}`", one.about.help, *_values(one)) for one in flagged]
    if tuning:
        lines += [""] if flagged else []
        lines += ["| only in Python | meaning | values | default | reason |", "| --- | --- | --- | --- | --- |"]
        lines += [_row(f"`{one.name}`", one.about.help, *_values(one), one.about.reason) for one in tuning]
    return "\n".join(lines) + "\n"


def _flags(choice: Choice) -> str:
    return ", ".join(f"`{flag}`" for flag in choice.flags)


def _values(choice: Choice) -> tuple[str, str]:
    unit = f", {choice.about.unit}" if choice.about.unit else ""
    return f"{choice.range_text()}{unit}", choice.default_text()


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def page(engines: Iterable[Described]) -> str:
    """docs/guide/options.md."""
    parts = [f"\n## {engine.name}\n\n{_sentence(engine.purpose)}\n\n{table(engine)}" for engine in engines]
    return _PAGE + "".join(parts)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


if __name__ == "__main__":
    print(page(map(engine, names())), end="")
