"""Tokens of LLVM's text form, with types and constants read from them.

getelementptr inbounds (i8, ptr @ps, i64 8)      ConstExpression("getelementptr", (GlobalRef("ps"), ConstInt(8)))
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping

from cleave.errors import InternalError, UnsupportedError
from cleave.frontends.c.llvm import module as l
from cleave.logic.sorts import MAX_WIDTH

_TOKEN = re.compile(
    r'\s*(c?"[^"]*"'
    r'|[%@](?:"[^"]*"|[-a-zA-Z$._0-9]+)'
    r"|![-a-zA-Z$._0-9]*"
    r"|#[-a-zA-Z$._0-9]+"
    r"|(?:f|s|u)?0x[KLMHR]?[0-9A-Fa-f]+"
    r"|-?\d+\.\d*(?:e[-+]?\d+)?"
    r"|-?\d+"
    r"|[-+]?(?:inf|qnan|snan|nan)\b(?:\(0x[0-9A-Fa-f]+\))?"
    r"|\.\.\."
    r"|[a-zA-Z_$.][-\w$.]*"
    r"|[^\s])"
)
LABEL = ".label."  # the address of a label is that of a variable with this before its name; see `lowering.jumps`
_FLOATS = {"half": 16, "bfloat": 16, "float": 32, "double": 64, "x86_fp80": 80, "fp128": 128, "ppc_fp128": 128}
_INTEGER = re.compile(r"i\d+")
_ESCAPE = re.compile(rb"\\(\\|[0-9A-Fa-f]{2})")
_OPENING, _CLOSING = frozenset("([{<"), frozenset(")]}>")


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def unescape(text: str) -> bytes:
    """The bytes of a quoted string, without its quotes: ``\\\\`` is a backslash, ``\\0A`` a byte by two digits."""
    return _ESCAPE.sub(_unescaped, text.encode("utf-8"))


def _unescaped(found: re.Match[bytes]) -> bytes:
    return b"\\" if found[1] == b"\\" else bytes([int(found[1], 16)])


def plain_name(token: str) -> str:
    """``%"a b"`` or ``@x`` without sign and quotes."""
    name = token[1:]
    if name.startswith('"'):
        return unescape(name[1:-1]).decode("utf-8", "replace")
    return name


class Tokens:
    """A cursor over the tokens of one construct; ``types`` are the named structs."""

    def __init__(self, text: str, types: Mapping[str, l.Type]) -> None:
        self._tokens = _TOKEN.findall(text)
        self._tokens.append("")
        self._types = types
        self.position = 0

    # --- moving -----------------------------------------------------------------------------------------------------

    @property
    def current(self) -> str:
        return str(self._tokens[self.position])

    def peek(self, ahead: int = 1) -> str:
        index = self.position + ahead
        return str(self._tokens[index]) if index < len(self._tokens) else ""

    def take(self) -> str:
        token = self.current
        self.position += 1
        return token

    def accept(self, token: str) -> bool:
        if self.current == token:
            self.position += 1
            return True
        return False

    def expect(self, token: str) -> None:
        if not self.accept(token):
            raise InternalError(
                f"LLVM text: {token!r} expected, not {self.current!r}, in {' '.join(self._tokens)[:300]}"
            )

    def take_words(self, words: frozenset[str]) -> frozenset[str]:
        found = set()
        while self.current in words:
            found.add(self.take())
        return frozenset(found)

    def skip_group(self) -> None:
        """Over one token, or everything between a bracket and its partner."""
        depth = 0
        while True:
            token = self.take()
            depth += (token in _OPENING) - (token in _CLOSING)
            if depth <= 0:
                return

    def skip_to_type(self) -> None:
        """Over attributes and calling conventions."""
        while not self.at_type():
            self.take()
            if self.current == "(":
                self.skip_group()

    # --- types ------------------------------------------------------------------------------------------------------

    def at_type(self) -> bool:
        token = self.current
        if not token:
            raise InternalError(f"LLVM text: a type expected in {' '.join(self._tokens)[:300]}")
        plain = token in ("ptr", "void", "[", "{", "<", "label", "metadata", "token") or token in _FLOATS
        return plain or token[0] == "%" or _INTEGER.fullmatch(token) is not None

    def type(self) -> l.Type:
        found = self._simple_type()
        while self.current == "(":  # only a function type goes on
            found = self._function_type(found)
        return found

    def _simple_type(self) -> l.Type:
        token = self.take()
        if token == "ptr":
            if self.accept("addrspace"):
                self.skip_group()
            return l.POINTER
        if _INTEGER.fullmatch(token):
            if int(token[1:]) > MAX_WIDTH:
                raise UnsupportedError(f"an integer type of {token[1:]} bits is not supported")
            return l.IntType(int(token[1:]))
        if token in _FLOATS:
            return l.FloatType(token, _FLOATS[token])
        if token == "void":
            return l.VOID
        if token[0] == "%":
            return self._types.get(plain_name(token), l.OpaqueType())
        if token == "[":
            return l.ArrayType(*self._sequence("]"))
        if token == "{":
            return l.StructType(self._type_list("}"))
        if token == "<" and self.current == "{":
            self.take()
            fields = self._type_list("}")
            self.expect(">")
            return l.StructType(fields, packed=True)
        if token == "<":
            return l.VectorType(*self._sequence(">"))
        return l.OpaqueType()

    def _sequence(self, end: str) -> tuple[int, l.Type]:
        count = int(self.take())
        self.expect("x")
        element = self.type()
        self.expect(end)
        return count, element

    def _type_list(self, end: str) -> tuple[l.Type, ...]:
        found = []
        while not self.accept(end):
            found.append(self.type())
            self.accept(",")
        return tuple(found)

    def _function_type(self, result: l.Type) -> l.Type:
        self.expect("(")
        parameters, variadic = [], False
        while not self.accept(")"):
            if self.accept("..."):
                variadic = True
            else:
                parameters.append(self.type())
            self.accept(",")
        return l.FunctionType(result, tuple(parameters), variadic)

    # --- values -----------------------------------------------------------------------------------------------------

    def typed_value(self) -> l.Value:
        return self.value(self.type())

    def value(self, type: l.Type) -> l.Value:
        token = self.take()
        head = token[0]
        if head == "%":
            return l.Local(plain_name(token), type)
        if head == "@":
            return l.GlobalRef(plain_name(token))
        if isinstance(type, l.FloatType) and token not in ("undef", "poison", "zeroinitializer"):
            return l.ConstBits(type, float_bits(token, type))
        if head.isdigit() or head == "-" or token[:3] in ("s0x", "u0x"):
            return l.ConstInt(type, int(token))
        if head == '"' or token.startswith('c"'):
            return l.ConstBytes(type, unescape(token[2:-1]))
        return self._word(token, type)

    def _word(self, token: str, type: l.Type) -> l.Value:
        match token:
            case "true" | "false":
                return l.ConstInt(type, int(token == "true"))
            case "null" | "none":
                return l.ConstNull(type)
            case "undef" | "poison":
                return l.ConstUndef(type)
            case "zeroinitializer":
                return l.ConstZero(type)
            case "[" | "{":
                return l.ConstAggregate(type, self._elements("]" if token == "[" else "}"))
            case "<":
                packed = self.accept("{")
                elements = self._elements("}" if packed else ">")
                if packed:
                    self.expect(">")
                return l.ConstAggregate(type, elements)
            case "asm":
                return self._assembly()
            case "dso_local_equivalent" | "no_cfi":
                return self.value(type)
            case _:
                return self._expression(token, type)

    def _elements(self, end: str) -> tuple[l.Value, ...]:
        found = []
        while not self.accept(end):
            found.append(self.typed_value())
            self.accept(",")
        return tuple(found)

    def _assembly(self) -> l.Value:
        while self.current[:1] != '"':
            self.take()
        text = self.take()
        self.expect(",")
        constraints = self.take()
        return l.InlineAssembly(unescape(text[1:-1]).decode("utf-8", "replace"), constraints[1:-1])

    def _expression(self, opcode: str, type: l.Type) -> l.Value:
        """``getelementptr inbounds (T, ptr base, i64 1)``, ``ptrtoint (ptr @x to i64)``, ``add (i32 1, i32 2)``, …"""
        if opcode == "blockaddress":
            self.expect("(")
            function = self.value(l.POINTER)
            self.expect(",")
            label = self.value(l.POINTER)
            self.expect(")")
            assert isinstance(function, l.GlobalRef)
            assert isinstance(label, l.Local)
            return l.GlobalRef(f"{LABEL}{function.name}.{label.name}")
        while self.current != "(":  # inbounds, nuw, inrange(…)
            self.take()
            if self.current == "(" and self.peek(-1) in ("inrange",):
                self.skip_group()
        self.expect("(")
        source = None
        if opcode == "getelementptr":
            source = self.type()
            self.expect(",")
        operands = []
        while not self.accept(")"):
            if self.accept("to"):
                type = self.type()
                continue
            operands.append(self.typed_value())
            self.accept(",")
        return l.ConstExpression(type, opcode, tuple(operands), source)


def float_bits(token: str, type: l.FloatType) -> int:
    """The bits of a constant as LLVM writes it: decimal, or the bits of a double (also for float), or 0xK… for x86."""
    if token.startswith(("0xK", "0xL", "0xM", "0xH")):
        return int(token[3:], 16)
    if token.startswith("0x"):
        as_double = int(token, 16)
    elif token.startswith("f0x"):
        return int(token[3:], 16)
    else:
        as_double = int.from_bytes(struct.pack("<d", float(token)), "little")
    if type.name == "float":
        number = struct.unpack("<d", as_double.to_bytes(8, "little"))[0]
        return int.from_bytes(struct.pack("<f", number), "little")
    return as_double
