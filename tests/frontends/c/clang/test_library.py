"""The functions of the C library that are given as C, on concrete values."""

from __future__ import annotations

import pytest

from cleave.frontends.c.clang.compile import compile_c
from cleave.frontends.c.clang.library import FILES, FOLDER, is_wanted, provided, source
from cleave.frontends.c.llvm.reader import read_module
from cleave.frontends.c.options import COptions
from cleave.frontends.c.read import read_c
from support.ir_execution import Execution

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

CLAIMS = (
    'strlen("abc") == 3',
    'strnlen("abc", 2) == 2',
    'strcmp("ab", "ac") < 0 && strcmp("b", "ab") > 0 && strcmp("", "") == 0',
    'strcmp("\\xff", "a") > 0',
    'strncmp("abc", "abd", 2) == 0 && strncmp("abc", "abd", 3) < 0',
    "strchr(\"abc\", 'c')[0] == 'c' && strchr(\"abc\", 'x') == 0 && *strchr(\"abc\", 0) == 0",
    "strrchr(\"abab\", 'a')[1] == 'b'",
    'strspn("aab", "a") == 2 && strcspn("aab", "b") == 2 && *strpbrk("xyz", "zy") == \'y\'',
    'strstr("hello", "ll")[2] == \'o\' && strstr("hello", "x") == 0',
    'memcmp("abc", "abd", 3) < 0 && memchr("abc", \'c\', 2) == 0',
    'strcmp(strdup("ab"), "ab") == 0',
    'atoi(" -42x") == -42 && strtol("0x1f", 0, 0) == 31 && strtol("17", 0, 8) == 15',
    "(strtol(none, &end, 16) == 0 && end == none + 1) && (strtol(none, &end, 0) == 0 && end == none + 1)",
    'atoi("2147483648") == -2147483647 - 1 && atoi("-99999999999999999999999") == 0',
    'strtol("9223372036854775808", 0, 10) == 9223372036854775807 && strtol("-9223372036854775809", 0, 10) < 0',
    'strtoul("18446744073709551616", 0, 10) == ~0UL && strtoul("-1", 0, 10) == ~0UL',
    "fabs(-2.5) == 2.5 && floor(-1.5) == -2 && ceil(1.25f) == 2 && fmax(1, 3) == 3 && isnan(0.0 / 0) && !isinf(1.0)",
    "sorted() == 123 && searched(2) == 1 && searched(4) == -1",
    "parts() == 0x6162 && ffs(8) == 4 && ffs(0) == 0",
    'strcasecmp("aBc", "AbC") == 0 && strncasecmp("abX", "aby", 3) < 0 && strcmp(strndup("abc", 2), "ab") == 0',
    "sqrt(2) == 1.4142135623730951 && fmod(-5.5, 2) == -1.5 && round(2.5) == 3 && rint(2.5) == 2 && fma(3, 5, 1) == 16",
    "cimag((3 + 4 * I) * (3 + 4 * I)) == 24 && strtod(number, &end) == -0.125 && end == number + 7 && *end == 'e'",
    "abs(-3) == 3 && labs(-4L) == 4 && toupper('q') == 'Q' && isspace('\\t') && !isdigit('a')",
)

# With macros for deadlocks, cancelling and detaching.
ONLY_SOMETIMES = {
    *(
        "__cleave_await",
        "__cleave_ending",
        "__cleave_starting",
        "pthread_cancel",
        "pthread_testcancel",
        "sleep",
        "usleep",
    ),
    *("pthread_detach", "thrd_detach", "used_again"),
}
USERS = """
char none[] = "0xg", number[] = " -0.125e", *end;
int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int sorted(void) { int a[3] = {3, 1, 2}; qsort(a, 3, sizeof(int), order); return a[0] * 100 + a[1] * 10 + a[2]; }
int searched(int key) { int a[3] = {1, 2, 3}; int *p = bsearch(&key, a, 3, sizeof(int), order); return p ? p - a : -1; }
int parts(void) { char t[] = ",a,,b"; char *a = strtok(t, ","), *b = strtok(0, ",");
  return strtok(0, ",") ? -1 : a[0] << 8 | b[0]; }
"""


@pytest.mark.parametrize("claim", CLAIMS)
def test_claim(claim: str) -> None:
    source = f"""#include <assert.h>
#include <complex.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
{USERS}
int main(void) {{ assert({claim}); assert(0); }}"""
    program = read_c({"t.c": source.encode()}, COptions(checks=("assertions",))).program
    run = Execution(program)
    assert run.run("main") == "violated"
    assert run.violated == "assertion 0"


@pytest.mark.parametrize("file", FILES)
def test_the_list_of_functions_is_read_from_their_source(file: str) -> None:
    name, content = source(file)
    module = read_module(compile_c(name, content, COptions(bits=64, includes=(str(FOLDER),))), name)
    defined = {one.name for one in module.functions.values() if one.blocks and not one.internal}
    assert defined <= provided(file)
    assert provided(file) - {one.name for one in module.functions.values() if one.blocks} <= ONLY_SOMETIMES


def test_a_file_is_linked_only_for_what_is_used() -> None:
    modules = [
        read_module(compile_c("t.c", b"int isdigit(int); int main(void) { return isdigit(1); }", COptions()), "t.c")
    ]
    assert [file for file in FILES if is_wanted(file, modules)] == ["ctype.c"]
