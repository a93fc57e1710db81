"""Procedures that the file has in another form than the rest of the front end knows.

implementation p() { A }  implementation p() { B }      procedures "p (1)" and "p (2)" with p's contract;
                                                        p calls one of them, any

free call p();                                          a call of "p (free)", whose requires are free
"""

from __future__ import annotations

from dataclasses import replace

from cleave.frontends.boogie import syntax as s

_NOT_BY_ITSELF = {"verify": ["false"]}


def separate_implementations(file: s.File) -> None:
    """Each procedure has one body afterwards."""
    found: dict[str, list[s.Implementation]] = {}
    for one in file.implementations:
        found.setdefault(one.signature.name, []).append(one)
    for procedure in list(file.procedures):
        bodies = found.get(procedure.signature.name, [])
        if procedure.body is not None and bodies:
            bodies.insert(0, s.Implementation(procedure.signature, procedure.body))
        if len(bodies) > 1:
            _separate(file, procedure, bodies)


def _separate(file: s.File, procedure: s.Procedure, bodies: list[s.Implementation]) -> None:
    declared = procedure.signature
    file.implementations = [one for one in file.implementations if one.signature.name != declared.name]
    statements: list[s.Statement] = []
    labels: list[tuple[int, str]] = []
    for number, one in enumerate(bodies, 1):
        name = f"{declared.name} ({number})"
        at = one.signature.at
        own = replace(procedure, signature=replace(declared, name=name, attributes={}), body=None)
        file.procedures.append(own)
        file.implementations.append(s.Implementation(replace(one.signature, name=name), one.body))
        arguments: list[s.Code | None] = [[(s.NAME, at, v.name)] for v in declared.parameters]
        results = [(at, v.name) for v in declared.returns]
        labels.append((at, f"implementation {number}"))
        call = s.Call(at, {}, name, results, arguments)
        statements += [s.Label(*labels[-1]), call, s.Return(at)]
    procedure.signature = replace(declared, attributes={**declared.attributes, **_NOT_BY_ITSELF})
    procedure.body = s.Body([], [s.Goto(declared.at, labels), *statements])


def separate_free_calls(file: s.File, calls: list[s.Call]) -> None:
    """``calls`` check no precondition: they are assumed, as free ones are."""
    called = {call.procedure for call in calls}
    for call in calls:
        call.procedure = _free(call.procedure)
    implementations = {one.signature.name: one for one in file.implementations}
    for procedure in [one for one in file.procedures if one.signature.name in called]:
        signature = procedure.signature
        attributes = {**_without_entry(signature.attributes), **_NOT_BY_ITSELF}
        requires = [replace(clause, free=True) for clause in procedure.requires]
        name = _free(signature.name)
        file.procedures.append(
            replace(procedure, signature=replace(signature, name=name, attributes=attributes), requires=requires)
        )
        if (one := implementations.get(signature.name)) is not None:
            own = replace(one.signature, name=name, attributes=_without_entry(one.signature.attributes))
            file.implementations.append(s.Implementation(own, one.body))


def _free(name: str) -> str:
    return f"{name} (free)"


def _without_entry(attributes: s.Attributes) -> s.Attributes:
    return {name: detail for name, detail in attributes.items() if name not in ("entrypoint", "entry_point")}
