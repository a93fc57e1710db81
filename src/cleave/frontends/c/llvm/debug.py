"""Places and names in the source, from LLVM's debug metadata.

!68 = !DILocation(line: 10, column: 30, scope: !64)         Location("x.c", 10, 30)
!66 = !DILocalVariable(name: "x", arg: 1, …)                "x"
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from cleave.errors import UnsupportedError
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.tokens import unescape
from cleave.frontends.c.llvm.types import Types
from cleave.ir.program import Location
from cleave.ir.source import Type

_FIELD = re.compile(r"(\w+): (\"(?:[^\"])*\"|![0-9]+|[^,()]+)")


class DebugInfo:
    def __init__(self, module: l.Module, file: str) -> None:
        self._metadata = module.metadata
        self.file = file
        self._fields: dict[int, dict[str, str]] = {}
        self._files: dict[int, str] = {}
        self._locations: dict[int, Location | None] = {}
        self._types = Types(self._get, lambda number: self._metadata.get(number, ""), module.bits)

    def location(self, number: int | None) -> Location | None:
        """Of a DILocation; None where the compiler gave no line."""
        if number is None:
            return None
        if number not in self._locations:
            self._locations[number] = self._find_location(number)
        return self._locations[number]

    def _find_location(self, number: int) -> Location | None:
        fields = self._get(number)
        line = int(fields.get("line", "0"))
        if not line:
            return None
        scope = _reference(fields.get("scope"))
        return Location(self._file_of(scope), line, int(fields.get("column", "0")))

    def blocks_around(self, number: int | None) -> tuple[int, ...]:
        """The blocks of the source that a DILocation is in, the innermost first; not the function's own."""
        found: list[int] = []
        scope = None if number is None else _reference(self._get(number).get("scope"))
        while scope is not None and "DILexicalBlock(" in self._metadata.get(scope, ""):
            found.append(scope)
            scope = _reference(self._get(scope).get("scope"))
        return tuple(found)

    def is_prototyped(self, number: int | None) -> bool:
        """Whether a DISubprogram says which parameters it takes: in old C, ``int f() { … }`` does not."""
        return number is None or "DIFlagPrototyped" in self._get(number).get("flags", "")

    def declared(self, number: int | None) -> tuple[str | None, Location | None]:
        """Name and place of a DISubprogram, a DILocalVariable or a DIGlobalVariable (also inside its expression)."""
        if number is None:
            return None, None
        fields = self._variable(number)
        name = _text(fields.get("name")) or None
        line = int(fields.get("line", "0"))
        file = _reference(fields.get("file"))
        return name, Location(self._file_name(file), line) if line and file is not None else None

    def is_aligned(self, number: int | None) -> bool:
        """Whether the source asks for the alignment of a variable."""
        return number is not None and "align" in self._variable(number)

    def _variable(self, number: int) -> dict[str, str]:
        fields = self._get(number)
        inner = _reference(fields.get("var"))
        return fields if inner is None else self._get(inner)

    def type(self, number: int | None) -> Type | None:
        """Of a DILocalVariable or a DIGlobalVariable (also inside its expression)."""
        if number is None:
            return None
        return self._types.of(_reference(self._variable(number).get("type")))

    def argument(self, number: int) -> int:
        """The place of a DILocalVariable among the parameters, from 1; 0 if it is none."""
        return int(self._get(number).get("arg", "0"))

    def result(self, number: int | None) -> Type | None:
        """What a DISubprogram returns."""
        signature = None if number is None else _reference(self._get(number).get("type"))
        listed = None if signature is None else _reference(self._get(signature).get("types"))
        first = self._list(listed)[:1]
        return self._types.of(first[0]) if first else None

    def _list(self, number: int | None) -> Sequence[int | None]:
        text = self._metadata.get(number, "") if number is not None else ""
        return [_reference(each.strip()) for each in text.removeprefix("!{").removesuffix("}").split(",")]

    def _file_of(self, scope: int | None) -> str:
        while scope is not None:
            fields = self._get(scope)
            file = _reference(fields.get("file"))
            if file is not None:
                return self._file_name(file)
            scope = _reference(fields.get("scope"))
        return self.file

    def _file_name(self, number: int | None) -> str:
        if number is None:
            return self.file
        if number not in self._files:
            fields = self._get(number)
            name = _text(fields.get("filename")) or self.file
            folder = _text(fields.get("directory"))
            # The compiler may cut what the file's name and the current folder have in common.
            whole = name if folder == "." else os.path.join(folder, name)
            self._files[number] = _as_given(whole, self.file)
        return self._files[number]

    def _get(self, number: int) -> dict[str, str]:
        if number not in self._fields:
            self._fields[number] = dict(_FIELD.findall(self._metadata.get(number, "")))
        return self._fields[number]


def _text(quoted: str | None) -> str:
    return unescape((quoted or "").strip('"')).decode("utf-8", "replace")


def _as_given(found: str, given: str) -> str:
    return given if os.path.normpath(found) == os.path.normpath(given) else found


def _reference(text: str | None) -> int | None:
    return int(text[1:]) if text and text.startswith("!") else None


def _name_blocks(function: l.FunctionDefinition, info: DebugInfo) -> None:
    """By their labels in the source: the compiler changes a label where a variable has the same name."""
    renamed: dict[str, str] = {}
    for label, number in function.labels.items():
        name, _ = info.declared(number)
        if name and name not in function.blocks and name not in renamed.values():  # local labels may repeat names
            renamed[label] = name
    if not renamed:
        return
    for block in function.blocks.values():
        block.label = renamed.get(block.label, block.label)
    function.blocks = {block.label: block for block in function.blocks.values()}
    for instruction in function.instructions():
        instruction.labels = tuple(renamed.get(label, label) for label in instruction.labels)


def locate(module: l.Module, file: str) -> None:
    """Puts places and names into ``module``; for types its functions and variables keep the `DebugInfo`."""
    info = DebugInfo(module, file)
    for function in module.functions.values():
        function.info = info
        _, function.location = info.declared(function.debug)
        for register, number in function.variables.items():
            name, _ = info.declared(number)
            if name:
                function.names[register] = name
        _name_blocks(function, info)
        for instruction in function.instructions():
            instruction.location = info.location(instruction.debug)
            if instruction.opcode == "alloca" and instruction.alignment > 1:
                instruction.is_aligned = info.is_aligned(function.variables.get(instruction.result or ""))
    for variable in module.globals.values():
        variable.info = info
        name, variable.location = info.declared(variable.debug)
        variable.source_name = name or variable.name
        variable.is_aligned = info.is_aligned(variable.debug)


def unsupported(message: str, location: Location | None) -> UnsupportedError:
    if location is None:
        return UnsupportedError(message)
    return UnsupportedError(message, file=location.file, line=location.line, column=location.column)
