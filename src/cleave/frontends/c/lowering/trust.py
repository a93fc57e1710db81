"""Functions without a body that leave memory alone and return any value, as the user says (``--trust``)."""

from __future__ import annotations

from cleave.errors import UsageError
from cleave.frontends.c.analysis.calls import CallFacts
from cleave.frontends.c.analysis.models import Kind, kind_of
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.options import COptions


def trusted_functions(module: l.Module, options: COptions) -> frozenset[str]:
    for name in options.trust:
        function = module.functions.get(name)
        if function is None:
            raise UsageError(f"--trust {name}: the program calls no function of this name")
        if function.blocks:
            raise UsageError(f"--trust {name}: the function has a body, or Cleave has a model of it")
    names = set(options.trust)
    if options.assume_pure:
        names |= {name for name in module.functions if kind_of(name, module) is Kind.OUTSIDE}
    return frozenset(names)


def trusted_calls(module: l.Module, facts: CallFacts, options: COptions) -> list[tuple[str, str]]:
    """The trusted functions that the program calls, each with the option that says so."""
    mentioned = {
        instruction.callee.name
        for name in facts.reachable
        for instruction in module.functions[name].instructions()
        if isinstance(instruction.callee, l.GlobalRef)
    }
    found = sorted(module.trusted & (mentioned | facts.taken))
    return [(name, "--trust" if name in options.trust else "--assume-pure") for name in found]
