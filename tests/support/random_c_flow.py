"""Random C programs about control and expressions: side effects inside of expressions, jumps into and out of loops,
cases that fall through, recursion with static locals, literals of all kinds, pointers as integers, builtins.

Where C leaves the order of side effects open, both sides follow the compiler.
"""

from __future__ import annotations

from support.random_c import Generator, Scope

_FUNCTIONS = """
enum colour { RED = -2, GREEN, BLUE = 300 };
struct lit { short a; int b[3]; unsigned c : 5; };
typedef __UINTPTR_TYPE__ word;
static int twice(int x) { return 2 * x; }
static int minus(int x) { return -x; }
static int counted(int x) { static int calls = 3; return x ^ calls++; }
static int (*const calls[4])(int) = { twice, minus, counted, twice };
static unsigned deep(int n, unsigned char b, long long w) {
  static unsigned short visits; static int last[3]; int mine[2] = { n, b };
  int *up = &mine[n & 1];
  visits += 1000; last[visits % 3] += n;
  if (n > 0) { *up += deep(n - 1, b * 3, w ^ n) & 255; if (w & 1) *up += deep(n - 2, b + n, w >> 1); }
  return (unsigned)mine[0] * 3 + (unsigned)mine[1] + visits + (unsigned)last[n & 1] + (unsigned)w;
}
static int sum(const struct lit *p, int n) { int s = p->a + (int)p->c; while (n--) s = s * 3 + p->b[n]; return s; }
static struct lit made(int x) { return (struct lit){ .b = { [1] = x }, .a = x + 1, .c = x }; }
static int row(int n, int m, int a[n][m]) {
  int s = 0; for (int i = 0; i < n; i++) s = s * 5 + a[i][m - 1 - i % m]; return s; }
"""
_BUILTINS = (
    *("__builtin_popcount({})", "__builtin_clz(({}) | 1)", "__builtin_ctzll(({}) | 4096)", "__builtin_bswap32({})"),
    *("__builtin_bswap64({})", "__builtin_ffs({})", "__builtin_parityll({})", "__builtin_rotateleft32({}, 5)"),
    *("__builtin_expect({}, 1)", "__builtin_bitreverse16({})", "__builtin_clrsbll({})", "__builtin_bswap16({})"),
)


