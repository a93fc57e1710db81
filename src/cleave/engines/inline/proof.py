"""What an unfolding proves, written down for a validator: its instances and what each of their calls is bound to."""

from __future__ import annotations

from cleave.engines.inline.unfolding import Unfolding
from cleave.ir.path import Enter, Leave, Path, Visit
from cleave.validate.unfolded import UnfoldedInstance, UnfoldedProof


def proof_of(unfolding: Unfolding, bound: int | None) -> UnfoldedProof:
    """What a validator needs to know: the instances and what each call is bound to."""
    made = [UnfoldedInstance(instance.condition.procedure, {}) for instance in unfolding.instances]
    for instance, described in zip(unfolding.instances, list(made), strict=True):
        for block, calls in instance.condition.calls_of_block.items():
            for place, call in enumerate(calls):
                if not isinstance(call, int):
                    described.callees[block, place] = _add_straight(call, made)
                    continue
                callee = instance.callees[call]
                if callee is not None:
                    described.callees[block, place] = callee.number
    return UnfoldedProof(tuple(made), bound)


def _add_straight(path: Path, made: list[UnfoldedInstance]) -> int:
    """Adds the instances of a call that was executed in place; the number of the callee's."""
    first = len(made)
    stack: list[tuple[UnfoldedInstance, str]] = []
    for step in path:
        match step:
            case Enter(procedure):
                if stack:
                    caller, block = stack[-1]
                    caller.callees[block, len(caller.callees)] = len(made)
                made.append(UnfoldedInstance(procedure, {}))
                stack.append((made[-1], ""))
            case Visit(block):
                stack[-1] = (stack[-1][0], block)
            case Leave():
                stack.pop()
    return first
