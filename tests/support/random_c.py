"""Random small C programs without undefined behaviour, apart from signed overflow, which wraps.

Every program computes a checksum over all it did: see `c_runtime`. Divisors are never zero or -1, shifts stay below
the width, indices are masked, loops are counted."""

from __future__ import annotations

import random

from support.c_runtime import EPILOGUE, PROLOGUE

_TYPES = (
    *("signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int"),
    *("long", "unsigned long", "long long", "unsigned long long", "_Bool"),
)


class Scope:
    """What can be mentioned: scalars by lvalue text, arrays with their length (a power of two), pointers to scalars."""

    def __init__(self, outer: Scope | None = None) -> None:
        self.scalars: list[str] = list(outer.scalars) if outer else []
        self.arrays: list[tuple[str, int]] = list(outer.arrays) if outer else []
        self.frozen: set[str] = set(outer.frozen) if outer else set()  # loop counters


class Generator:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._count = 0
        self._functions: list[tuple[str, int]] = []  # name, number of parameters
        self._structs: list[tuple[str, list[str]]] = []  # name, scalar members

    def program(self) -> str:
        globals_ = Scope()
        parts = [PROLOGUE, *(self._struct() for _ in range(2)), *self._globals(globals_)]
        parts += [self._function(globals_) for _ in range(self._random.randint(1, 3))]
        parts.append(self._list_code())
        body = [self._statement(globals_, 2) for _ in range(self._random.randint(3, 6))]
        extra = "".join(f"  note((unsigned long long){name});\n" for name in globals_.scalars)
        sums = "".join(f"  for (int q = 0; q < {size}; q++) note({name}[q]);\n" for name, size in globals_.arrays)
        parts.append("int main(void) {\n" + "".join(body) + self._uses() + extra + sums + EPILOGUE)
        return "\n".join(parts)

    def small_program(self) -> str:
        """Straight-line code, branches and short loops over a few variables: little work for a solver."""
        scope = Scope()
        lines = self._globals(scope)
        body = "".join(self._statement(scope, 1) for _ in range(4))
        notes = "".join(f"  note((unsigned long long){name});\n" for name in scope.scalars)
        return "\n".join([PROLOGUE, *lines, f"int main(void) {{\n{body}{notes}{EPILOGUE}"])

    def copying_program(self) -> str:
        """Copies and fills of all sizes, some known only when they run, between objects of different kinds."""
        random = self._random
        objects = []
        parts = [PROLOGUE, "struct r { int a; short b; char c[2]; };"]
        for number in range(4):
            kind, size = random.choice((("int", 4), ("short", 2), ("unsigned char", 1), ("struct r", 8)))
            count = random.choice((1, 3, 16, 70, 200, 700 if kind == "unsigned char" else 90))
            values = ", ".join(str(random.randint(0, 99)) for _ in range(count * (4 if size == 8 else 1)))
            where = random.choice(("", "static "))
            objects.append(
                (f"o{number}", kind, size * count, count, f"{where}{kind} o{number}[{count}] = {{{values}}};")
            )
        outside = [text for *_, text in objects if random.random() < 0.5]
        inside = [text for *_, text in objects if text not in outside]
        body = [f"  {text}\n" for text in inside] + ["  size_t n;\n"]
        for _ in range(random.randint(3, 7)):
            (to, _, room, *_), (source, _, there, *_) = random.sample(objects, 2)
            size = random.choice((min(room, there), random.randint(0, min(room, there))))
            start = random.choice((0, 0, random.randint(0, room - size)))
            length = f"{size}" if random.random() < 0.6 else "n"
            body.append(f"  n = {size};\n" if length == "n" else "")
            if random.random() < 0.3:
                body.append(f"  memset((char *){to} + {start}, {random.randint(0, 255)}, {length});\n")
            else:
                body.append(f"  memcpy((char *){to} + {start}, {source}, {length});\n")
        for name, kind, _, count, _ in objects:
            fields = ("", "") if kind != "struct r" else (".a", ".b")
            reads = "".join(f" note((unsigned long long){name}[i]{field});" for field in dict.fromkeys(fields))
            reads += f" note({name}[i].c[i & 1]);" if kind == "struct r" else ""
            body.append(f"  for (int i = 0; i < {count}; i++) {{{reads} }}\n")
        return "\n".join([*parts, *outside, f"int main(void) {{\n{''.join(body)}{EPILOGUE}"])

    # --- declarations -----------------------------------------------------------------------------------------------

    def _name(self, hint: str) -> str:
        self._count += 1
        return f"{hint}{self._count}"

    def _type(self) -> str:
        return self._random.choice(_TYPES)

    def _struct(self) -> str:
        name = self._name("S")
        members, scalars = [], []
        for _ in range(self._random.randint(2, 5)):
            member = self._name("m")
            kind = self._random.randrange(5)
            if kind == 0:
                base, width = self._random.choice(("int", "unsigned int")), self._random.randint(1, 17)
                members.append(f"  {base} {member} : {width};")
                scalars.append(member)
            elif kind == 1:
                members.append(f"  {self._type()} {member}[4];")
                scalars.append(f"{member}[{self._random.randrange(4)}]")
            elif kind == 2:
                inner = self._name("u")
                members.append(f"  union {{ unsigned int {inner}; unsigned char {member}[4]; }};")
                scalars += [inner, f"{member}[{self._random.randrange(4)}]"]
            else:
                members.append(f"  {self._type()} {member};")
                scalars.append(member)
        self._structs.append((name, scalars))
        return f"struct {name} {{\n" + "\n".join(members) + "\n};"

    def _globals(self, scope: Scope) -> list[str]:
        lines = []
        for _ in range(self._random.randint(2, 4)):
            name = self._name("g")
            lines.append(f"static {self._type()} {name} = {self._constant()};")
            scope.scalars.append(name)
        name, size = self._name("a"), 8
        lines.append(f"{self._type()} {name}[{size}] = {{ {self._constant()}, {self._constant()} }};")
        scope.arrays.append((name, size))
        for struct, scalars in self._structs:
            name = self._name("s")
            lines.append(f"struct {struct} {name};")
            scope.scalars += [f"{name}.{member}" for member in scalars]
        return lines

    def _function(self, outer: Scope) -> str:
        name, count = self._name("f"), self._random.randint(1, 3)
        scope = Scope(outer)
        parameters = []
        for _ in range(count):
            parameter = self._name("p")
            parameters.append(f"{self._type()} {parameter}")
            scope.scalars.append(parameter)
        body = "".join(self._statement(scope, 2) for _ in range(self._random.randint(1, 4)))
        struct, members = self._random.choice(self._structs)
        by_value = self._name("v")
        self._functions.append((name, count))
        self._functions.append((f"{name}_by_value", 1))
        result = self._expression(scope, 2)
        return (
            f"static {self._type()} {name}({', '.join(parameters)}) {{\n{body}  return {result};\n}}\n"
            f"static struct {struct} {name}_change(struct {struct} {by_value}, int x) {{\n"
            f"  {by_value}.{members[0]} += x; return {by_value};\n}}\n"
            f"static int {name}_by_value(int x) {{\n  struct {struct} one, two;\n  memset(&one, x & 255, sizeof one);\n"
            f"  two = {name}_change(one, x); memcpy(&one, &two, sizeof one);\n"
            f"  struct {struct} *pointer = x & 1 ? &one : &two; pointer->{members[-1]} ^= 5;\n"
            f"  return one.{members[0]} + (two.{members[-1]} << 1);\n}}\n"
        )

    def _list_code(self) -> str:
        """A linked list on the heap, a recursion, and a call through a pointer."""
        one, other = (self._random.choice(self._functions)[0] for _ in range(2))
        return f"""\
struct node {{ struct node *next; {self._type()} data; }};
static unsigned int list_sum(struct node *node) {{
  return node == 0 ? 7 : (unsigned int)node->data + 3 * list_sum(node->next);
}}
static unsigned int lists(int length) {{
  struct node *head = 0;
  for (int i = 0; i < length; i++) {{
    struct node *made = malloc(sizeof *made);
    made->next = head; made->data = i * {self._random.randint(1, 900)}; head = made;
  }}
  if (head && head->next) head->next->data++;
  return list_sum(head);
}}
static int wrapped_{one}(int x) {{ return {self._call(one, "x")}; }}
static int wrapped2_{other}(int x) {{ return {self._call(other, "x + 1")}; }}
static int (*const table[2])(int) = {{ wrapped_{one}, wrapped2_{other} }};
"""

    def _uses(self) -> str:
        low = self._random.randint(0, 5)
        return (
            f"  note(lists({self._random.randint(0, 3)}));\n  note((unsigned int)table[{low} & 1]({low}));\n"
            f"  int (*chosen)(int) = checksum & 1 ? table[0] : table[1];\n  note((unsigned int)chosen({low}));\n"
        )

    def _call(self, name: str, argument: str) -> str:
        count = next(count for known, count in self._functions if known == name)
        return f"(int){name}({', '.join([argument] * count)})"

    # --- expressions ------------------------------------------------------------------------------------------------

    def _constant(self) -> str:
        kind = self._random.randrange(4)
        if kind == 0:
            return str(self._random.choice((0, 1, 2, 127, 128, 255, 256, 32767, 65535, 2147483647)))
        if kind == 1:
            return f"{self._random.getrandbits(40)}ULL"
        return str(self._random.randint(-100, 100)) if kind == 2 else f"{self._random.getrandbits(31)}"

    def _lvalue(self, scope: Scope) -> str:
        scalars = [name for name in scope.scalars if name not in scope.frozen]
        if scope.arrays and self._random.random() < 0.25:
            name, size = self._random.choice(scope.arrays)
            return f"{name}[{self._random.choice(scope.scalars)} & {size - 1}]"
        return self._random.choice(scalars)

    def _expression(self, scope: Scope, depth: int) -> str:
        if depth == 0:
            return self._lvalue_or_constant(scope)
        a, b = self._expression(scope, depth - 1), self._expression(scope, depth - 1)
        match self._random.randrange(11):
            case 0 | 1 | 2:
                return f"({a} {self._random.choice('+-*&|^')} {b})"
            case 3:
                return f"({a} {self._random.choice('/%')} (({b} & 1023) + 1))"
            case 4:
                shift = self._random.choice(("<<", ">>"))
                return f"({a} {shift} ({b} & 7))"
            case 5:
                return f"({a} {self._random.choice(('<', '<=', '==', '!=', '>', '>='))} {b})"
            case 6:
                return f"({a} {self._random.choice(('&&', '||'))} {b})"
            case 7:
                return f"({a} ? {b} : {self._expression(scope, depth - 1)})"
            case 8:
                return f"(({self._type()}){a})"
            case 9:
                return f"({self._random.choice('-~!')}({a}))"
            case _:
                return a

    def _lvalue_or_constant(self, scope: Scope) -> str:
        return self._constant() if self._random.random() < 0.35 else self._lvalue(scope)

    # --- statements -------------------------------------------------------------------------------------------------

    def _statement(self, scope: Scope, depth: int) -> str:
        match self._random.randrange(9 if depth else 3):
            case 0 | 1:
                return f"  {self._lvalue(scope)} = {self._expression(scope, 2)};\n"
            case 2:
                operator = self._random.choice(("+=", "-=", "^=", "|=", "*="))
                return f"  {self._lvalue(scope)} {operator} {self._expression(scope, 1)};\n"
            case 3:
                other = self._statement(scope, depth - 1) if self._random.random() < 0.5 else "  ;\n"
                then, condition = self._statement(scope, depth - 1), self._expression(scope, 2)
                return f"  if ({condition}) {{\n{then}  }} else {{\n{other}  }}\n"
            case 4:
                return self._loop(scope, depth)
            case 5:
                return self._switch(scope, depth)
            case 6:
                return self._pointers(scope)
            case 7 if self._functions:
                name, count = self._random.choice(self._functions)
                arguments = ", ".join(self._expression(scope, 1) for _ in range(count))
                return f"  {self._lvalue(scope)} = {name}({arguments});\n"
            case _:
                return f"  note({self._expression(scope, 2)});\n"

    def _loop(self, scope: Scope, depth: int) -> str:
        counter, inner = self._name("i"), Scope(scope)
        inner.scalars.append(counter)
        inner.frozen.add(counter)
        body = self._statement(inner, depth - 1)
        skip = f"    if ({self._expression(inner, 1)}) {self._random.choice(('break', 'continue'))};\n"
        head = f"for (int {counter} = 0; {counter} < {self._random.randint(1, 3)}; {counter}++)"
        return f"  {head} {{\n{skip if self._random.random() < 0.3 else ''}{body}  }}\n"

    def _switch(self, scope: Scope, depth: int) -> str:
        cases = ""
        for case in range(self._random.randint(1, 3)):
            stop = "break;" if self._random.random() < 0.7 else ""
            cases += f"  case {case}:\n{self._statement(scope, depth - 1)}  {stop}\n"
        return f"  switch ({self._expression(scope, 1)} & 3) {{\n{cases}  default:\n{self._statement(scope, 0)}  }}\n"

    def _pointers(self, scope: Scope) -> str:
        """A local array, walked by a pointer, or a pointer to one of two locals."""
        one, two, pointer = (self._name(hint) for hint in ("x", "y", "z"))
        type_, value = self._type(), self._expression(scope, 1)
        if self._random.random() < 0.5:
            return (
                f"  {{ {type_} {one} = {value}, {two} = 3; {type_} *{pointer} = ({value}) & 1 ? &{one} : &{two};\n"
                f"  *{pointer} += {self._expression(scope, 1)}; note({one}); note({two}); }}\n"
            )
        walk = self._name("w")
        return (
            f"  {{ {type_} {one}[4] = {{ 1, 2 }}; {type_} *{pointer} = {one} + ({value} & 3); *{pointer} = {value};\n"
            f"  for ({type_} *{walk} = {one}; {walk} != {one} + 4; {walk}++) note(*{walk});\n"
            f"  note({pointer} - {one}); unsigned char *{two} = (unsigned char *){one}; note({two}[{value} & 3]); }}\n"
        )
