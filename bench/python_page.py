"""docs/guide/python.md: what `import cleave` offers, made from docstrings and types.

python -m bench.python_page > docs/guide/python.md
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import re
from collections.abc import Callable, Iterator
from types import UnionType
from typing import Any

import cleave
from cleave.errors import CleaveError

_INTRO = """\
# Python

*Made by `make docs` from docstrings; a test compares, and runs the examples.*

`cleave.verify()` is the command `cleave verify`, with the same defaults. It prints nothing.

```python
>>> from cleave import Options, Unsafe, verify
>>> result = verify("examples/withdraw.bpl", Options(workers=1, timelimit=60, journal=None))
>>> result.verdict.word, result.verdict.exit_code
('unsafe', 10)
>>> assert isinstance(result.verdict, Unsafe)
>>> result.verdict.trace.violated
'the books agree with the cash: balance + cash == opening'
>>> [step.text for step in result.verdict.trace.steps if step.relevant][-1]
'assert balance + cash == opening'

```

Options of an engine are a class of its own:

```python
>>> from cleave import BoundedSafe, InlineOptions
>>> options = Options(engine="inline", engines=(InlineOptions(bounds=(2,)),), workers=1, journal=None)
>>> found = verify("examples/ring.bpl", options)
>>> isinstance(found.verdict, BoundedSafe), dict(found.bounds)
(True, {'recursion': 2})

```

Where the command would exit with 1, 2 or 6, a `CleaveError` is raised:

```python
>>> from cleave import CleaveError
>>> try:
...     verify("missing.bpl", Options(journal=None))
... except CleaveError as error:
...     print(error.exit_code, error)
2 missing.bpl: can't read the file: No such file or directory

```

`resume` continues a run that was stopped:

```python
from pathlib import Path
from cleave import Options, resume, verify

result = verify("driver.bpl", Options(timelimit=60, journal=Path("runs")))
if result.verdict.word == "unknown":
    result = resume(Path("runs") / f"{result.run}.journal", timelimit=600)
```
"""
_GROUPS: dict[str, Callable[[Any], bool]] = {
    "Functions": inspect.isfunction,
    "Verdicts and results": lambda thing: _module(thing) == "cleave.verdict",
    "Options": lambda thing: inspect.isclass(thing) and "Options" in thing.__name__,
    "Values of options": lambda thing: inspect.isclass(thing) and issubclass(thing, enum.Enum),
    "Errors": lambda thing: inspect.isclass(thing) and issubclass(thing, CleaveError),
    "Others": lambda thing: True,
}


def _module(thing: Any) -> str:
    return str(getattr(thing, "__module__", ""))


def page() -> str:
    left = {name: getattr(cleave, name) for name in sorted(cleave.__all__) if not name.startswith("__")}
    parts = [_INTRO]
    for title, belongs in _GROUPS.items():
        own = {name: thing for name, thing in left.items() if belongs(thing)}
        if own:
            parts += [f"\n## {title}\n", *(_entry(name, thing) for name, thing in own.items())]
        left = {name: thing for name, thing in left.items() if name not in own}
    return "".join(parts)


def _entry(name: str, thing: Any) -> str:
    lines = [f"\n### `{name}`\n"]
    if inspect.isfunction(thing):
        lines.append(f"\n```python\n{name}{_signature(thing)}\n```\n")
    if text := _text(thing):
        lines.append(f"\n{text}\n")
    if inspect.isclass(thing) and issubclass(thing, enum.Enum):
        lines.append("\n" + ", ".join(f"`{member.name}`" for member in thing) + "\n")
    elif dataclasses.is_dataclass(thing) and dataclasses.fields(thing):
        lines += ["\n| field | type | default | meaning |\n| --- | --- | --- | --- |\n", *_fields(thing)]
    return "".join(lines)


def _signature(function: Any) -> str:
    signature = inspect.signature(function)
    parameters = ",\n".join(f"    {parameter}" for parameter in _parameters(signature))
    return f"(\n{parameters},\n) -> {signature.return_annotation}"


def _parameters(signature: inspect.Signature) -> Iterator[str]:
    star = False
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not star:
            star = True
            yield "*"
        yield str(parameter).replace("'", "")


def _text(thing: Any) -> str:
    """Its docstring as Markdown: what is indented there is code, and two backquotes are one."""
    if isinstance(thing, UnionType):
        return " or ".join(f"`{one.__name__}`" for one in thing.__args__) + "."
    text = inspect.cleandoc(thing.__doc__ or "")
    if text.startswith(f"{thing.__name__}("):  # that which dataclasses write
        return ""
    text = re.sub(r"(?m)(?:^ {4,}.*\n?)+", lambda code: f"```text\n{inspect.cleandoc(code[0])}\n```\n", text)
    return text.replace("``", "`") if "```" not in text else text


def _fields(thing: Any) -> Iterator[str]:
    source = inspect.getsource(thing)
    for field in dataclasses.fields(thing):
        if field.name.startswith("_"):
            continue
        default = "" if _default(field) is None else f"`{_default(field)}`"
        kind = str(field.type).replace("|", "\\|")
        yield f"| `{field.name}` | `{kind}` | {default} | {_meaning(field, source)} |\n"


def _meaning(field: dataclasses.Field[Any], source: str) -> str:
    """Of an engine's option its help, else the comment beside the field."""
    if (about := field.metadata.get("option")) is not None:
        return str(about.help).replace("|", "\\|")
    found = re.search(rf"(?m)^    {field.name}: .*?  # (.+)$", source)
    return found[1] if found else ""


def _default(field: dataclasses.Field[Any]) -> str | None:
    if field.default is not dataclasses.MISSING:
        return str(field.default) if isinstance(field.default, enum.Enum) else repr(field.default)
    if field.default_factory is not dataclasses.MISSING:
        return f"{getattr(field.default_factory, '__name__', 'made')}()"
    return None


if __name__ == "__main__":
    print(page(), end="")
