"""Random C programs about memory: structs, unions, bit fields and arrays in globals, locals and on the heap, reached by
members, by pointers into their middle, by bytes, and as wholes.

``object_program(seed)`` gives every byte of every object a meaning, so that programs may read and write them in any
way; ``member_program(seed)`` has types with padding, bit fields, `_Bool` and pointers, which are read as what they are.
"""

from __future__ import annotations

import random

from support.c_runtime import EPILOGUE, PROLOGUE
from support.random_c_types import SIZES, Array, Scalar, Struct, Type, Types, declared


class Objects:
    """One program: its types, its objects and what is done to them."""

    def __init__(self, seed: int, exact: bool) -> None:
        self._dice = random.Random(seed)
        self._exact = exact
        self._types = Types(self._dice, exact)
        for _ in range(3):
            self._types.struct()
        self._objects: list[tuple[str, Type]] = []  # lvalues
        self._named: list[tuple[str, Type]] = []
        self._outside: list[str] = []
        self._inside: list[str] = []
        self._tables: dict[Struct, str] = {}

    def program(self) -> str:
        dice = self._dice
        for _ in range(dice.randint(3, 5)):
            self._object()
        self._pointer_tables()
        body = [self._operation() for _ in range(dice.randint(4, 9))]
        functions = [self._functions(kind) for kind in self._types.made]
        notes = [self._notes(name, kind, 0) for name, kind in self._named]
        types = ["enum e { LOW = -3, HIGH = 70000 };", *(kind.text for kind in self._types.made)]
        counters = "static unsigned v0 = 1, v1 = 2, v2 = 5;"
        main = "".join((*self._inside, *body, *notes))
        return "\n".join(
            [
                PROLOGUE,
                *types,
                counters,
                *functions,
                *self._outside,
                f"int main(void) {{\n  size_t n;\n{main}{EPILOGUE}",
            ]
        )

    # --- objects ----------------------------------------------------------------------------------------------------

    def _object(self) -> None:
        dice = self._dice
        kind: Type = dice.choice((dice.choice(self._types.made), self._types.any()))
        if dice.random() < 0.5:
            kind = Array(kind, dice.choice((2, 3, 4, 6, 40, 300 if isinstance(kind, Scalar) else 5)))
        name = self._types.name("o")
        where = dice.randrange(4)
        if where == 0 or (where == 1 and not self._exact):
            self._outside.append(f"static {declared(kind, name)};")
        elif where == 1:
            values = ", ".join(str(dice.randint(-9, 99)) for _ in range(2 if isinstance(kind, Array) else 1))
            self._outside.append(f"{declared(kind, name)} = {{ {values} }};")
        elif where == 2:
            self._inside.append(f"  {declared(kind, name)}; memset(&{name}, {dice.choice((0, 1))}, sizeof {name});\n")
        else:
            pointer = declared(kind, f"(*{name})")
            count = f"{kind.count}, sizeof **{name}" if isinstance(kind, Array) else f"1, sizeof *{name}"
            make = (f"calloc({count});", f"malloc(sizeof *{name}); memset({name}, 0, sizeof *{name});")
            self._inside.append(f"  {pointer} = {dice.choice(make)}\n")
            name = f"(*{name})"
        self._objects.append((name, kind))
        self._named.append((name, kind))

    def _pointer_tables(self) -> None:
        """Arrays of pointers to all there is of one type."""
        for kind in self._types.made:
            found = [path for name, whole in self._objects for path in self._paths(name, whole, kind)]
            if len(found) >= 2 and self._dice.random() < 0.6:
                name = self._types.name("t")
                chosen = [self._dice.choice(found) for _ in range(3)]
                text = ", ".join(f"&{each}" for each in chosen)
                self._inside.append(f"  {kind.name} *{name}[3] = {{ {text} }};\n")
                self._objects.append((f"(*{name}[{self._index(3)}])", kind))

    def _paths(self, name: str, kind: Type, wanted: Type) -> list[str]:
        if kind == wanted:
            return [name]
        match kind:
            case Array(element, count):
                return [p for i in {0, count - 1} for p in self._paths(f"{name}[{i}]", element, wanted)]
            case Struct(_, members):
                return [p for member, inner in members for p in self._paths(f"{name}.{member}", inner, wanted)]
            case _:
                return []

    def _notes(self, name: str, kind: Type, depth: int) -> str:
        match kind:
            case Scalar():
                return f"  note((unsigned long long){name});\n"
            case Array(element, count):
                inner = self._notes(f"{name}[q{depth}]", element, depth + 1)
                return f"  for (int q{depth} = 0; q{depth} < {count}; q{depth}++) {{\n{inner}  }}\n"
            case Struct(_, members):
                return "".join(self._notes(f"{name}.{member}", inner, depth) for member, inner in members)

    # --- what is done to them ---------------------------------------------------------------------------------------

    def _index(self, count: int) -> str:
        if self._dice.random() < 0.4:
            return str(self._dice.randrange(count))
        return f"(v{self._dice.randrange(3)} + {self._dice.randrange(9)}) % {count}"

    def _part(self, chance: float = 1.0) -> tuple[str, Type]:
        """Some part of some object; with ``chance`` 1 a scalar."""
        name, kind = self._dice.choice(self._objects)
        while not isinstance(kind, Scalar) and self._dice.random() < chance:
            if isinstance(kind, Array):
                name, kind = f"{name}[{self._index(kind.count)}]", kind.element
            else:
                member, kind = self._dice.choice(kind.members)
                name = f"{name}.{member}"
        return name, kind

    def _scalar(self) -> str:
        return self._part()[0]

    def _addressed(self) -> tuple[str, Type]:
        while True:
            name, kind = self._part(0.5)
            if not (isinstance(kind, Scalar) and kind.is_field):
                return name, kind

    def _value(self) -> str:
        dice = self._dice
        return dice.choice(
            (str(dice.randint(-300, 300)), str(dice.getrandbits(31)), f"v{dice.randrange(3)}", self._scalar())
        )

    def _operation(self) -> str:
        dice = self._dice
        choices = [self._assign, self._assign, self._whole, self._call, self._step, self._middle, self._equal_copy]
        if self._exact:
            choices += [self._copy, self._copy, self._fill, self._byte, self._byte, self._punned, self._move]
        text = dice.choice(choices)()
        if dice.random() < 0.15:
            text = f"  for (int k = 0; k < 3; k++) {{\n  {text}  v0 += 3;\n  }}\n"
        return text

    def _step(self) -> str:
        return f"  v{self._dice.randrange(3)} += {self._dice.randint(1, 9)};\n"

    def _assign(self) -> str:
        operator = self._dice.choice(("=", "=", "+=", "-=", "^=", "|=", "*=", "++", "--"))
        if operator in ("++", "--"):
            return f"  {self._scalar()}{operator};\n"
        return f"  {self._scalar()} {operator} {self._value()};\n"

    def _whole(self) -> str:
        kind = self._dice.choice(self._types.made)
        there = [part for _ in range(40) for part in [self._part(0.6)] if part[1] == kind]
        if len(there) < 2:
            return self._assign()
        (to, _), (source, _) = self._dice.sample(there, 2)
        base = kind.name.split()[1]
        return self._dice.choice(
            (
                f"  {to} = {source};\n",
                f"  swap_{base}(&{to}, &{source});\n",
                f"  {to} = change_{base}({source}, {self._value()});\n",
                f"  note(deep_{base}(&{to}, {self._dice.randint(0, 2)}));\n",
                f"  *choose_{base}({self._value()}, &{to}, &{source}) = {to};\n",
            )
        )

    def _call(self) -> str:
        kind = self._dice.choice(self._types.made)
        there = [part for _ in range(20) for part in [self._part(0.6)] if part[1] == kind]
        return f"  note(sum_{kind.name.split()[1]}(&{there[0][0]}));\n" if there else self._step()

    def _middle(self) -> str:
        """A pointer into an array, with indices on both sides."""
        arrays = [p for _ in range(20) for p in [self._part(0.6)] if isinstance(p[1], Array)]
        if not arrays:
            return self._assign()
        name, kind = self._dice.choice(arrays)
        assert isinstance(kind, Array)
        pointer, middle = self._types.name("p"), self._dice.randrange(kind.count)
        inner = kind.element
        first = f"{pointer}[(int)({self._index(kind.count)}) - {middle}]"
        text = f"  {{ {declared(inner, f'(*{pointer})')} = {name} + {middle}; note({pointer} - {name});\n"
        if isinstance(inner, Scalar):
            return (
                text
                + f"  {first} = {self._value()}; note((unsigned long long)*{pointer}); note({pointer} > {name}); }}\n"
            )
        return text + f"  note((unsigned long long)((char *)&{first} - (char *){name})); }}\n"

    def _equal_copy(self) -> str:
        name, kind = self._addressed()
        there = [part for _ in range(20) for part in [self._addressed()] if part[1] == kind]
        if not there:
            return self._step()
        return f"  memmove(&{name}, &{self._dice.choice(there)[0]}, sizeof {name});\n"

    def _length(self, most: str) -> str:
        """Sets n to at most ``most``."""
        return f"  n = {most}; " + self._dice.choice(("", "", f"n = n * {self._dice.randint(0, 4)} / 4; "))

    def _copy(self) -> str:
        (to, _), (source, _) = self._addressed(), self._addressed()
        least = f"(sizeof {to} < sizeof {source} ? sizeof {to} : sizeof {source})"
        if self._dice.random() < 0.4:
            return f"  memmove(&{to}, &{source}, {least});\n"
        return self._length(least) + f"memmove(&{to}, &{source}, n);\n"

    def _move(self) -> str:
        """Within one object."""
        name, _ = self._addressed()
        to, source = self._dice.randrange(9), self._dice.randrange(9)
        size = self._length(f"sizeof {name}")
        return (
            f"{size}{{ size_t a = {to} % (n + 1), b = {source} % (n + 1), m = n - (a > b ? a : b);\n"
            f"  memmove((char *)&{name} + a, (char *)&{name} + b, m); }}\n"
        )

    def _fill(self) -> str:
        name, _ = self._addressed()
        byte = self._dice.choice(("0", "255", f"v{self._dice.randrange(3)}", str(self._dice.randint(0, 255))))
        if self._dice.random() < 0.4:
            return f"  memset(&{name}, {byte}, sizeof {name});\n"
        return self._length(f"sizeof {name}") + f"memset(&{name}, {byte}, n);\n"

    def _byte(self) -> str:
        name, _ = self._addressed()
        at = f"((unsigned char *)&{name})[{self._index(64)} % sizeof {name}]"
        return self._dice.choice((f"  note({at});\n", f"  {at} = {self._value()};\n", f"  {at}++;\n"))

    def _punned(self) -> str:
        """Read or written as another type, at any place."""
        name, _ = self._addressed()
        kind, size = self._dice.choice(tuple(SIZES.items()))
        at = f"*({kind} *)((char *)&{name} + {self._index(64)} % (sizeof {name} - {size - 1}))"
        does = self._dice.choice((f"note((unsigned long long){at});", f"{at} = {self._value()};"))
        return f"  if (sizeof {name} >= {size}) {does}\n"

    def _functions(self, kind: Struct) -> str:
        base, name = kind.name.split()[1], kind.name
        notes = self._notes("(*p)", kind, 0).replace("note(", "s = s * 3 + (unsigned)(")
        leaf = next(iter(self._leaves("v", kind)))
        return f"""\
static void swap_{base}({name} *a, {name} *b) {{ {name} t = *a; *a = *b; *b = t; }}
static {name} change_{base}({name} v, unsigned x) {{ {leaf} += x; return v; }}
static {name} *choose_{base}(unsigned x, {name} *a, {name} *b) {{ return x & 1 ? a : b; }}
static unsigned sum_{base}(const {name} *p) {{ unsigned s = 1;\n{notes}  return s; }}
static unsigned deep_{base}({name} *p, int n) {{
  {name} v = *p; unsigned s = 0;
  if (n > 0) s = deep_{base}(&v, n - 1);
  {leaf}++; s = s * 5 + sum_{base}(p); *p = v; return s; }}
"""

    def _leaves(self, name: str, kind: Type) -> list[str]:
        match kind:
            case Scalar():
                return [name]
            case Array(element, count):
                return self._leaves(f"{name}[{count - 1}]", element)
            case Struct(_, members):
                return [leaf for member, inner in members for leaf in self._leaves(f"{name}.{member}", inner)]


def object_program(seed: int) -> str:
    return Objects(seed, exact=True).program()


def member_program(seed: int) -> str:
    return Objects(seed, exact=False).program()
