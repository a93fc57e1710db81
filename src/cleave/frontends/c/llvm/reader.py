"""LLVM's text form to `module.Module`.

The text is what the pinned Clang writes, one construct on a line (a switch on several), so it is read line by line:
types, global variables, functions and numbered metadata. Reading the text, rather than LLVM's own objects, gives
debug locations, flags and constant expressions the same way as everything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cleave.errors import InputError
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.instructions import alignment_in, read_instruction
from cleave.frontends.c.llvm.tokens import Tokens, plain_name

_LABEL = re.compile(r'^("(?:[^"])*"|[-a-zA-Z$._0-9]+):')
_TYPE = re.compile(r"^(%(?:\"[^\"]*\"|[-a-zA-Z$._0-9]+)) = type (.*)$")
_METADATA = re.compile(r"^!(\d+) = (.*)$")
_DECLARE = re.compile(r"#dbg_declare\(ptr ([%@](?:\"[^\"]*\"|[-a-zA-Z$._0-9]+)), !(\d+)")
_LABELLED = re.compile(r"#dbg_label\(!(\d+)")
_DEBUG = re.compile(r"!dbg !(\d+)")
_LOCAL_LINKAGES = frozenset(("private", "internal"))


def read_module(text: str, file: str) -> l.Module:
    """The module in ``text``, made from ``file``."""
    return _Reader(text, file).module()


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self._lines = iter(text.splitlines())
        self._file = file
        self._types: dict[str, l.Type] = {}
        self._pending: dict[str, str] = {}
        self._module = l.Module(bits=64)

    def module(self) -> l.Module:
        lines = list(self._lines)
        for line in lines:
            named = _TYPE.match(line) if line.startswith("%") else None
            if named:
                self._pending[plain_name(named[1])] = named[2]
        self._resolve_types()
        self._lines = iter(lines)
        for line in self._lines:
            self._top(line)
        return self._module

    def _resolve_types(self) -> None:
        """Structs contain each other by name, in any order but never in a circle."""
        for name in list(self._pending):
            stack = [name]
            while stack:
                top = stack[-1]
                needed = [n for n in self._names_in(top) if n in self._pending and n not in self._types and n != top]
                if needed:
                    stack.extend(needed)
                    continue
                stack.pop()
                self._types[top] = Tokens(self._pending[top], self._types).type()

    def _names_in(self, name: str) -> list[str]:
        return [plain_name(token) for token in re.findall(r'%(?:"[^"]*"|[-a-zA-Z$._0-9]+)', self._pending[name])]

    def _top(self, line: str) -> None:
        if line.startswith("@"):
            self._global(line)
        elif line.startswith("define "):
            self._define(line)
        elif line.startswith("declare "):
            function, _ = self._header(line)
            self._module.functions[function.name] = function
        elif line.startswith("!"):
            numbered = _METADATA.match(line)
            if numbered:
                self._module.metadata[int(numbered[1])] = numbered[2]
        elif line.startswith("target datalayout"):
            self._module.bits = 32 if "-p:32:32" in line else 64
        elif line.startswith("module asm"):
            raise InputError("assembly code at file level is not supported", file=self._file)

    def _global(self, line: str) -> None:
        tokens = Tokens(line, self._types)
        name = plain_name(tokens.take())
        tokens.expect("=")
        words = set()
        while tokens.current not in ("global", "constant", "alias", "ifunc"):
            words.add(tokens.take())
            if tokens.current == "(":
                tokens.skip_group()
        kind = tokens.take()
        type = tokens.type()
        if kind in ("alias", "ifunc"):
            tokens.expect(",")
            self._module.aliases[name] = tokens.typed_value()
            return
        declared = bool(words & {"external", "extern_weak"})
        debug = _DEBUG.search(line)
        self._module.globals[name] = l.GlobalVariable(
            name=name,
            type=type,
            initializer=None if declared else tokens.value(type),
            constant=kind == "constant",
            internal=bool(words & _LOCAL_LINKAGES),
            thread_local="thread_local" in words,
            alignment=alignment_in(line),
            debug=int(debug[1]) if debug else None,
        )

    def _header(self, line: str) -> tuple[l.FunctionDefinition, str]:
        """The function without its blocks, and the words before its return type."""
        tokens = Tokens(line, self._types)
        start = tokens.position
        tokens.take()
        words = []
        while not tokens.at_type():
            words.append(tokens.take())
            if tokens.current == "(":
                tokens.skip_group()
        assert start == 0
        result = tokens._simple_type()
        name = plain_name(tokens.take())
        parameters, variadic = self._parameters(tokens)
        type = l.FunctionType(result, tuple(p.type for p in parameters), variadic)
        debug = _DEBUG.search(line)
        function = l.FunctionDefinition(
            name=name,
            type=type,
            parameters=tuple(parameters),
            internal=bool(_LOCAL_LINKAGES & set(words)),
            debug=int(debug[1]) if debug else None,
        )
        return function, " ".join(words)

    def _parameters(self, tokens: Tokens) -> tuple[list[l.Parameter], bool]:
        tokens.expect("(")
        parameters: list[l.Parameter] = []
        variadic = False
        while not tokens.accept(")"):
            if tokens.accept("..."):
                variadic = True
                continue
            type = tokens.type()
            byval, name = None, str(len(parameters))
            while tokens.current not in (",", ")"):
                token = tokens.take()
                if token == "byval":
                    tokens.expect("(")
                    byval = tokens.type()
                    tokens.expect(")")
                elif tokens.current == "(":
                    tokens.skip_group()
                elif token.startswith("%"):
                    name = plain_name(token)
            tokens.accept(",")
            parameters.append(l.Parameter(name=name, type=type, byval=byval))
        return parameters, variadic

    def _define(self, line: str) -> None:
        function, _ = self._header(line)
        self._module.functions[function.name] = function
        block: l.BasicBlock | None = None
        for text in self._body():
            label = _LABEL.match(text)
            if label and not text.startswith(" "):
                name = label[1]
                block = l.BasicBlock(plain_name("%" + name))
                function.blocks[block.label] = block
                continue
            stripped = text.strip()
            if stripped.startswith("#dbg_"):
                declared = _DECLARE.match(stripped)
                if declared and declared[1].startswith("%"):
                    function.variables.setdefault(plain_name(declared[1]), int(declared[2]))
                labelled = _LABELLED.match(stripped)
                if labelled and block is not None:
                    function.labels[block.label] = int(labelled[1])
                continue
            if block is None:
                block = l.BasicBlock(str(len(function.parameters)))
                function.blocks[block.label] = block
            block.instructions.append(read_instruction(Tokens(stripped, self._types), stripped, self._file))

    def _body(self) -> Iterator[str]:
        """The lines of a function that say something; a switch is made one line."""
        for line in self._lines:
            if line == "}":
                return
            if not line.strip() or line.lstrip().startswith(";"):
                continue
            if line.lstrip().startswith("switch ") and line.endswith("["):
                line = self._switch(line)
            yield line

    def _switch(self, line: str) -> str:
        parts = [line]
        for part in self._lines:
            parts.append(part)
            if part.lstrip().startswith("]"):
                break
        return " ".join(parts)
