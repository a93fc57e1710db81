"""Counterexamples of hardware models as simulators read them: BTOR2 witnesses for btorsim, AIGER stimuli for aigsim.

    sat          BTOR2: the answer, which bad state,           1        AIGER: the answer, which bad state,
    b0                                                         b0
    #0           states at the start, by their number          0        latches at the start,
    0 00000000 counter#0
    @0           inputs of each step, by their number          1        inputs of each step
    0 1 enable@0                                               0
    .                                                          .

A derivation has the states. The inputs of each step are found here again, by a solver: where there are none, nothing
is written. An array is a line for all its elements, ``0 [*] 00000000 memory#0``, and one for each that is another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from cleave.export.exports import About
from cleave.frontends.input import Input
from cleave.frontends.transitions.aiger import aiger_model
from cleave.frontends.transitions.btor2 import btor2_model
from cleave.frontends.transitions.symbolic_system import HardwareModel
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Op, Term, boolean, bv, conj_all, const_array, eq, store
from cleave.logic.walk import substitute
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import Z3Solver
from cleave.verdict import Result, Trace, Unsafe

_MODELS = {".btor2": btor2_model, ".btor": btor2_model, ".aag": aiger_model, ".aig": aiger_model}
_NUMBER = re.compile(r"(\d+)bv(\d+)")
_MAP = re.compile(r"\[(.*)else ([^\[\],]+)\]")

Values = Mapping[Term, Term]
"""Of variables, in one step."""


def refusal(input: Input) -> str | None:
    if PurePath(input.file).suffix.lower() not in _MODELS:
        return "--stimulus is for hardware models in BTOR2 and AIGER"
    return None


def stimulus_text(about: About, result: Result) -> str | None:
    if not isinstance(result.verdict, Unsafe):
        return None
    ending = PurePath(about.input.file).suffix.lower()
    model = _MODELS[ending](about.input.file, about.input.source)
    states = _states(model, result.verdict.trace)
    bad = next((n for n, one in enumerate(model.system.bad) if one.location == result.verdict.trace.location), None)
    frames = _frames(model, states, bad) if states is not None and bad is not None else None
    if frames is None or bad is None:
        return None
    lines = _aiger(model, frames, bad) if ending in (".aag", ".aig") else _btor2(model, frames, bad)
    return "".join(f"{line}\n" for line in lines)


def _states(model: HardwareModel, trace: Trace) -> list[Values] | None:
    """The values of all states in each step; None: the trace does not tell all of them."""
    found: list[Values] = []
    for step in trace.steps:
        if step.kind == "fact":
            if len(step.values) != len(model.system.state):
                return None
            values = [_value(*told) for told in zip(step.values.values(), model.system.state, strict=True)]
            known = [value for value in values if value is not None]
            if len(known) != len(values):
                return None
            found.append(dict(zip(model.system.state, known, strict=True)))
    return found or None


def _value(text: str, state: Term) -> Term | None:
    return _array(text, state) if state.sort.is_array else _scalar(text)


def _array(text: str, state: Term) -> Term | None:
    """``[1bv4 := 5bv8, else 0bv8]``; None, where it is cut or has arrays in it."""
    found = _MAP.fullmatch(text)
    value = _scalar(found[2]) if found is not None else None
    if found is None or value is None:
        return None
    value = const_array(state.sort.index, value)
    for entry in found[1].split(", ")[:-1]:
        index, element = (_scalar(one) for one in entry.partition(" := ")[::2])
        if index is None or element is None:
            return None
        value = store(value, index, element)
    return value


def _scalar(text: str) -> Term | None:
    if text in ("true", "false"):
        return boolean(text == "true")
    number = _NUMBER.fullmatch(text)
    return bv(int(number[1]), int(number[2])) if number is not None else None


def _frames(model: HardwareModel, states: Sequence[Values], bad: int) -> list[Values] | None:
    """States and inputs of each step, so that each follows from the one before and the last one is bad."""
    frames: list[Values] = []
    for number, state in enumerate(states):
        system = model.system
        if number + 1 < len(states):
            after = [
                eq(value, states[number + 1][own]) for own, value in zip(system.state, system.following, strict=True)
            ]
            condition = conj_all([system.step, *after])
        else:
            condition = system.bad[bad].condition
        inputs = _solved(substitute(condition, dict(state)), model.inputs)
        if inputs is None:
            return None
        frames.append({**state, **inputs})
    return frames


def _solved(condition: Term, inputs: Sequence[Term]) -> Values | None:
    solver = Z3Solver()
    try:
        solver.add(condition)
        if solver.check() is not Answer.SAT:
            return None
        found = solver.model()
        return {one: _term(one, found.value(one)) for one in inputs}
    finally:
        solver.close()


def _term(variable: Term, value: object) -> Term:
    assert isinstance(value, int)
    return boolean(bool(value)) if variable.sort is BOOL else bv(value, variable.sort.width)


def _elements(value: Term) -> Iterator[str]:
    """The places and bits of a value; one without a place, of no array."""
    if value.op is Op.STORE:
        array, index, element = value.args
        yield from _elements(array)
        yield f"[{_bits(index)}] {_bits(element)}"
    elif value.op is Op.CONST_ARRAY:
        yield f"[*] {_bits(value.args[0])}"
    else:
        yield _bits(value)


def _bits(value: Term) -> str:
    if value.sort is BOOL:
        return "1" if value.is_true else "0"
    return f"{value.value:0{value.sort.width}b}"


def _btor2(model: HardwareModel, frames: Sequence[Values], bad: int) -> Iterator[str]:
    yield "sat"
    yield f"b{bad}"
    for number, frame in enumerate(frames):
        told = [(n, one) for n, one in enumerate(model.system.state) if number == 0 or one in model.free]
        if told:
            yield f"#{number}"
            yield from (f"{n} {part} {one.name}#{number}" for n, one in told for part in _elements(frame[one]))
        yield f"@{number}"
        yield from (f"{n} {_bits(frame[one])} {one.name}@{number}" for n, one in enumerate(model.inputs))
    yield "."


def _aiger(model: HardwareModel, frames: Sequence[Values], bad: int) -> Iterator[str]:
    yield "1"
    yield f"b{bad}"
    yield "".join(_bits(frames[0][one]) for one in model.system.state)
    for frame in frames:
        yield "".join(_bits(frame[one]) for one in model.inputs)
    yield "."
