"""The table of all properties: Cleave's own, and those that other packages register, which are looked for only when a
name is not one of Cleave's, and for help.

[project.entry-points."cleave.properties"]
no-gets = "my_package:NO_GETS"                  # a `Property`
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from cleave.errors import UsageError
from cleave.frontends.c.properties.built_in import BUILT_IN
from cleave.frontends.c.properties.property import Property

GROUP = "cleave.properties"
DEFAULT = "default"  # among names of properties: those that are checked where nothing is asked for


_OWN = frozenset(one.name for one in BUILT_IN)


@cache
def properties() -> dict[str, Property]:
    """All of them, by name. A registered one can't take a name that is taken."""
    from importlib.metadata import entry_points  # with what it needs, a tenth of the start of a small task

    found = {one.name: one for one in BUILT_IN}
    taken = {name for one in BUILT_IN for name in one.names}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        made = entry.load()
        if not isinstance(made, Property):
            raise UsageError(f"{entry.value}, registered as the property {entry.name}, is no Property")
        if not taken.isdisjoint(made.names):
            raise UsageError(f"{entry.value} registers the property {made.name}, whose name is taken")
        found[made.name] = made
        taken.update(made.names)
    return found


def called(name: str) -> tuple[Property, ...]:
    """Those that are called so: of SV-COMP's names, some are of several together."""
    return tuple(one for one in BUILT_IN if name in one.names) or tuple(
        one for one in properties().values() if name in one.names
    )


def chosen(names: Iterable[str] | None) -> tuple[Property, ...]:
    """The properties of these names, each once, in the order of the table; None: the default ones."""
    wanted = (DEFAULT,) if names is None else tuple(names)
    _refuse_unknown(wanted)
    by_default = DEFAULT in wanted
    named = {one.name for name in wanted if name != DEFAULT for one in called(name)}
    known = BUILT_IN if all(one in _OWN for one in named) else tuple(properties().values())
    return tuple(one for one in known if one.name in named or (by_default and one.is_default))


def by_formula(formula: str) -> Property | None:
    """The property that a property file states by ``formula``, which may be spaced in any way."""
    text = "".join(formula.split())
    known = properties().values()
    return next((one for one in known if text in ("".join(own.split()) for own in one.formulas)), None)


def _refuse_unknown(names: Iterable[str]) -> None:
    for name in names:
        if name != DEFAULT and not called(name):
            raise UsageError(f"{name!r} is no property that can be checked; there are {', '.join(properties())}")
