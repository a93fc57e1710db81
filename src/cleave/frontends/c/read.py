"""The way into the C front end: files to a program, at once or through bytes that workers get.

read_c({"queue.c": b"int main(void) { … }"}, COptions(bits=32)).program
read_c_bytes(compile_program(files, options), "queue.c")               # needs no compiler, no headers, no options
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import msgspec

from cleave.errors import InputError, UnsupportedError
from cleave.frontends.c.clang.blocks import needs_scopes
from cleave.frontends.c.clang.compile import compile_c, declares_32_bit, readable_folders
from cleave.frontends.c.clang.compiled import Compiled, Unit, decode_compiled, encode_compiled, is_compiled
from cleave.frontends.c.clang.library import FILES, FOLDER, defines, is_wanted, source
from cleave.frontends.c.llvm.debug import locate
from cleave.frontends.c.llvm.link import link
from cleave.frontends.c.llvm.literals import mark_literals
from cleave.frontends.c.llvm.module import Module
from cleave.frontends.c.llvm.reader import read_module
from cleave.frontends.c.llvm.sanitized import take_checks
from cleave.frontends.c.lowering.floats import lower_floats
from cleave.frontends.c.lowering.formats import lower_formats
from cleave.frontends.c.lowering.jumps import lower_jumps
from cleave.frontends.c.lowering.lower import CProgram, lower
from cleave.frontends.c.lowering.streams import open_streams, use_streams
from cleave.frontends.c.options import COptions
from cleave.frontends.c.properties.built_in import LEAKS, LOST, MEMORY, UNINITIALISED
from cleave.frontends.c.properties.registry import chosen
from cleave.frontends.limits import NO_LIMITS, ReadingLimits
from cleave.frontends.read import read_bytes
from cleave.ir.program import Program

_COMPETITION = ("__VERIFIER_", "reach_error")  # what the functions of SV-COMP's tasks are called
_OWN_NAME = re.compile(rb"\b__cleave_\w*")
_CHOSEN = "the data model is ILP32 (32 bit), as the program says itself by its size_t or its headers"


def read_c(files: Mapping[str, bytes], options: COptions | None = None) -> CProgram:
    """The program made of ``files``, by name with their contents."""
    return _lowered(_compiled(files, options or COptions()))


def compile_program(files: Mapping[str, bytes], options: COptions, limits: ReadingLimits = NO_LIMITS) -> bytes:
    """What `read_c_bytes` reads without a compiler, without headers and without options."""
    return encode_compiled(_compiled(files, options, limits))


def with_options(content: bytes, file: str, **changes: Any) -> bytes:
    """What `compile_program` made, with other options that the compiler does not need to know."""
    compiled = decode_compiled(content, file)
    return encode_compiled(msgspec.structs.replace(compiled, options=replace(compiled.options, **changes)))


def read_c_bytes(content: bytes, file: str) -> Program:
    """The program of one file, with default options, or what `compile_program` made."""
    compiled = decode_compiled(content, file) if is_compiled(content) else _compiled({file: content}, COptions())
    made = _lowered(compiled)
    return replace(made.program, assumptions=made.assumptions)


def _compiled(files: Mapping[str, bytes], options: COptions, limits: ReadingLimits = NO_LIMITS) -> Compiled:
    is_small = options.bits is None and any(map(declares_32_bit, files.values()))
    options = replace(options, bits=options.bits or (32 if is_small else 64))
    units = [_unit(file, content, options, limits) for file, content in files.items()]
    modules = _modules(units)
    macros = tuple(macro for one in chosen(options.checks) for macro in one.macros)
    for file in FILES:
        if is_wanted(file, modules):
            name, content = source(file)
            given = defines(modules, macros, spurious_wakeups=options.spurious_wakeups)
            plain = COptions(bits=options.bits, defines=given, includes=(str(FOLDER),), checks=())
            unit = Unit(name, compile_c(name, content, plain, limits=limits), is_library=True)
            units.append(unit)
            modules.append(_module(unit))
    return Compiled(tuple(units), options, (_CHOSEN,) if is_small else (), _texts(files, modules, options))


def _texts(files: Mapping[str, bytes], modules: Sequence[Module], options: COptions) -> dict[str, str]:
    """Of the files, and of those that they include and that define functions of the program. A program may say that its
    lines are from any file: those that the compiler may not read are not read here either."""
    texts = {file: content.decode(errors="replace") for file, content in files.items()}
    places = (one.location for module in modules if not module.is_library for one in module.functions.values())
    named = dict.fromkeys(place.file for place in places if place is not None and place.file not in texts)
    if not named:
        return texts
    folders = {os.path.realpath(folder) for file in files for folder in readable_folders(file, options)}
    inside = tuple(os.path.join(folder, "") for folder in folders)
    for file in named:
        if os.path.realpath(file).startswith(inside):
            with suppress(InputError):  # what a preprocessed file names need not be there
                texts[file] = read_bytes(file).decode(errors="replace")
    return texts


def _unit(file: str, content: bytes, options: COptions, limits: ReadingLimits) -> Unit:
    """Where memory is checked and locals may be known when their block ends, it is told where that is;
    and where a local that is declared in a loop is not set again."""
    if b"__cleave_" in content and (own := _OWN_NAME.search(content)) is not None:
        raise UnsupportedError(f"{own[0].decode()}: names that begin with __cleave_ are Cleave's own", file=file)
    if any(one.name == UNINITIALISED for one in chosen(options.checks)):
        return Unit(file, compile_c(file, content, options, scopes=True, limits=limits))
    unit = Unit(file, compile_c(file, content, options, limits=limits))
    checks_memory = any(one.name in (MEMORY, LEAKS, LOST) for one in chosen(options.checks))
    if checks_memory and needs_scopes(read_module(unit.text, file), file):
        return Unit(file, compile_c(file, content, options, scopes=True, limits=limits))
    return unit


def _lowered(compiled: Compiled) -> CProgram:
    modules = _modules(compiled.units)
    own = [name for module in modules if not module.is_library for name in module.functions]
    linked = link(modules)
    open_streams(linked)
    linked.is_task = any(name.startswith(_COMPETITION) for name in own)
    made = lower(linked, compiled.options, compiled.texts)
    return replace(made, assumptions=(*made.assumptions, *compiled.assumptions))


def _modules(units: Sequence[Unit]) -> list[Module]:
    modules = [_module(unit) for unit in units]
    own = [module for module in modules if not module.is_library]
    defined = {one.name for module in own for one in module.functions.values() if one.blocks}
    for module in own:
        use_streams(module, defined)
        lower_formats(module, defined)
    return modules


def _module(unit: Unit) -> Module:
    module = read_module(unit.text, unit.file)
    lower_floats(module)
    locate(module, unit.file)
    lower_jumps(module)
    mark_literals(module)
    take_checks(module)
    module.is_library = unit.is_library
    return module
