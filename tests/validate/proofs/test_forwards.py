"""Bodies of procedures as a proof's check has them."""

from __future__ import annotations

from cleave.ir.reader import read_program
from cleave.passes.effects import effects
from cleave.validate.proofs.forwards import body_of

_NAMES = ("elm", "oak", "ash", "fir", "yew", "bay", "fig", "box")
_BRANCHES = "\n".join(f"  {name}:\n    x := {number}\n    goto last" for number, name in enumerate(_NAMES))
_PROGRAM = f"""\
property end-reachable
proc main(x: int) -> () {{
  first:
    goto {", ".join(_NAMES)}
{_BRANCHES}
  last:
    return
}}
"""


def test_blocks_that_do_not_follow_each_other_are_in_the_order_of_the_program() -> None:
    """Otherwise the cost of a check would change with the hashes of strings."""
    program = read_program(_PROGRAM)
    body = body_of(program.procedures["main"], program, effects(program))
    order = [v.name.split("~")[0] for v in body.variables if v.name.startswith("at ")]
    assert order == [f"at {name}" for name in ("first", *_NAMES, "last")]
