"""Random calls of the functions of the C library that have an exact model, each with what can be observed of it.

    NOTE(strtol("-0x1fz", &end, 0))  NOTE(end - text)  NOTE(errno)

Compiled, a program prints what it notes; with ``EXPECT`` it compares that with numbers (`expecting`).
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Sequence

HEAD = """\
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>
typedef unsigned long long u64;
static u64 bits(double x) { u64 b; if (x != x) return 1; memcpy(&b, &x, 8); return b; }
static u64 bitsf(float x) { unsigned b; if (x != x) return 1; memcpy(&b, &x, 4); return b; }
static u64 sum(const void *p, size_t n) {
  u64 s = 7; for (size_t i = 0; i < n; i++) s = (s << 5 | s >> 59) ^ ((const unsigned char *)p)[i]; return s; }
static int sign(long x) { return x < 0 ? -1 : x > 0; }
static int order(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
#ifdef EXPECT
void __VERIFIER_error(void);
#define NOTE(K, E) if ((u64)(E) != (u64)EXPECTED_##K) __VERIFIER_error();
#else
#define NOTE(K, E) printf("%llu\\n", (u64)(E));
#endif
"""

_INTERESTING = (
    "0.0",
    "-0.0",
    "1.0",
    "-1.0",
    "0.5",
    "-0.5",
    "1.5",
    "2.5",
    "-2.5",
    "INFINITY",
    "-INFINITY",
    "NAN",
    "5e-324",
    "2.2250738585072014e-308",
    "1.7976931348623157e308",
    "4503599627370497.5",
    "9007199254740993.0",
)

_CLASSES = ("alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit")
_ONE = ("fabs", "floor", "ceil", "trunc", "round", "rint", "nearbyint", "sqrt", "logb")
_TWO = ("fmod", "remainder", "copysign", "fmin", "fmax", "fdim", "nextafter")


class Calls:
    """Makes snippets: C statements, in which ``NOTE(…)`` has no number yet."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    # --- arguments ----------------------------------------------------------------------------------------------------

    def number(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def pick(self, values: Sequence[str]) -> str:
        return self._random.choice(values)

    def text(self, longest: int = 8, alphabet: str = "abAB-, ") -> str:
        return "".join(self._random.choice(alphabet) for _ in range(self._random.randint(0, longest)))

    def literal(self, longest: int = 8, alphabet: str = "abAB-, ") -> str:
        return f'"{self.text(longest, alphabet)}"'

    def double(self) -> str:
        if self._random.random() < 0.3:
            return self.pick(_INTERESTING)
        if self._random.random() < 0.5:
            return f"{self._random.uniform(-100, 100)!r}"
        return f"{self._random.choice((-1, 1)) * self._random.random() * 2.0 ** self._random.randint(-1060, 1020)!r}"

    def single(self) -> str:
        if self._random.random() < 0.3:
            return f"(float)({self.pick(_INTERESTING)})"
        return f"{self._random.choice((-1, 1)) * self._random.random() * 2.0 ** self._random.randint(-140, 120)!r}f"

    # --- functions ----------------------------------------------------------------------------------------------------

    def character(self) -> str:
        name, c = self.pick(_CLASSES), self.number(-1, 255)
        wide = f"NOTE(isw{name}({self.number(0, 200)}) != 0)"
        return f"NOTE(is{name}({c})) NOTE(tolower({c})) NOTE(toupper({c})) NOTE((*__ctype_b_loc())[{c}]) {wide}"

    def search(self) -> str:
        text, other, c = self.literal(), self.literal(2), self._random.choice("abAB-, x")
        one = "char *r = {0}; NOTE(r ? r - t : -1)"
        found = self.pick(
            (
                one.format(f"strchr(t, '{c}')"),
                one.format(f"strrchr(t, '{c}')"),
                one.format(f"strchrnul(t, '{c}')"),
                one.format("strstr(t, o)"),
                one.format("strcasestr(t, o)"),
                one.format("strpbrk(t, o)"),
                one.format(f"memchr(t, '{c}', strlen(t))"),
                one.format(f"memrchr(t, '{c}', strlen(t))"),
                one.format("memmem(t, strlen(t), o, strlen(o))"),
                f"NOTE(strspn(t, o)) NOTE(strcspn(t, o)) NOTE(strlen(t)) NOTE(strnlen(t, {self.number(0, 9)}))",
            )
        )
        return f"const char *t = {text}, *o = {other}; {found}"

    def compare(self) -> str:
        a, b, n = self.literal(4, "abAB"), self.literal(4, "abAB"), self.number(0, 5)
        both = f"const char *a = {a}, *b = {b};"
        return both + self.pick(
            (
                "NOTE(sign(strcmp(a, b)))",
                f"NOTE(sign(strncmp(a, b, {n})))",
                "NOTE(sign(strcasecmp(a, b)))",
                f"NOTE(sign(strncasecmp(a, b, {n})))",
                "NOTE(sign(strcoll(a, b)))",
                "NOTE(sign(memcmp(a, b, strlen(a) < strlen(b) ? strlen(a) : strlen(b))))",
            )
        )

    def copy(self) -> str:
        text, n = self.literal(7), self.number(0, 9)
        done = self.pick(
            (
                f"strcpy(b, {text});",
                f"strncpy(b, {text}, {n});",
                f"NOTE(stpcpy(b, {text}) - b)",
                f"NOTE(stpncpy(b, {text}, {n}) - b)",
                f"strcat(b, {text});",
                f"strncat(b, {text}, {n});",
                f'NOTE((char *)mempcpy(b, "0123456789", {n}) - b)',
                f"memmove(b + {n}, b + 2, 5);",
                f"memset(b + 1, {self.number(0, 255)}, {n});",
                f"char *r = memccpy(b, {text}, 'a', {len(text) - 1}); NOTE(r ? r - b : -1)",
                f'swab("abcdefghij", b, {n});',
                f"bzero(b, {n});",
                f"NOTE(strxfrm(b, {text}, {n}))",
                f"strcpy(b, strdup({text}));",
                f"strcpy(b, strndup({text}, {n}));",
                'wcscpy((wchar_t *)b, L"abc"); wcscat((wchar_t *)b, L"de");',
                f'wcsncpy((wchar_t *)b, L"abc", {self.number(0, 5)});',
                f"wmemset((wchar_t *)b, L'x', {self.number(0, 5)});",
                f"mbstowcs((wchar_t *)b, {self.literal(4)}, 6);",
                f'wcstombs(b, L"wide", {n});',
            )
        )
        return f'char b[32] __attribute__((aligned(8))) = "start-of-it"; {done} NOTE(sum(b, sizeof b))'

    def wide(self) -> str:
        a, b = f"L{self.literal(5, 'abc')}", f"L{self.literal(2, 'abc')}"
        found = self.pick(
            ("wcschr(a, L'b')", "wcsrchr(a, L'b')", "wcsstr(a, b)", "wcspbrk(a, b)", "wmemchr(a, L'c', wcslen(a))")
        )
        return (
            f"const wchar_t *a = {a}, *b = {b}; const wchar_t *r = {found}; NOTE(r ? r - a : -1) NOTE(wcslen(a))"
            " NOTE(sign(wcscmp(a, b))) NOTE(wcsspn(a, b)) NOTE(wcscspn(a, b))"
        )

    def tokens(self) -> str:
        text, by = self.text(8, "ab,; "), self.pick((",", ",;", " ,"))
        first, next_one = f'p = strtok_r(t, "{by}", &s)', f'p = strtok_r(0, "{by}", &s)'
        if self._random.random() < 0.5:
            first = next_one = f'p = strsep(&s, "{by}")'
        loop = f"for ({first}; p; {next_one}) at = at * 31 + (p - t);"
        return f'u64 at = 1; char t[] = "{text}", *s = t, *p; {loop} NOTE(at) NOTE(sum(t, sizeof t))'

    def integer_text(self) -> str:
        name = self.pick(("strtol", "strtoul", "strtoll", "strtoull", "strtoimax", "strtoumax"))
        digits = self.pick(
            (
                str(self.number(-(2**66), 2**66)),
                str(self.number(-(2**33), 2**33)),
                f"0x{self.number(0, 2**66):x}",
                f"0{self.number(0, 2**40):o}",
                self.text(6, "0123456789abxz-+ "),
                f" +{self.number(0, 99)}",
                "9223372036854775807",
                "9223372036854775808",
                "-9223372036854775808",
                "-9223372036854775809",
                "18446744073709551615",
                "18446744073709551616",
            )
        )
        base = self._random.choice((0, 0, 10, 16, 8, 2, 36, self.number(2, 36), 1, 37))
        return (
            f'const char *t = "{digits}{self.text(2, "g .")}"; char *end = (char *)t; errno = 0;'
            f' NOTE({name}(t, &end, {base})) NOTE(end - t) NOTE(errno) NOTE(atoi("{self.number(-(2**31), 2**31 - 1)}"))'
        )

    def real_text(self) -> str:
        whole, part = self.number(0, 99999), self.text(5, string.digits)
        exponent = self.pick(("", f"e{self.number(-9, 9)}", "E+", "e", f"E-{self.number(0, 9)}"))
        number = self.pick(
            (
                f"{whole}.{part}{exponent}",
                f".{part}{exponent}",
                f"-{whole}{exponent}",
                "infinit",
                "-inf",
                "nan(12)x",
                "0x1fg",
                "+.e1",
                "",
            )
        )
        return f'const char *t = " {number}"; char *end; NOTE(bits(strtod(t, &end))) NOTE(end - t) NOTE(bits(atof(t)))'

    def whole(self) -> str:
        a, b = self.number(-1000, 1000), self._random.choice((-7, -1, 1, 3, 10))
        calls = f"div_t d = div({a}, {b}); ldiv_t l = ldiv({a}L, {b}L); NOTE(abs({a})) NOTE(ffs({a}))"
        return f"{calls} NOTE(d.quot) NOTE(d.rem) NOTE(l.quot) NOTE(l.rem)"

    def sorting(self) -> str:
        values = [self.number(-5, 5) for _ in range(self.number(1, 5))]
        listed = ", ".join(map(str, values))
        return (
            f"int a[] = {{{listed}}}, k = {self.number(-5, 5)}; qsort(a, sizeof a / 4, 4, order);"
            " NOTE(sum(a, sizeof a)) int *p = bsearch(&k, a, sizeof a / 4, 4, order); NOTE(p ? *p : 99)"
        )

    def one_real(self) -> str:
        name = self.pick(_ONE)
        x, y = self.double(), self.single()
        return f"errno = 0; NOTE(bits({name}({x}))) NOTE(errno) NOTE(bitsf({name}f({y})))"

    def two_reals(self) -> str:
        name = self.pick(_TWO)
        singles = f"{self.single()}, {self.single()}"
        return f"NOTE(bits({name}({self.double()}, {self.double()}))) NOTE(bitsf({name}f({singles})))"

    def taken_apart(self) -> str:
        x, y = self.double(), self.single()
        return (
            f"int e = 0, g = 0; double w; float v; NOTE(bits(frexp({x}, &e))) NOTE(e)"
            f" NOTE(bits(modf({x}, &w))) NOTE(bits(w)) NOTE(bitsf(frexpf({y}, &g))) NOTE(g)"
            f" NOTE(bits(ldexp({self.double()}, {self.number(-1100, 1100)})))"
            f" NOTE(bitsf(modff({y}, &v))) NOTE(bitsf(v)) NOTE(ilogb({self._random.uniform(1, 1e9)!r}))"
        )

    def quotients(self) -> str:
        x, y = self._random.uniform(-1e6, 1e6), self._random.uniform(-50, 50)
        return (
            f"int q = 0; double r = remquo({x!r}, {y!r}, &q); NOTE(bits(r)) NOTE(q & 7) NOTE(lround({x!r}))"
            f" NOTE(lrint({x!r})) NOTE(llround({y!r})) NOTE(llrintf({y!r}f))"
        )

    def fused(self) -> str:
        x, y, z = (self.double() for _ in range(3))
        a, b, c = (self.single() for _ in range(3))
        return f"NOTE(bits(fma({x}, {y}, {z}))) NOTE(bitsf(fmaf({a}, {b}, {c})))"

    def classes(self) -> str:
        x, y = self.double(), self.single()
        return (
            f"double x = {x}; float y = {y}; NOTE(fpclassify(x)) NOTE(fpclassify(y)) NOTE(isnan(x) != 0)"
            " NOTE(isinf(x) != 0) NOTE(isfinite(x) != 0) NOTE(isnormal(x) != 0) NOTE(signbit(x) != 0)"
            " NOTE(isnormal(y) != 0) NOTE(isfinite(y) != 0)"
        )

    def printed(self) -> str:
        arguments: list[str] = []
        parts = [self._conversion(arguments) for _ in range(self.number(1, 3))]
        room = self._random.choice((60, 60, 0, 1, 5))
        given = "".join(f", {argument}" for argument in arguments)
        call = f'snprintf(b, {room}, "{"".join(parts)}"{given})'
        return f"char b[60]; memset(b, 7, sizeof b); NOTE({call}) NOTE(sum(b, sizeof b))"

    def _conversion(self, arguments: list[str]) -> str:
        flags = "".join(flag for flag in "-+ #0" if self._random.random() < 0.2)
        width = self._random.choice(("", "", str(self.number(1, 9)), "*"))
        precision = self._random.choice(("", "", f".{self.number(0, 5)}", ".", ".*"))
        kind = self.pick(
            ("d", "i", "u", "x", "X", "o", "c", "s", "ld", "lld", "lx", "hhd", "hd", "hhu", "zu", "%", "text")
        )
        if kind == "text":
            return self.text(4, "xyz:")
        if kind == "%":
            return "%%"
        if width == "*":
            arguments.append(str(self.number(-6, 6)))
        if kind in "cs":
            flags = flags.replace("0", "").replace("#", "").replace("+", "").replace(" ", "")
        if kind == "c":
            precision = ""
        if precision == ".*":
            arguments.append(str(self.number(-1, 5)))
        if kind == "c":
            arguments.append(str(self.number(32, 126)))
        elif kind == "s":
            arguments.append(self.literal(5, "abc"))
        else:
            cast = {"l": "long", "ll": "long long", "z": "size_t"}.get(kind[:-1], "int")
            arguments.append(
                f"({cast}){self._random.choice((0, 1, -1, self.number(-(2**31), 2**31), self.number(-99, 99)))}"
            )
        return f"%{flags}{width}{precision}{kind}"

    @property
    def kinds(self) -> list[Callable[[], str]]:
        return [
            *(self.character, self.search, self.compare, self.copy, self.wide, self.tokens, self.integer_text),
            *(self.real_text, self.whole, self.sorting, self.one_real, self.two_reals, self.taken_apart),
            *(self.quotients, self.fused, self.classes, self.printed),
        ]


def program(snippets: Sequence[str]) -> str:
    """One function for each snippet; notes are numbered."""
    functions, count = [], 0
    for position, snippet in enumerate(snippets):
        pieces = snippet.split("NOTE(")
        numbered = pieces[0]
        for piece in pieces[1:]:
            numbered += f"NOTE({count}, {piece}"
            count += 1
        functions.append(f"static void f{position}(void) {{ {numbered} }}")
    calls = " ".join(f"f{position}();" for position in range(len(snippets)))
    return HEAD + "\n".join(functions) + f"\nint main(void) {{ {calls} return 0; }}\n"


def expecting(text: str, numbers: Sequence[int]) -> str:
    defines = "".join(f"#define EXPECTED_{k} {number}ull\n" for k, number in enumerate(numbers))
    return f"#define EXPECT\n{defines}{text}"