class _Flow(Generator):
    def program(self) -> str:
        return super().program().replace("struct S1 {", _FUNCTIONS + "struct S1 {", 1)

    def _expression(self, scope: Scope, depth: int) -> str:
        if depth == 0 or self._random.random() < 0.6:
            return super()._expression(scope, depth)
        a, b = self._expression(scope, depth - 1), self._expression(scope, depth - 1)
        lvalue, type_ = self._lvalue(scope), self._type()
        name, random = self._name("e"), self._random
        number = type_ if type_ != "_Bool" else "int"
        return random.choice(
            (
                f"{lvalue}{random.choice(('++', '--'))}",
                f"{random.choice(('++', '--'))}{lvalue}",
                f"({lvalue} {random.choice(('=', '+=', '-=', '^=', '|=', '&=', '*='))} {a})",
                f"({lvalue} {random.choice(('<<=', '>>='))} ({a} & 7))",
                f"({lvalue} {random.choice(('/=', '%='))} (({a} & 63) + 1))",
                f"({a}, {b})",
                f"({a} ?: {b})",
                f"({a} {random.choice(('&&', '||'))} {lvalue}++)",
                f"({{ {type_} {name} = {a}; {name} {random.choice('+-*^')}= {b}; {name}; }})",
                random.choice(_BUILTINS).format(a),
                f"(({type_}){a} {random.choice(('<', '>', '==', '<=', '<<', '>>'))} ({self._type()})({b} & 7))",
                f"(({type_}[]){{ {a}, {b}, 7 }})[{lvalue} & 1]",
                f"made({a}).{random.choice(('a', 'b[1]', 'c'))}",
                f"sum(&(struct lit){{ {a}, {{ 1, {b} }} }}, {random.randint(0, 3)})",
                f"calls[{lvalue} & 3]({a})",
                f"(enum colour)({a} & 255)",
                f"(int)((short)({a}) * {random.choice(('0.5', '1.25f', '-3.0f', '1e3'))})",
                f"((float)({a}) {random.choice(('<', '>=', '=='))} (double)({b}))",
                f"__builtin_{random.choice(('add', 'sub', 'mul'))}_overflow({a}, {b}, &({number}){{ 0 }})",
                f"sizeof({type_}[({a} & 3) + 1])",
            )
        )

    def _statement(self, scope: Scope, depth: int) -> str:
        if depth == 0 or self._random.random() < 0.5:
            return super()._statement(scope, depth)
        makers = (self._jump, self._cases, self._leave, self._variable, self._address, self._recurse, self._both)
        return self._random.choice(makers)(scope, depth - 1)

    def _inner(self, scope: Scope) -> tuple[str, Scope]:
        counter, inner = self._name("i"), Scope(scope)
        inner.scalars.append(counter)
        inner.frozen.add(counter)
        return counter, inner

    def _jump(self, scope: Scope, depth: int) -> str:
        """Into a loop, past its start."""
        (counter, inner), label = self._inner(scope), self._name("into")
        return (
            f"  {{ int {counter} = {self._expression(scope, 1)} & 3; if ({self._expression(scope, 1)}) goto {label};\n"
            f"  for ({counter} = 0; {counter} < 3; {counter}++) {{\n{self._statement(inner, depth)}  {label}:;\n"
            f"{self._statement(inner, depth)}  }} }}\n"
        )

    def _cases(self, scope: Scope, depth: int) -> str:
        """Cases inside of a loop inside of a switch, as Duff had them."""
        counter, inner = self._inner(scope)
        return (
            f"  {{ int {counter} = 3; switch ((int)({self._expression(scope, 1)}) % 5) {{\n"
            f"  case 0: do {{\n{self._statement(inner, depth)}  case -2 ... -1: case 1:\n"
            f"{self._statement(inner, depth)}"
            f"  if ({self._expression(inner, 1)}) continue;\n  case 2: {self._lvalue(scope)}++;\n"
            f"  }} while (--{counter} > 0); break;\n  default:\n{self._statement(inner, depth)}  case -3: ; }} }}\n"
        )

    def _leave(self, scope: Scope, depth: int) -> str:
        (one, outer), label = self._inner(scope), self._name("out")
        two, inner = self._inner(outer)
        return (
            f"  for (int {one} = 0; {one} < 3; {one}++) {{ int {two} = 0; while (1) {{\n{self._statement(inner, depth)}"
            f"  if ({self._expression(inner, 1)}) goto {label}; if (++{two} > {one}) break; }} }}\n  {label}:;\n"
        )

    def _variable(self, scope: Scope, depth: int) -> str:
        """Arrays of variable length."""
        (counter, inner), name = self._inner(scope), self._name("vla")
        type_, size = self._type(), f"{counter} * 2 + {self._random.randint(1, 4)}"
        return (
            f"  for (int {counter} = 0; {counter} < 3; {counter}++) {{ {type_} {name}[{size}];\n"
            f"  for (int k = 0; k < {size}; k++) {name}[k] = k * {self._random.randint(1, 99)};\n"
            f"{self._statement(inner, depth)}  note({name}[{size} - 1] + sizeof {name});\n"
            f"  int two_{name}[{counter} + 1][{counter} + 2]; memset(two_{name}, {counter}, sizeof two_{name});\n"
            f"  two_{name}[{counter}][0] = {self._expression(inner, 1)};"
            f" note(row({counter} + 1, {counter} + 2, two_{name})); }}\n"
        )

    def _address(self, scope: Scope, depth: int) -> str:
        """Pointers as integers: with a tag, rounded, taken apart."""
        one, two, tag = (self._name(hint) for hint in ("x", "y", "tag"))
        type_, value = self._random.choice(("int", "unsigned", "long long")), self._expression(scope, 1)
        ways = (
            f"word w = (word)&{one} | {tag}; if (w & 1) *({type_} *)(w & ~(word)3) = {value}; else {two} = {value};",
            f"word a = (word)&{one}, b = (word)&{two}; a ^= b; b ^= a; a ^= b; *({type_} *)b += {value};",
            f"word w = ((word)&{one} + {tag}) / 4 * 4; *({type_} *)w = {value};",
            f"word w = (word)&{one} + {tag}; w -= w % 4; *({type_} *)w ^= {value};",
            f"unsigned long long w = (word)&{one}; unsigned h = w >> 32, l = w;"
            f" w = (unsigned long long)h << 32 | l; *({type_} *)(word)w = {value};",
            f"{type_} *p = {tag} & 1 ? &{one} : &{two}, *q; unsigned char *f = (void *)&p, *t = (void *)&q;"
            f" for (size_t k = 0; k < sizeof p; k++) t[k] = f[k]; *q -= {value};",
            f"union {{ {type_} *p; word w; unsigned short s[4]; }} u = {{ &{one} }}, v;"
            f" for (int k = 0; k < 4; k++) v.s[k] = u.s[k]; *v.p = {value};",
        )
        return (
            f"  {{ _Alignas(8) {type_} {one} = 3, {two} = 4; int {tag} = {self._expression(scope, 1)} & 3;\n"
            f"  {self._random.choice(ways)}\n  note({one}); note({two}); }}\n"
        )

    def _recurse(self, scope: Scope, depth: int) -> str:
        arguments = ", ".join(self._expression(scope, 1) for _ in range(2))
        return f"  note(deep({self._random.randint(0, 3)}, {arguments}));\n"

    def _both(self, scope: Scope, depth: int) -> str:
        """A struct chosen by a condition, copied and changed."""
        name, other = self._name("l"), self._name("l")
        condition, value = self._expression(scope, 1), self._expression(scope, 1)
        return (
            f"  {{ struct lit {name} = made({value}), {other} = {{ 1, {{ 2, 3 }}, 4 }};\n"
            f"  struct lit *p = {condition} ? &{name} : &{other};\n"
            f"  *p = ({value} & 1 ? {name} : {other}); p->b[{value} & 1]++; p->c--; {name} = *p;\n"
            f"  note(sum(&{name}, 3)); note(sum(&{other}, 3)); volatile int v = p->b[1]; v += v; note(v); }}\n"
        )


def flow_program(seed: int) -> str:
    return _Flow(seed).program()
