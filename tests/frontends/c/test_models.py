"""What functions of the C library do to memory, to errno and to the end of a program: verdicts on small programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import Options, verify
from cleave.frontends.c.options import COptions
from cleave.verdict import BoundedSafe, Safe, Unknown, Unsafe, Verdict

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

HEADS = "assert complex ctype errno fcntl math signal stdint stdio stdlib string sys/stat unistd wchar"
HEAD = "#define _GNU_SOURCE\n" + "".join(f"#include <{name}.h>\n" for name in HEADS.split())

COUNTED = "static int n; static void f(int s) { n++; }"
RIGHT = {
    "ctype": "int main(void) { assert(isdigit('7') && !isalpha('7') && isspace('\\t') && toupper('q') == 'Q'); }",
    "tables": "int main(void) { assert((*__ctype_b_loc())['7'] & 2048 && (*__ctype_tolower_loc())['Q'] == 'q'); }",
    "errno": "int main(void) { assert(errno == 0); errno = 3; assert(errno == 3); }",
    "errno is kept": "int main(void) { errno = 0; double d = fabs(-4); assert(errno == 0 && d == 4); }",
    "errno is set": 'int main(void) { strtol("99999999999999999999", 0, 10); assert(errno == ERANGE); }',
    "classes": "int main(void) { float x = 2; assert(__fpclassifyf(x) == 4 && isnormal(x) && isfinite(x)); }",
    "nan": 'int main(void) { assert(isnan(nan("")) && !isnan(1.0) && __isinf(-1 / 0.0) == -1); }',
    "complex": "int main(void) { double complex z = CMPLX(3, 4); assert(creal(z) == 3 && cimag(z) == 4); }",
    "result of printf": 'int main(void) { int n = printf("%d\\n", 42); assert(n == 3 || n < 0); }',
    "sprintf": "int main(void) { char b[8]; assert(sprintf(b, \"%c%d\", 'n', 7) == 2 && b[1] == '7' && b[2] == 0); }",
    "cut off": "int main(void) { char b[4]; assert(snprintf(b, 2, \"%d\", 45) == 2 && b[0] == '4' && b[1] == 0); }",
    "modf": "int main(void) { double w, f = modf(2.5, &w); assert(w == 2 && f == 0.5); }",
    "frexp": "int main(void) { int e; assert(frexp(8, &e) == 0.5 && e == 4); }",
    "end of a number": "int main(void) { char t[] = \"7x\", *e; assert(strtol(t, &e, 10) == 7 && *e == 'x'); }",
    "last bytes": 'int main(void) { char b[4] = "12"; assert(mempcpy(b, "x", 1) == b + 1 && b[1] == 50); }',
    "swab": "int main(void) { char b[3] = \"\"; swab(\"ab\", b, 2); assert(b[0] == 'b' && b[1] == 'a'); }",
    "read": "int main(void) { char b[2] = {1, 2}; if (read(0, b, 1) < 1) assert(b[0] == 1); assert(b[1] == 2); }",
    "scanf": 'int main(void) { int x = 1; if (scanf("%d", &x) < 1) assert(x == 1); }',
    "getline": "int main(void) { char *l = 0; size_t n = 0; if (getline(&l, &n, stdin) == 1) assert(l[1] == 0); }",
    "aligned": "int main(void) { void *p = &p; if (posix_memalign(&p, 3, 8)) assert(p == &p); else assert(0); }",
    "huge": "int main(void) { assert(malloc(SIZE_MAX) == 0 && calloc(SIZE_MAX, 2) == 0); }",
    "at the end": "static int x; static void f(void) { assert(x == 1); } int main(void) { atexit(f); x = 1; }",
    "the last is first": "static int x; static void f(void) { assert(x); } static void g(void) { x = 1; }"
    " int main(void) { atexit(f); atexit(g); exit(3); }",
    "no end": "static void f(void) { assert(0); } int main(void) { atexit(f); _Exit(0); }",
    "signal": "static int x; static void f(int s) { x = s; }"
    " int main(void) { signal(SIGUSR1, f); raise(SIGUSR1); assert(x == SIGUSR1); }",
    "no handler": "int main(void) { raise(SIGTERM); assert(0); }",
    "a blocked signal waits": f"{COUNTED} int main(void) {{ sigset_t s; sigemptyset(&s); sigaddset(&s, 10);"
    " sigprocmask(SIG_BLOCK, &s, 0); raise(10); assert(n == 0); sigprocmask(SIG_UNBLOCK, &s, 0); assert(n == 1); }",
    "a signal in its handler waits": "static int n, in; static void f(int s) { assert(!in); in = 1; if (n++ < 1)"
    " raise(s); in = 0; } int main(void) { signal(SIGUSR1, f); raise(SIGUSR1); assert(n == 2); }",
    "handled once": f"{COUNTED} int main(void) {{ struct sigaction a = {{.sa_handler = f, .sa_flags = SA_RESETHAND}};"
    " sigaction(SIGCHLD, &a, 0); raise(SIGCHLD); raise(SIGCHLD); assert(n == 1); }",
    "ignored": "static int x; int main(void) { signal(SIGTERM, SIG_IGN); assert(raise(SIGTERM) == 0); }",
}
WRONG = {
    "ctype": "int main(void) { assert(!isdigit('7')); }",
    "sprintf writes": 'int main(void) { char b[8] = "abc"; sprintf(b, "xyz"); assert(b[0] == \'a\'); }',
    "snprintf writes": 'int main(void) { char b[8] = "abc"; snprintf(b, 8, "%d", 5); assert(b[0] == \'a\'); }',
    "printf writes": 'int main(void) { int n = 1; printf("abc%n", &n); assert(n == 1); }',
    "strtod writes": 'int main(void) { char *t = "1x", *e = t; strtod(t, &e); assert(e == t); }',
    "stat writes": 'int main(void) { struct stat s = {0}; stat("f", &s); assert(s.st_size == 0); }',
    "pipe writes": "int main(void) { int p[2] = {7, 7}; pipe(p); assert(p[1] == 7); }",
    "posix_memalign writes": "int main(void) { void *p = 0; posix_memalign(&p, 8, 8); assert(p == 0); }",
    "getline writes": "int main(void) { char *l = 0; size_t n = 0; getline(&l, &n, stdin); assert(l == 0); }",
    "stpncpy writes": 'int main(void) { char b[4] = "abc"; stpncpy(b, "x", 1); assert(b[0] == \'a\'); }',
    "wcscpy writes": 'int main(void) { wchar_t b[4] = L"abc"; wcscpy(b, L"x"); assert(b[0] == L\'a\'); }',
    "sprintf depends on input": "int main(void) { char b[4]; sprintf(b, \"%c\", getchar()); assert(b[0] != 'z'); }",
    "at the end": "static void f(void) { assert(0); } int main(void) { atexit(f); return 0; }",
    "at exit": "static void f(void) { assert(0); } int main(void) { atexit(f); exit(0); }",
    "signal": "static void f(int s) { assert(s != 10); } int main(void) { signal(SIGUSR1, f); raise(SIGUSR1); }",
    "sigaction": f"{COUNTED} int main(void) {{ struct sigaction a = {{0}}; a.sa_handler = f; sigaction(2, &a, 0);"
    " raise(2); assert(n == 0); }",
    "kill": f"{COUNTED} int main(void) {{ signal(SIGUSR1, f); kill(getpid(), SIGUSR1); assert(n == 0); }}",
    "alarm": f"{COUNTED} int main(void) {{ signal(SIGALRM, f); alarm(1); pause(); assert(n == 0); }}",
    "abort": "static void f(int s) { assert(0); } int main(void) { signal(SIGABRT, f); abort(); }",
    "after malloc": "int main(void) { size_t n = SIZE_MAX - getchar(); char *p = malloc(n); assert(n < 5); free(p); }",
    "order of equal elements": "static int same(const void *a, const void *b) { return 0; }"
    " int main(void) { char a[2] = {1, 2}; qsort(a, 2, 1, same); assert(a[0] == 1); }",
}
UNKNOWN = {
    "environment": "int main(int n, char **a, char **e) { assert(e != 0); }",
    "environment of the library": "extern char **environ; int main(void) { assert(environ[0] == 0); }",
    "no model": "int main(void) { assert(sin(1) < 0.9); }",
    "errno of what has no model": "int main(void) { errno = 0; double x = pow(2, 3); assert(errno == 0 || x != x); }",
    "text of a float": "int main(void) { char b[400]; sprintf(b, \"%f\", 1.5); assert(b[0] == '1'); }",
    "format": "char f[9]; int main(void) { int x = 1; printf(f, &x); assert(x == 1); }",
    "message": "int main(void) { assert(strerror(1)[0] == 'O'); }",
    "sscanf": 'int main(void) { int x; sscanf("5", "%d", &x); assert(x == 5); }',
}


def verdict(text: str, folder: Path) -> Verdict:
    (folder / "t.c").write_text(HEAD + text)
    return verify(
        str(folder / "t.c"), Options(engine="inline", timelimit=60, workers=1, c=COptions(checks=("assertions",)))
    ).verdict


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_right(text: str, tmp_path: Path) -> None:
    found = verdict(text, tmp_path)
    assert isinstance(found, Safe | BoundedSafe), found


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_wrong(text: str, tmp_path: Path) -> None:
    found = verdict(text, tmp_path)
    assert isinstance(found, Unsafe), found


@pytest.mark.parametrize("text", UNKNOWN.values(), ids=UNKNOWN)
def test_unknown(text: str, tmp_path: Path) -> None:
    found = verdict(text, tmp_path)
    assert isinstance(found, Unknown), found
    assert "depends on" in found.detail
