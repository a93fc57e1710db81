"""The parser's lowest layer: moving over tokens, names, attributes and types.

{:entrypoint} {:sourceline 7}      becomes      {"entrypoint": [], "sourceline": ["7"]}
[int, bool]T                       becomes      MapType((int, bool), T)
"""

from __future__ import annotations

from typing import NoReturn

from cleave.frontends.boogie.lexer import Source
from cleave.frontends.boogie.syntax import Attributes, MapType, NamedType, RecordType, Type, Variable

KEYWORDS = frozenset(
    (
        *("assert", "assume", "axiom", "bool", "break", "call", "complete", "const", "div", "else", "ensures"),
        *("exists", "extends", "false", "forall", "free", "function", "goto", "havoc", "if", "implementation", "int"),
        *("invariant", "lambda", "mod", "modifies", "old", "procedure", "real", "requires", "return", "returns"),
        *("then", "true", "type", "unique", "var", "where", "while"),
    )
)
MAX_TYPE_DEPTH = 100
_NAME_START = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_~#$^.?'`\\")
_BASIC_TYPES = frozenset(("int", "bool", "real"))
_NO_ATTRIBUTES: Attributes = {}


def _is_name(token: str) -> bool:
    return token[:1] in _NAME_START and token not in KEYWORDS


class Cursor:
    """A place in the token list. ``at`` is the next token's number."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = source.tokens
        self.is_name = frozenset(filter(_is_name, source.distinct)).__contains__
        self.at = 0
        self._simple_types: dict[str, NamedType] = {}
        self.types: list[Type] = []  # that are written anywhere, none twice where it is a name

    def fail(self, expected: str, at: int | None = None) -> NoReturn:
        where = self.at if at is None else at
        found = self.tokens[where]
        shown = f"'{found[:40]}'" if found else "the end of the file"
        raise self.source.error(where, f"expected {expected}, not {shown}")

    def expect(self, token: str) -> None:
        if self.tokens[self.at] != token:
            self.fail(f"'{token}'")
        self.at += 1

    def accept(self, token: str) -> bool:
        if self.tokens[self.at] == token:
            self.at += 1
            return True
        return False

    def name(self, what: str = "a name") -> str:
        token = self.tokens[self.at]
        if not self.is_name(token):
            self.fail(what)
        self.at += 1
        return token[1:] if token[0] == "\\" else token

    def names(self, what: str) -> list[tuple[int, str]]:
        """One or more names with commas between them, each with its place."""
        found = [(self.at, self.name(what))]
        while self.accept(","):
            found.append((self.at, self.name(what)))
        return found

    def attributes(self) -> Attributes:
        """All attributes that come next. Their parameters are kept as tokens."""
        tokens = self.tokens
        if tokens[self.at] != "{" or tokens[self.at + 1] != ":":
            return _NO_ATTRIBUTES
        found: Attributes = {}
        while tokens[self.at] == "{" and tokens[self.at + 1] == ":":
            name = tokens[self.at + 2]
            start = self.at + 3
            self.at = start if tokens[start] == "}" else self._attribute_end(start)
            if name in found:  # the last one counts, but for those who want all
                found.setdefault(f"{name}*", [*found[name]]).extend(tokens[start : self.at])
            found[name] = tokens[start : self.at]
            self.at += 1
        return found

    def _attribute_end(self, start: int) -> int:
        depth = 1
        for at in range(start, len(self.tokens)):
            token = self.tokens[at]
            if token in ("{", "|{"):
                depth += 1
            elif token in ("}", "}|"):
                depth -= 1
                if not depth:
                    return at
        raise self.source.error(start - 3, "the attribute is never closed with '}'")

    # --- types ------------------------------------------------------------------------------------------------------

    def type(self, depth: int = 0) -> Type:
        if depth > MAX_TYPE_DEPTH:
            raise self.source.error(self.at, f"the type is nested deeper than {MAX_TYPE_DEPTH}")
        token = self.tokens[self.at]
        if token in ("[", "<"):
            return self._map_type(depth)
        if token == "(" or token in _BASIC_TYPES:
            return self._type_atom(depth)
        if token == "{":
            return self._record_type(depth)
        if not self.is_name(token):
            self.fail("a type")
        start = self.at
        self.at += 1
        arguments: list[Type] = []
        while (follows := self.tokens[self.at]) in ("(", "[", "<") or follows in _BASIC_TYPES or self.is_name(follows):
            arguments.append(self.type(depth + 1) if follows in ("[", "<") else self._type_atom(depth))
        return NamedType(start, token, tuple(arguments)) if arguments else self._simple_type(start, token)

    def _simple_type(self, at: int, name: str) -> NamedType:
        found = self._simple_types.get(name)
        if found is None:
            found = self._simple_types[name] = NamedType(at, name.lstrip("\\"))
        return found

    def _type_atom(self, depth: int) -> Type:
        if self.accept("("):
            found = self.type(depth + 1)
            self.expect(")")
            return found
        self.at += 1
        return self._simple_type(self.at - 1, self.tokens[self.at - 1])

    def _record_type(self, depth: int) -> RecordType:
        start = self.at
        found: list[tuple[str, Type]] = []
        self.expect("{")
        while True:
            names = [name for _, name in self.names("the name of a field")]
            self.expect(":")
            declared = self.type(depth + 1)
            found += [(name, declared) for name in names]
            if not self.accept(","):
                break
        self.expect("}")
        if len({name for name, _ in found}) < len(found):
            raise self.source.error(start, "a record has two fields of one name")
        return RecordType(start, tuple(found))

    def _map_type(self, depth: int) -> MapType:
        start = self.at
        parameters = self.type_parameters()
        self.expect("[")
        indices: list[Type] = []
        if self.tokens[self.at] != "]":
            indices.append(self.type(depth + 1))
            while self.accept(","):
                indices.append(self.type(depth + 1))
        self.expect("]")
        return MapType(start, parameters, tuple(indices), self.type(depth + 1))

    def type_parameters(self) -> tuple[str, ...]:
        if not self.accept("<"):
            return ()
        found = self.names("a type parameter")
        self.expect(">")
        return tuple(name for _, name in found)

    def variables_of_one_type(self) -> list[Variable]:
        """``{:attribute} x, y: T`` without a where clause."""
        own = "thread_local" in self.attributes()
        found = self.names("the name of a variable")
        self.expect(":")
        declared = self.type()
        self.types.append(declared)
        return [Variable(at, name, declared, None, own) for at, name in found]
