"""Calls of printf and scanf with constant formats, to one call for each part of the format: see ``library/format.c``.

    sprintf(b, "%s=%d", s, n)           at = __cleave_put_string(b, room, 0, s, 0, -1, 0)
                                        at = __cleave_put_char(b, room, at, '=')
                                        at = __cleave_put_signed(b, room, at, n, 0, -1, 0)
                                        result = __cleave_put_end(b, room, at)

What only goes to a file is not written: where the result is not used and nothing is stored (``%n``), such a call stays.
The strings that it prints are read all the same, unless they are constants: they have to end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import count

from cleave.frontends.c.analysis.accesses import content_of
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.lowering.format_arguments import require_arguments
from cleave.frontends.c.lowering.format_parts import Part, UnknownFormatError, parts_of, scanned_parts_of
from cleave.frontends.c.lowering.scans import INPUT, scan_code

# Where the format is.
_OUTPUT = {"printf": 0, "fprintf": 1, "dprintf": 1, "__printf_chk": 1, "__fprintf_chk": 2}
_TO_TEXT = {"sprintf": 1, "snprintf": 2, "__sprintf_chk": 3, "__snprintf_chk": 4, "asprintf": 1, "__asprintf_chk": 2}
_PLAIN = {"puts": 0, "fputs": 0, "perror": 0}  # where the text is
_MADE = "__cleave_"
_SHORT = 64  # characters of a text that are written one by one
_FLOAT_ROOM = 330  # characters of a number, without its decimals
_INT, _LONG = l.IntType(32), l.IntType(64)
_MOST = (1 << 31) - 1


def lower_formats(module: l.Module, defined: Collection[str]) -> None:
    """Rewrites the module, and declares what it then calls; ``defined``: functions that the program has itself."""
    known = (_OUTPUT.keys() | _TO_TEXT.keys() | INPUT.keys() | _PLAIN.keys()) - set(defined)
    if known.isdisjoint(module.functions):
        return
    numbers = count(1)
    for function in list(module.functions.values()):
        used = {o.name for i in function.instructions() for o in i.operands if isinstance(o, l.Local)}
        for block in function.blocks.values():
            block.instructions = [
                new for old in block.instructions for new in _rewritten(Code(module, old, numbers), known, used)
            ]
    for function in list(module.functions.values()):
        for instruction in function.instructions():
            if isinstance(instruction.callee, l.GlobalRef) and instruction.signature is not None:
                name = instruction.callee.name
                declared = l.FunctionDefinition(name=name, type=instruction.signature)
                module.functions.setdefault(name, declared)


def _rewritten(code: Code, known: Collection[str], used: Collection[str]) -> Iterator[l.Instruction]:
    call = code.original
    name = call.callee.name if isinstance(call.callee, l.GlobalRef) else ""
    if name not in known:
        yield call
        return
    if name in _PLAIN:
        _read(code, call.operands[_PLAIN[name]])
        yield from (*code.instructions, call)
        return
    place = {**_OUTPUT, **_TO_TEXT, **INPUT}[name]
    content = content_of(call.operands[place], code.module)
    try:
        if content is None:
            raise UnknownFormatError
        text = content.decode("latin-1")
        if name in INPUT:
            require_arguments(code, name, scanned_parts_of(text), call.operands[place + 1 :])
            scan_code(code, text, call.operands[place + 1 :], of_text=name.endswith("sscanf"))
        else:
            parts = parts_of(text)
            require_arguments(code, name, parts, call.operands[place + 1 :])
            if name in _OUTPUT and call.result not in used and all(part.kind != "n" for part in parts):
                _read_strings(code, parts, call.operands[place + 1 :])
                yield from (*code.required, *code.instructions, call)
                return
            _Output(code, name, parts, call.operands[place + 1 :]).write()
    except UnknownFormatError:
        yield from _unknown(code, name, place, used)
        return
    yield from (*code.required, *code.instructions)


def _unknown(code: Code, name: str, place: int, used: Collection[str]) -> Iterator[l.Instruction]:
    """A call whose format is not known may change all that it is given; if that is no memory, the text is any."""
    call = code.original
    yield from code.required
    if name in _OUTPUT and call.result not in used and not _has_pointers(call, place):
        yield call
    elif name in INPUT or "asprintf" in name or _has_pointers(call, place):
        yield replace(call, callee=l.GlobalRef(f"{name} with a format that is not modelled"))
    else:
        code.instructions.clear()
        _Output(code, name, [Part(kind="any")], ()).write()
        yield from code.instructions


def _read_strings(code: Code, parts: list[Part], arguments: tuple[l.Value, ...]) -> None:
    """What a call that only prints reads."""
    given = iter(arguments)
    for part in parts:
        if part.kind in ("text", "any"):
            continue
        sizes = [next(given, None) if said == "*" else None for said in (part.width, part.precision)]
        value = next(given, None)
        if part.kind != "s" or part.length or value is None or not isinstance(value.type, l.PointerType):
            continue
        limit = (
            code.number(-1 if part.precision is None else int(part.precision or 0))
            if part.precision != "*"
            else sizes[1]
        )
        if limit is not None and limit.type == _INT:
            _read(code, value, limit)


def _read(code: Code, text: l.Value, limit: l.Value | None = None) -> None:
    if content_of(text, code.module) is not None or not isinstance(text.type, l.PointerType):
        return
    if limit is None:
        code.call("read_text", l.VOID, text)
    else:
        code.call("read_string", l.VOID, text, limit)


def _has_pointers(call: l.Instruction, place: int) -> bool:
    return any(isinstance(operand.type, l.PointerType) for operand in call.operands[place + 1 :])


class Code:
    """The instructions that stand for one call, at its place in the source; ``numbers`` make names of results."""

    def __init__(self, module: l.Module, call: l.Instruction, numbers: Iterator[int]) -> None:
        self.module = module
        self._numbers = numbers
        self.word = l.IntType(module.bits)
        self.original = call
        self.instructions: list[l.Instruction] = []
        self.required: list[l.Instruction] = []  # which come first, also where the rest is not known

    def add(self, opcode: str, type: l.Type, *operands: l.Value, **more: object) -> l.Local:
        made = l.Local(f".format.{next(self._numbers)}", type)
        result = None if isinstance(type, l.VoidType) else made.name
        where = {"debug": self.original.debug, "location": self.original.location}
        self.instructions.append(
            l.Instruction(opcode=opcode, result=result, type=type, operands=operands, **where, **more)  # type: ignore[arg-type]
        )
        return made

    def call(self, name: str, type: l.Type, *operands: l.Value) -> l.Local:
        signature = l.FunctionType(type, tuple(operand.type for operand in operands))
        byval = (None,) * len(operands)
        return self.add("call", type, *operands, callee=l.GlobalRef(_MADE + name), signature=signature, byval=byval)

    def cast(self, value: l.Value, type: l.IntType, *, signed: bool = False) -> l.Value:
        """The number as one of another width."""
        assert isinstance(value.type, l.IntType)
        if value.type.width == type.width:
            return value
        opcode = "trunc" if value.type.width > type.width else "sext" if signed else "zext"
        return self.add(opcode, type, value)

    def result(self, value: l.Value) -> None:
        """What the call returns."""
        if self.original.result is not None:
            self.add("freeze", value.type, value)
            self.instructions[-1].result = self.original.result

    def never(self, text: str) -> None:
        """To get here is a violation where memory is checked."""
        name, content = f".format.{next(self._numbers)}", text.encode() + b"\0"
        type = l.ArrayType(len(content), l.IntType(8))
        made = l.GlobalVariable(
            name=name, type=type, initializer=l.ConstBytes(type, content), constant=True, internal=True
        )
        self.module.globals[name] = made
        self.call("require", l.VOID, self.number(0), l.GlobalRef(name))
        self.required.append(self.instructions.pop())

    def number(self, value: int, type: l.IntType = _INT) -> l.ConstInt:
        return l.ConstInt(type, value)


class _Output:
    """Text that goes to memory, or is only counted."""

    def __init__(self, code: Code, name: str, parts: list[Part], arguments: tuple[l.Value, ...]) -> None:
        self._code = code
        self._name = name
        self._parts = parts
        self._arguments = arguments
        self._position = 0
        self._to: l.Value = l.ConstNull()
        self._room: l.Value = code.number(0, code.word)
        self._at: l.Value = code.number(0, code.word)

    def write(self) -> None:
        code, given = self._code, self._code.original.operands
        if self._name in _OUTPUT:
            self._all()
            code.result(code.call("printed", _INT, self._at))
            return
        if "asprintf" in self._name:
            self._all()
            length, made = self._at, code.call("put_room", l.POINTER, given[0], self._at)
            failed = code.add("icmp", l.IntType(1), made, l.ConstNull(), predicate="eq")
            room = code.add("add", code.word, length, code.number(1, code.word))
            self._room = code.add("select", code.word, failed, code.number(0, code.word), room)
            self._to, self._at, self._position = made, code.number(0, code.word), 0
            self._all()
            code.result(code.call("put_into", _INT, made, length))
            return
        self._to = given[0]
        self._room = given[1] if "snprintf" in self._name else code.number((1 << code.word.width) - 1, code.word)
        self._all()
        code.result(code.call("put_end", _INT, self._to, self._room, self._at))

    def _all(self) -> None:
        for part in self._parts:
            self._part(part)

    def _put(self, name: str, *operands: l.Value) -> None:
        self._at = self._code.call(f"put_{name}", self._code.word, self._to, self._room, self._at, *operands)

    def _argument(self) -> l.Value:
        if self._position == len(self._arguments):
            raise UnknownFormatError
        self._position += 1
        return self._arguments[self._position - 1]

    def _part(self, part: Part) -> None:
        code = self._code
        if part.kind == "text":
            self._text(part.text)
            return
        if part.kind == "any":
            self._put("any", code.number(0, code.word), code.number(_MOST, code.word))
            return
        width, precision = self._size(part.width, 0), self._size(part.precision, -1)
        flags = code.number(part.flags)
        match part.kind:
            case "d" | "i":
                self._put("signed", self._number(part, signed=True), width, precision, flags)
            case "u" | "x" | "X" | "o":
                base = code.number({"u": 10, "o": 8}.get(part.kind, 16))
                self._put("unsigned", self._number(part, signed=False), base, width, precision, flags)
            case "c" if not part.length:
                self._put("one", self._integer(), width, flags)
            case "s" if not part.length:
                self._put("string", self._argument(), width, precision, flags)
            case "n":
                self._store(part)
            case "f" | "F" | "e" | "E" | "g" | "G" | "a" | "A" | "p" if "*" not in (part.width, part.precision):
                self._argument()
                most = max(int(part.width or 0), _FLOAT_ROOM + int(part.precision or 6))
                self._put("any", code.number(1, code.word), code.number(most, code.word))
            case _:
                raise UnknownFormatError

    def _text(self, text: str) -> None:
        code, data = self._code, text.encode("latin-1")
        if isinstance(self._to, l.ConstNull):
            self._at = code.add("add", code.word, self._at, code.number(len(data), code.word))
            return
        if len(data) > _SHORT:
            raise UnknownFormatError
        for byte in data:
            self._put("char", code.number(byte))

    def _size(self, said: str | None, default: int) -> l.Value:
        return self._integer() if said == "*" else self._code.number(int(said or 0) if said is not None else default)

    def _integer(self) -> l.Value:
        value = self._argument()
        if value.type != _INT:
            raise UnknownFormatError
        return value

    def _number(self, part: Part, *, signed: bool) -> l.Value:
        value = self._argument()
        if not isinstance(value.type, l.IntType) or value.type.width != max(
            8 * part.size(self._code.word.width // 8), 32
        ):
            raise UnknownFormatError
        if part.length in ("hh", "h"):
            value = self._code.cast(value, l.IntType(8 if part.length == "hh" else 16))
        return self._code.cast(value, _LONG, signed=signed)

    def _store(self, part: Part) -> None:
        pointer, code = self._argument(), self._code
        if not isinstance(pointer.type, l.PointerType):
            raise UnknownFormatError
        count = code.cast(self._at, l.IntType(8 * part.size(code.word.width // 8)))
        code.add("store", l.VOID, count, pointer)
