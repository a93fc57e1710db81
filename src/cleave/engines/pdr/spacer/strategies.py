"""The ways in which SPACER is run, for a portfolio: the paper's three first.

The paper's three strategies differ in how proof obligations are queued. DEF and IC3 are there still. The third, GPDR
(``spacer.gpdr``), answers "safe" on unsafe systems in every Z3 tried (4.8.17 to 5.4.0): it is never used, and global
guidance (``spacer.global``), which came after the paper, takes its place. The rest are in the order in which each adds
most to the ones before it, measured on files of CHC-COMP with a limit of work; `eq_prop` made the largest difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from cleave.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Strategy:
    """A named set of SPACER's options, without the ``spacer.``.

    With ``transforms`` Z3 rewrites the clauses before it starts. That helps some systems, but then lemmas can't be
    shared, and an "unsafe" comes without a derivation.
    """

    name: str
    params: Mapping[str, bool | int] = field(default_factory=lambda: MappingProxyType({}))
    transforms: bool = False


def _strategy(name: str, **params: bool | int) -> Strategy:
    return Strategy(name=name, params=MappingProxyType({key.replace("__", "."): v for key, v in params.items()}))


STRATEGIES: tuple[Strategy, ...] = (
    _strategy("def", push_pob=True, reset_pob_queue=False),
    _strategy("ic3", push_pob=True),
    _strategy("global", **{"global": True}),
    _strategy("no-equality-propagation", eq_prop=False),
    _strategy("strong-abstraction", weak_abs=False),
    _strategy("reverse", order_children=1),
    _strategy("simplify", simplify_lemmas_post=True, simplify_pob=True),
    _strategy("default"),
    _strategy("global-no-equality-propagation", eq_prop=False, **{"global": True}),
)

# Z3's rewriting of clauses, without which lemmas and proofs are about the clauses that were given.
_TRANSFORMS = (
    *("xform.slice", "xform.inline_linear", "xform.inline_eager", "xform.tail_simplifier_pve"),
    *("xform.subsumption_checker", "xform.coi"),
)


def native_options(
    strategy: Strategy, seed: int, cost_limit: int, *, announces_invariants: bool, announces_lemmas: bool
) -> dict[str, bool | int | str]:
    """What Z3 is told. Announced are lemmas that hold at all levels, and others."""
    options: dict[str, bool | int | str] = {"engine": "spacer", "ctrl_c": False, "spacer.random_seed": seed}
    if cost_limit:
        options["rlimit"] = cost_limit
    if not strategy.transforms:
        options |= dict.fromkeys(_TRANSFORMS, False)
    options |= {f"spacer.{name}": value for name, value in strategy.params.items()}
    announced = {"spacer.p3.share_lemmas": announces_lemmas, "spacer.p3.share_invariants": announces_invariants}
    return options | announced
