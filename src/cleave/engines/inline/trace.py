"""The path of a model: which blocks it executes, and which open calls it makes."""

from __future__ import annotations

from cleave.engines.inline.formula import Formula
from cleave.engines.inline.routes import Routes
from cleave.engines.inline.unfolding import Instance, OpenCall, Unfolding
from cleave.errors import InternalError
from cleave.ir.path import Enter, Leave, Path, PathStep, Visit
from cleave.records import dataclass
from cleave.smt.solver import Truths


@dataclass(frozen=True, slots=True)
class PathFound:
    """``open_calls`` are the calls on the path that are not inlined; the path passes them as if they returned.
    ``instances`` are those that it enters."""

    path: Path
    open_calls: tuple[OpenCall, ...]
    instances: tuple[Instance, ...]


def path_in_model(model: Truths, unfolding: Unfolding, formula: Formula, routes: Routes) -> PathFound:
    """Follows true blocks and edges from the root to its end, along the route to what must be reached if there is."""
    return _Walk(model, unfolding, formula, routes).run()


class _Walk:
    def __init__(self, model: Truths, unfolding: Unfolding, formula: Formula, routes: Routes) -> None:
        self._model = model
        self._routes = routes
        self._unfolding = unfolding
        self._formula = formula
        self._path: list[PathStep] = []
        self._open: list[OpenCall] = []
        self._entered: list[Instance] = []
        self._stack: list[tuple[Instance, str, int]] = []  # instance, block, calls of the block already made

    def run(self) -> PathFound:
        self._enter(self._unfolding.root)
        while self._stack:
            instance, block, made = self._stack.pop()
            calls = instance.condition.calls_of_block[block]
            if made < len(calls):
                self._stack.append((instance, block, made + 1))
                call = calls[made]
                if isinstance(call, int):
                    self._call(instance, call)
                else:
                    self._path.extend(call)
                continue
            successor = self._successor(instance, block)
            if successor is None:
                self._path.append(Leave())
            else:
                self._visit(instance, successor)
        return PathFound(tuple(self._path), tuple(self._open), tuple(self._entered))

    def _enter(self, instance: Instance) -> None:
        self._entered.append(instance)
        self._path.append(Enter(instance.condition.procedure))
        self._visit(instance, instance.condition.entry)

    def _visit(self, instance: Instance, block: str) -> None:
        self._path.append(Visit(block))
        self._stack.append((instance, block, 0))

    def _call(self, instance: Instance, index: int) -> None:
        callee = instance.callees[index]
        if callee is not None:
            self._enter(callee)
        else:
            self._open.append(self._unfolding.open_call(instance, index))

    def _successor(self, instance: Instance, block: str) -> str | None:
        edges = instance.condition.edges[block]
        for (successor, _), route in zip(edges, self._routes.edges(instance, block), strict=False):
            if self._model.is_true(route):
                return successor
        for successor, taken in edges:
            if self._model.is_true(self._formula.term(instance, taken)):
                return successor
        if edges:
            raise InternalError(f"the model leaves block {block} of {instance.condition.procedure} by no edge")
        return None
