"""Inputs and options that want to do harm, or that nobody would think of: by families, each case by its number.

    cases = list(hostile_cases())       # 500 and more
    cases[7].name                       # "deep: parentheses.c 100000"

A case is files, a command, an environment and limits of the system. What must come of it is said by `hostile`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random

FIFO, FOLDER = "a pipe", "a folder"
Content = bytes | str
"""Of a file; `FIFO` and `FOLDER` are no text, and ``-> X`` is a link to X."""

_VERIFY = ("verify",)
_LIMITS = ("--timelimit", "3", "--memlimit", "1500", "--workers", "2")


@dataclass(frozen=True)
class Case:
    """``verdicts``: exit codes of verdicts that are right, beside those of refusals. ``limits``: those of the system,
    by the names of the module `resource`. ``shell`` comes after the command, for a shell."""

    name: str
    arguments: tuple[str, ...]
    files: Mapping[str, Content] = field(default_factory=dict)
    environment: Mapping[str, str | None] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)
    verdicts: tuple[int, ...] = ()
    shell: str = ""


def verifying(name: str, files: Mapping[str, Content], *options: str, verdicts: tuple[int, ...] = ()) -> Case:
    """The first file is verified."""
    return Case(name, (*_VERIFY, next(iter(files)), *_LIMITS, *options), files, verdicts=verdicts)


def hostile_cases() -> Iterator[Case]:
    for family in (_sizes, _depths, _c, _names, _options, _tasks, _journals, _environments, _mutations):
        yield from family()


def sample(count: int) -> list[Case]:
    """Some of each family, the same ones always, and none that takes long to write or to read."""
    every = [case for case in hostile_cases() if sum(map(len, case.files.values())) < _SMALL]
    return [every[number * len(every) // count] for number in range(count)]


# --- too large, too deep --------------------------------------------------------------------------------------------

GOOD: dict[str, str] = {
    "good.c": "#include <assert.h>\nint main(void) { int x = 3; assert(x < 4); return x; }\n",
    "good.bpl": "procedure main() { var x: int; x := 3; assert x < 4; }\n",
    "good.smt2": "(set-logic HORN)(declare-fun p (Int) Bool)(assert (forall ((x Int)) (=> (= x 3) (p x))))"
    "(assert (forall ((x Int)) (=> (and (p x) (> x 4)) false)))(check-sat)\n",
    "good.btor2": "1 sort bitvec 4\n2 zero 1\n3 state 1\n4 init 1 3 2\n5 next 1 3 3\n6 sort bitvec 1\n"
    "7 ones 1\n8 eq 6 3 7\n9 bad 8\n",
    "good.vmt": "(declare-fun x () Int)(declare-fun y () Int)(define-fun .n () Int (! x :next y))"
    "(define-fun .i () Bool (! (= x 0) :init true))(define-fun .t () Bool (! (= y x) :trans true))"
    "(define-fun .p () Bool (! (< x 3) :invar-property 0))\n",
    "good.mcmt": "(define-state-type s ((x Int)))(define-states i s (= x 0))(define-transition t s (= next.x state.x))"
    "(define-transition-system T s i t)(query T (< x 3))\n",
    "good.aag": "aag 1 0 1 0 0 1\n2 2\n2\n",
    "good.pl": "r(p(pc(l0)), d(X), d(Y), [], [Y = X], 1).\nstart(pc(l0)).\nerror(pc(l1)).\n",
    "good.ir": "program\n",
}
_SMALL = 20_000  # bytes
_SAFE = (0,)
_ANY = (0, 10)


def _sizes() -> Iterator[Case]:
    for bits in (10**5, 10**9, 10**15, 10**30):
        sort = f"(_ BitVec {bits})"
        horn = (
            f"(set-logic HORN)(declare-fun p ({sort}) Bool)(assert (forall ((x {sort})) (=> (p x) false)))(check-sat)"
        )
        yield verifying(f"size: a sort of {bits} bits, smt2", {"x.smt2": horn}, verdicts=_SAFE)
        yield verifying(f"size: a sort of {bits} bits, btor2", {"x.btor2": f"1 sort bitvec {bits}\n2 state 1\n"})
        yield verifying(
            f"size: a type of {bits} bits, bpl", {"x.bpl": f"procedure main(x: bv{bits}) {{ assert x == x; }}"}
        )
        array = f"char a[{bits}]; int main(void) {{ return a[3]; }}"
        yield verifying(f"size: an array of {bits} bytes, global", {"x.c": array}, verdicts=_ANY)
        local = f"int main(void) {{ static int b[{bits}] = {{1}}; char a[{bits}]; a[5] = 1; return a[5] + b[1]; }}"
        yield verifying(f"size: an array of {bits} bytes, local", {"x.c": local}, verdicts=_ANY)
        struct = f"struct s {{ char c[{bits}]; }} s, t; int main(void) {{ s = t; return s.c[{bits // 2}]; }}"
        yield verifying(f"size: a struct of {bits} bytes", {"x.c": struct}, verdicts=_ANY)
        extended = f"(assert (forall ((x (_ BitVec 8))) (=> (= x ((_ extract 7 0) ((_ zero_extend {bits}) x))) false)))"
        yield verifying(
            f"size: extended by {bits} bits", {"x.smt2": f"(set-logic HORN){extended}(check-sat)"}, verdicts=_ANY
        )
        repeated = f"(assert (forall ((x (_ BitVec 8))) (=> (= ((_ repeat {bits}) x) ((_ repeat {bits}) x)) false)))"
        yield verifying(
            f"size: repeated {bits} times", {"x.smt2": f"(set-logic HORN){repeated}(check-sat)"}, verdicts=_ANY
        )
    for digits in (1_000, 100_000, 3_000_000):
        number = "9" * digits
        yield verifying(
            f"size: a numeral of {digits} digits, bpl",
            {"x.bpl": f"procedure main() {{ assert {number} > 1; }}"},
            verdicts=_SAFE,
        )
        yield verifying(
            f"size: a numeral of {digits} digits, smt2",
            {"x.smt2": f"(set-logic HORN)(assert (=> (> 1 {number}) false))(check-sat)"},
            verdicts=_SAFE,
        )
        yield verifying(f"size: a numeral of {digits} digits, c", {"x.c": f"int main(void) {{ return {number}; }}"})
        name = "a" * digits
        yield verifying(
            f"size: a name of {digits} letters, bpl",
            {"x.bpl": f"procedure main() {{ var {name}: int; assert {name} == {name}; }}"},
            verdicts=_SAFE,
        )
        yield verifying(
            f"size: a name of {digits} letters, c",
            {"x.c": f"int main(void) {{ int {name} = 1; return {name}; }}"},
            verdicts=_SAFE,
        )
    for count in (10_000, 300_000):
        yield verifying(
            f"size: {count} statements, c",
            {"x.c": f"int main(void) {{ int x = 0; {'x ^= 1;' * count} return x; }}"},
            verdicts=_SAFE,
        )
        yield verifying(
            f"size: {count} procedures, bpl",
            {"x.bpl": "".join(f"procedure p{n}() {{ }}\n" for n in range(count)) + "procedure main() { assert true; }"},
            verdicts=_SAFE,
        )
        yield verifying(
            f"size: {count} clauses",
            {
                "x.smt2": "(set-logic HORN)(declare-fun p (Int) Bool)"
                + "(assert (forall ((x Int)) (=> (= x 1) (p x))))" * count
                + "(check-sat)"
            },
            verdicts=_SAFE,
        )
        yield verifying(
            f"size: {count} nodes",
            {
                "x.btor2": "1 sort bitvec 8\n2 state 1\n"
                + "".join(f"{n} not 1 {n - 1}\n" for n in range(3, count))
                + f"{count} sort bitvec 1\n{count + 1} eq {count} 2 {count - 1}\n{count + 2} bad {count + 1}\n"
            },
            verdicts=_ANY,
        )
    for width, doublings in ((8, 20), (8, 60), (64, 200)):
        grown = "".join(f"(let ((x{n + 1} (concat x{n} x{n})))" for n in range(doublings))
        last = f"(=> (= x{doublings} x{doublings}) false){')' * doublings}"
        text = f"(set-logic HORN)(assert (forall ((x0 (_ BitVec {width}))) {grown}{last}))(check-sat)"
        yield verifying(f"size: {width} bits doubled {doublings} times", {"x.smt2": text}, verdicts=_ANY)


def _depths() -> Iterator[Case]:
    for depth in (1_000, 20_000, 200_000):
        opened, closed = "(" * depth, ")" * depth
        yield verifying(
            f"depth: {depth} parentheses, c", {"x.c": f"int main(void) {{ return {opened}1{closed}; }}"}, verdicts=_SAFE
        )
        yield verifying(
            f"depth: {depth} operators, c", {"x.c": f"int main(void) {{ return {'!' * depth}1; }}"}, verdicts=_SAFE
        )
        yield verifying(
            f"depth: {depth} blocks, c",
            {"x.c": f"int main(void) {{ {'{' * depth} {'}' * depth} return 0; }}"},
            verdicts=_SAFE,
        )
        yield verifying(
            f"depth: {depth} pointers, c",
            {"x.c": f"int {'*' * depth} x; int main(void) {{ return x == 0; }}"},
            verdicts=_ANY,
        )
        yield verifying(
            f"depth: {depth} sums, c",
            {"x.c": f"int main(void) {{ unsigned x = 1; return {'x+' * depth}x; }}"},
            verdicts=_SAFE,
        )
        yield verifying(
            f"depth: {depth} parentheses, bpl",
            {"x.bpl": f"procedure main() {{ assert {opened}true{closed}; }}"},
            verdicts=_SAFE,
        )
        yield verifying(
            f"depth: {depth} negations, bpl",
            {"x.bpl": f"procedure main() {{ assert {'!' * (2 * depth)}true; }}"},
            verdicts=_SAFE,
        )
        yield verifying(
            f"depth: {depth} ifs, bpl",
            {"x.bpl": f"procedure main() {{ {'if (*) {' * depth}{'}' * depth} assert true; }}"},
            verdicts=_SAFE,
        )
        yield verifying(
            f"depth: {depth} maps, bpl",
            {"x.bpl": f"var m: {'[int]' * depth}int; procedure main() {{ assert true; }}"},
            verdicts=_SAFE,
        )
        yield verifying(
            f"depth: {depth} terms, smt2",
            {"x.smt2": f"(set-logic HORN)(assert {'(not ' * (2 * depth)}true{')' * (2 * depth)})(check-sat)"},
            verdicts=_SAFE,
        )
        yield verifying(f"depth: {depth} lists, smt2", {"x.smt2": opened}, verdicts=())
        yield verifying(
            f"depth: {depth} quantifiers, smt2",
            {"x.smt2": f"(set-logic HORN)(assert {'(forall ((x Int)) ' * depth}true{closed})(check-sat)"},
            verdicts=_SAFE,
        )
        arrays = "(Array Int " * depth + "Int" + closed
        yield verifying(
            f"depth: {depth} arrays, smt2",
            {"x.smt2": f"(set-logic HORN)(declare-fun p ({arrays}) Bool)(check-sat)"},
            verdicts=_SAFE,
        )
        yield verifying(f"depth: {depth} lists, yml", {"x.yml": "a: " + "[" * depth})
        yield verifying(f"depth: {depth} lists, mcmt", {"x.mcmt": opened})
        yield verifying(f"depth: {depth} terms, pl", {"x.pl": "f(" * depth})
        calls = "".join(f"int f{n}(void) {{ return f{n + 1}(); }}\n" for n in range(min(depth, 20_000)))
        forward = "".join(f"int f{n}(void);\n" for n in range(min(depth, 20_000) + 1))
        whole = f"{forward}{calls}int f{min(depth, 20_000)}(void) {{ return 0; }}\nint main(void) {{ return f0(); }}"
        yield verifying(f"depth: {depth} calls, c", {"x.c": whole}, verdicts=_SAFE)


# --- C --------------------------------------------------------------------------------------------------------------


def _c() -> Iterator[Case]:
    bomb = "#define A0 x\n" + "".join(f"#define A{n + 1} A{n}+A{n}\n" for n in range(60))
    texts: dict[str, tuple[str, tuple[int, ...]]] = {
        "a macro that grows": (f"{bomb}int x; int main(void) {{ return A60; }}", ()),
        "a string that grows": (
            '#define A0 "x"\n' + "".join(f"#define A{n + 1} A{n} A{n}\n" for n in range(40)) + "char s[] = A40;",
            (),
        ),
        "it includes itself": ('#include "x.c"\nint main(void) { return 0; }', ()),
        "it includes itself by a macro": ("#define F __FILE__\n#include F\n", ()),
        "it includes a folder": ('#include "."\n', ()),
        "an error with a long line": (f"int main(void) {{ {'x' * 100_000} = ; }}", ()),
        "a hundred errors": ("int int int;\n" * 100, ()),
        "an error in its own words": ("#error \x1b[31m\u202e evil\n", ()),
        "a warning in its own words": ("#warning \x1b[31m evil\nint main(void) { return 0; }", _SAFE),
        "a false line": ('# 1 "/etc/passwd"\nint main(void) { return x; }\n', ()),
        **{
            f"lines from {place}": (
                f'# 1 "{place}"\nint main(int n) {{ if (n == 5) __builtin_trap(); return 0; }}\n',
                _ANY,
            )
            for place in ("/etc/passwd", "/dev/zero", "/dev/stdin", "/proc/self/mem", ".")
        },
        "a line in a file with a bad name": ('# 7 "\x1b[2J\\n\\"x"\nint main(void) { return x; }\n', ()),
        "a line that is far": ('#line 2147483647 "y.c"\nint main(void) { return x; }\n', ()),
        "assembler": ('int main(void) { __asm__(".incbin \\"/etc/passwd\\""); return 0; }', ()),
        "assembler outside": ('__asm__(".incbin \\"/etc/passwd\\""); int main(void) { return 0; }', _SAFE),
        "a computed goto": ("int main(void) { void *p = &&l; goto *p; l: return 0; }", _ANY),
        "vectors": ("typedef int v __attribute__((vector_size(1 << 20))); v x; int main(void) { return x[3]; }", _ANY),
        "numbers of 128 bits": ("int main(void) { __int128 x = 1; x <<= 100; return x > 0; }", _ANY),
        "a wide integer": ("int main(void) { _BitInt(8388608) x = 1; return x > 0; }", _ANY),
        "complex numbers": ("int main(void) { _Complex double x = 1; return x == 1; }", _ANY),
        "long doubles": ("int main(void) { long double x = 1e4000L; return x > 1; }", _ANY),
        "variable arrays": ("int main(int n) { int a[n]; return a[n - 1]; }", _ANY),
        "nested functions": ("int main(void) { int f(void) { return 1; } return f(); }", ()),
        "no main": ("int x;", ()),
        "two mains": ("int main(void) { return 0; } int main(void) { return 1; }", ()),
        "a main that is no function": ("int main;", ()),
        "endless recursion": ("int f(int x) { return f(x) + 1; } int main(void) { return f(1); }", _ANY),
        "an endless loop": ("int main(void) { while (1) {} }", _SAFE),
        "many threads": (
            "#include <pthread.h>\nvoid *f(void *p) { return p; }"
            " int main(void) { pthread_t t; for (;;) pthread_create(&t, 0, f, 0); }",
            _ANY,
        ),
        "a thread that starts itself": (
            "#include <pthread.h>\nvoid *f(void *p) { pthread_t t; pthread_create(&t, 0, f, 0); return p; }"
            " int main(void) { f(0); }",
            _ANY,
        ),
        "constructors": (
            "__attribute__((constructor)) void f(void) { __builtin_trap(); } int main(void) { return 0; }",
            _ANY,
        ),
        "weak names": ("extern int x __attribute__((weak)); int main(void) { return x; }", _ANY),
        "aliases in a circle": (
            'int f(void) __attribute__((alias("g"))); int g(void) __attribute__((alias("f")));'
            " int main(void) { return f(); }",
            (),
        ),
        "a name of ours": ("int __cleave_spawn(int); int main(void) { return __cleave_spawn(1); }", _ANY),
        "a name of the library": ("int malloc; int main(void) { return malloc; }", _ANY),
        "an atomic end": ("void __VERIFIER_atomic_end(void); int main(void) { __VERIFIER_atomic_end(); }", _ANY),
        "an assembler name": ('int f(void) __asm__("\\01_f\\n\\x1b[31m"); int main(void) { return f(); }', _ANY),
        "a section": ('int x __attribute__((section("\\n"))); int main(void) { return x; }', _ANY),
        "NULs": ("int main(void) { return 0; }\0\0\0", _SAFE),
        "a byte order mark": ("\ufeffint main(void) { return 0; }", _SAFE),
        "only a comment": ("/*", ()),
        "bidirectional names": ("int \u202ex = 1; int main(void) { return 0; }", ()),
        "an annotation": (
            "int main(void) { int x = 0; /*@ assert " + "(" * 5000 + "x" + ")" * 5000 + "; */ return x; }",
            _ANY,
        ),
        "a static assertion": (f'_Static_assert(0, "{"x" * 10_000}");', ()),
        "a switch": (
            "int main(int x) { switch (x) {"
            + "".join(f"case {n}: " for n in range(20_000))
            + "return 1; } return 0; }",
            _ANY,
        ),
        "a case range": ("int main(int x) { switch (x) { case 0 ... 2000000000: return 1; } return 0; }", _ANY),
        "a large enum": (
            "enum e {" + ",".join(f"e{n}" for n in range(50_000)) + "}; int main(void) { return e5; }",
            _SAFE,
        ),
        "an initialiser with ranges": (
            "int a[10000000] = { [0 ... 9999999] = 7 }; int main(void) { return a[5]; }",
            _ANY,
        ),
        "a goto into a loop": ("int main(void) { goto l; for (;;) { l: ; } }", _SAFE),
        "setjmp": ("#include <setjmp.h>\njmp_buf b; int main(void) { if (!setjmp(b)) longjmp(b, 1); return 0; }", _ANY),
        "varargs": (
            "#include <stdarg.h>\nint f(int n, ...)"
            " { va_list l; va_start(l, n); int x = va_arg(l, int); va_end(l); return x; }"
            " int main(void) { return f(1); }",
            _ANY,
        ),
        "a division by zero": ("int main(void) { int x = 0; return 1 / x; }", (10,)),
        "an allocation of everything": (
            "#include <stdlib.h>\nint main(void) { char *p = malloc((size_t)-1); return p != 0; }",
            _ANY,
        ),
        "a printf": ('#include <stdio.h>\nint main(void) { printf("%n%s%1000000000d"); return 0; }', _ANY),
        "a sprintf": (
            '#include <stdio.h>\nint main(void) { char b[4]; sprintf(b, "%1000000000d", 1); return 0; }',
            _ANY,
        ),
    }
    for name, (text, verdicts) in texts.items():
        yield verifying(f"C: {name}", {"x.c": text}, verdicts=verdicts)
    for path in (
        "/etc/passwd",
        "/dev/zero",
        "/dev/stdin",
        "/proc/self/mem",
        "/proc/self/environ",
        "../secret",
        "pipe.h",
        "link.h",
    ):
        for word in ("include", "embed", "import"):
            text = f'#{word} "{path}"\nint main(void) {{ return 0; }}\n'
            files: dict[str, Content] = {
                "in/x.c": text,
                "secret": "password",
                "in/pipe.h": FIFO,
                "in/link.h": "-> ../secret",
            }
            yield verifying(
                f"C: #{word} {path}", files, verdicts=_SAFE if word == "embed" or path == "/dev/stdin" else ()
            )


# --- names ----------------------------------------------------------------------------------------------------------


def _names() -> Iterator[Case]:
    good = GOOD["good.c"]
    names = (
        *(
            "@x/good.c",
            "@good.c",
            "a b.c",
            "a'b.c",
            'a"b.c',
            "a\\b.c",
            "a\nb.c",
            "a\x1b[31mb.c",
            "a\u202eb.c",
            "ä.c",
            "$HOME.c",
        ),
        *(
            "%s.c",
            "a;b.c",
            "a|b.c",
            "*.c",
            "?.c",
            "#.c",
            "~.c",
            "a:1:2.c",
            "x.c.c",
            "x.C",
            ".c",
            "..c",
            "a=b.c",
            "a,b.c",
        ),
        *(
            "d/../good.c",
            "./good.c",
            "d//good.c",
            "x" * 240 + ".c",
            "\x7f.c",
            "a\rb.c",
            "a\tb.c",
            "<stdin>.c",
            "<cleave>/x.c",
        ),
    )
    for name in names:
        files: dict[str, Content] = {name: good, "good.c": good}
        files |= {"d/z": ""} if name.startswith("d/") else {}
        yield verifying(
            f"name: {name!r}", files, verdicts=_SAFE if not name.endswith((".c.c", "/.c")) or name == "x.c.c" else _ANY
        )
    for name in ("-x.c", "--help.c", "--.c"):
        yield Case(f"name: {name}", (*_VERIFY, f"./{name}", *_LIMITS), {name: good}, verdicts=_SAFE)
        yield Case(f"name: bare {name}", (*_VERIFY, name, *_LIMITS), {name: good})
    for ending in ("c", "bpl", "smt2", "btor2", "yml", "ir", "pl", "aag", "vmt", "mcmt", "txt", ""):
        dotted = f".{ending}" if ending else ""
        yield verifying(f"name: a pipe{dotted}", {f"x{dotted}": FIFO})
        yield verifying(f"name: a folder{dotted}", {f"x{dotted}": FOLDER})
        yield verifying(f"name: /dev/zero{dotted}", {f"x{dotted}": "-> /dev/zero"})
        yield verifying(f"name: a circle{dotted}", {f"x{dotted}": f"-> x{dotted}"})
        yield verifying(f"name: empty{dotted}", {f"x{dotted}": ""})
        yield Case(f"name: nothing{dotted}", (*_VERIFY, f"missing{dotted}", *_LIMITS))
    for path in ("/dev/stdin", "/dev/null", "/proc/self/mem", "/", "", "\udcff.c", "x" * 5000, "/" * 5000):
        yield Case(f"name: {path[:20]!r}", (*_VERIFY, path, *_LIMITS))
    for command in ("plan", "horn", "unfold", "show", "resume", "report"):
        for path in ("/dev/zero", "missing.c", "/", "pipe.journal", "x.journal"):
            yield Case(f"name: {command} {path}", (command, path), {"pipe.journal": FIFO, "x.journal": "no journal"})


# --- options --------------------------------------------------------------------------------------------------------


def _options() -> Iterator[Case]:
    numbers = ("-1", "0", "nan", "inf", "1e308", "1e999", "x", "", "1" * 400, "٣", "0x10", "1_000", " 5")
    for flag in ("--timelimit", "--memlimit", "--workers", "--recursion-bound", "--contexts", "--unwind", "--seed"):
        for number in numbers:
            yield Case(
                f"option: {flag} {number[:10]}",
                (*_VERIFY, "good.bpl", *_LIMITS, f"{flag}={number}"),
                GOOD,
                verdicts=_SAFE,
            )
    for words in (
        *(("--engine", name) for name in ("", "none", "../x", "inline,pdr", "executions", "os", "\x1b[31m")),
        *(("--entry", name) for name in ("", "none", "main\n", "\x1b[31m")),
        *(("--check", name) for name in ("", "none", ",", "assertions,", "\x1b[31m")),
        *(("--property", name) for name in ("", "none")),
        *(("--on", name) for name in ("ray", "", "moon")),
        *(("--address", name) for name in ("127.0.0.1:1", "", "ray://x")),
        ("--on", "ray", "--address", "127.0.0.1:1"),
        ("--on", "ray", "--address", "http://x\x1b"),
        ("--on", "ray", "--address", "127.0.0.1:99999999"),
        ("--workers", "1000000000"),
        ("--workers", "1000000000", "--on", "simulated"),
        *(("--journal", path) for path in ("/dev/null", "/proc", "good.c", "/proc/x", "", "a/b/c")),
        *(("--witness", path) for path in ("/dev/full", "/missing/x", "good.c", "/proc/x", "", ".")),
        *(("--sarif", path) for path in ("/dev/full", "good.c", "pipe")),
        *(("--report", path) for path in ("/dev/full", "good.c")),
        *(("-D", name) for name in ("@good.c", "", "a b=c", "x=\n#error", "-o", "A(", "main=f")),
        *(("-I", path) for path in ("@good.c", "", "missing", "/dev/zero", "-o", ".")),
        *(("--property-file", path) for path in ("missing", "pipe", "/dev/zero", "good.c", ".")),
        *(("--trust", name) for name in ("", "main", "\x1b[31m")),
        ("--no-such-option",),
        ("--json", "--json", "--quiet", "--quiet"),
        ("--help", "--no-such-option"),
        ("-v", "-v", "-v", "-v"),
        ("--", "--timelimit"),
    ):
        files: dict[str, Content] = {**GOOD, "pipe": FIFO}
        shown = " ".join(words)[:60]
        yield Case(f"option: {shown!r}", (*_VERIFY, "good.c", *_LIMITS, *words), files, verdicts=_SAFE)
    for arguments in (
        (),
        ("",),
        ("nothing",),
        ("verify",),
        ("--version", "x"),
        ("\x1b[31m",),
        ("verify", "good.c", "good.bpl", "missing.c"),
    ):
        yield Case(f"option: only {arguments!r}", arguments, GOOD, verdicts=_SAFE)


def _tasks() -> Iterator[Case]:
    head = "format_version: '2.0'\n"
    bomb = "a: &a [x, x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(20)
    )
    texts = {
        "a bomb": bomb,
        "a tag": "!!python/object/apply:os.system ['touch made']\n",
        "a merge": f"{head}input_files: good.c\n<<: [{{a: b}}]\n",
        "keys twice": f"{head}input_files: good.c\ninput_files: good.bpl\n",
        "no files": head,
        "files that are numbers": f"{head}input_files: [1, 2]\n",
        "a missing file": f"{head}input_files: missing.c\n",
        "a device": f"{head}input_files: /dev/zero\n",
        "a device in C": f"{head}input_files: zero.c\n",
        "a pipe": f"{head}input_files: pipe.c\n",
        "itself": f"{head}input_files: x.yml\n",
        "a file with an at": f"{head}input_files: '@good.c'\n",
        "a NUL": f'{head}input_files: "a\\0b.c"\n',
        "a thousand files": f"{head}input_files: [{', '.join(['good.c'] * 1000)}]\n",
        "two languages": f"{head}input_files: [good.c, good.bpl]\n",
        "a model": f"{head}input_files: good.c\noptions: {{data_model: X}}\n",
        "a property that is a pipe": f"{head}input_files: good.c\nproperties: [{{property_file: pipe.c}}]\n",
        "a property that is a device": f"{head}input_files: good.c\nproperties: [{{property_file: /dev/zero}}]\n",
        "properties that are a word": f"{head}input_files: good.c\nproperties: x\n",
        "binary": "\x00\x01\x02",
        "escapes": f'{head}input_files: "\\e[31m.c"\n',
        "long": f"# {'x' * 300_000}\n",
        "a document twice": f"{head}input_files: good.c\n---\n{head}input_files: good.c\n",
        "a list": "- a\n- b\n",
    }
    for name, text in texts.items():
        files: dict[str, Content] = {
            "x.yml": text,
            **GOOD,
            "pipe.c": FIFO,
            "zero.c": "-> /dev/zero",
            "@good.c": GOOD["good.c"],
        }
        yield verifying(f"task: {name}", files, verdicts=_SAFE)


def _journals() -> Iterator[Case]:
    random = Random(1)
    contents: dict[str, bytes] = {
        "empty": b"",
        "text": b"hello\n" * 100,
        "random": random.randbytes(10_000),
        "a heading": b"SQLite format 3\0" + random.randbytes(5_000),
    }
    for name, content in contents.items():
        for command in ("show", "resume", "report", "runs"):
            arguments = (command,) if command == "runs" else (command, "d/x.journal")
            yield Case(
                f"journal: {command}, {name}",
                (*arguments, *(("--journal", "d") if command == "runs" else ())),
                {"d/x.journal": content},
                verdicts=_SAFE if command == "runs" else (),
            )


def _environments() -> Iterator[Case]:
    everything: dict[str, Mapping[str, str | None]] = {
        "no home": {"HOME": None},
        "a home that is missing": {"HOME": "/missing"},
        "a home that is a device": {"HOME": "/dev/null"},
        "a home of nobody": {"HOME": "/proc/1"},
        "a home that is empty": {"HOME": ""},
        "a state that is missing": {"XDG_STATE_HOME": "/proc/missing"},
        "a state that is a word": {"XDG_STATE_HOME": "x"},
        "no folder for temporary files": {"TMPDIR": "/missing"},
        "a device for temporary files": {"TMPDIR": "/dev/null"},
        "no path": {"PATH": ""},
        "another language": {"LANG": "xx", "LC_ALL": "xx"},
        "no UTF-8": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
        "odd columns": {"COLUMNS": "x", "LINES": "-1", "TERM": "\x1b[31m"},
        "headers of others": {"CPATH": "/etc", "C_INCLUDE_PATH": "/etc"},
        "a debugger": {"CLEAVE_DEBUG": ""},
        "a preload": {"LD_PRELOAD": "/missing.so"},
    }
    for name, environment in everything.items():
        for file in ("good.c", "good.bpl", "good.smt2"):
            yield Case(f"environment: {name}, {file}", (*_VERIFY, file, *_LIMITS), GOOD, environment, verdicts=_SAFE)
    for limit, value in (
        ("RLIMIT_NOFILE", 20),
        ("RLIMIT_FSIZE", 0),
        ("RLIMIT_FSIZE", 20_000),
        ("RLIMIT_AS", 300_000_000),
        ("RLIMIT_STACK", 200_000),
        ("RLIMIT_CPU", 1),
        ("RLIMIT_CORE", 0),
    ):
        for file in ("good.c", "good.bpl", "good.smt2"):
            yield Case(
                f"environment: {limit} {value}, {file}",
                (*_VERIFY, file, *_LIMITS),
                GOOD,
                limits={limit: value},
                verdicts=_SAFE,
            )
    for shell in (">&-", "2>&-", "<&-", ">/dev/full", "2>/dev/full", "| head -c 1 >/dev/null"):
        yield Case(f"environment: {shell}", (*_VERIFY, "good.bpl", *_LIMITS), GOOD, shell=shell, verdicts=_SAFE)


# --- what is almost right -------------------------------------------------------------------------------------------


def _mutations() -> Iterator[Case]:
    random = Random(7)
    ways: tuple[Callable[[bytes, Random], bytes], ...] = (
        lambda text, pick: text[: pick.randrange(len(text))],
        lambda text, pick: _at(text, pick, bytes([pick.randrange(256)])),
        lambda text, pick: _at(text, pick, b"\0"),
        lambda text, pick: _at(text, pick, b"\xff\xfe"),
        lambda text, pick: _at(text, pick, pick.choice((b"(", b")", b"{", b"}", b";", b"'", b'"', b"|", b"/*"))),
        lambda text, pick: _at(text, pick, b"9" * 300),
        lambda text, pick: b" ".join(pick.sample(text.split(b" "), len(text.split(b" ")))),
        lambda text, pick: text * 3,
        lambda text, pick: text.replace(b" ", b"\r\n"),
        lambda text, pick: text[: len(text) // 2] + pick.randbytes(40) + text[len(text) // 2 :],
    )
    for name, text in GOOD.items():
        for number, way in enumerate(ways):
            yield verifying(
                f"mutation: {name} {number}",
                {f"x.{name.rpartition('.')[2]}": way(text.encode(), random)},
                verdicts=_ANY,
            )


def _at(text: bytes, pick: Random, added: bytes) -> bytes:
    place = pick.randrange(len(text))
    return text[:place] + added + text[place:]
