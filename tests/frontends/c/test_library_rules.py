"""What C demands of the arguments of library functions, and of indices inside of objects: small programs that break its
rules, and some that keep them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import Options, verify
from cleave.frontends.c.options import COptions
from cleave.verdict import BoundedSafe, Result, Safe, Unsafe

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

HEAD = "".join(f"#include <{name}.h>\n" for name in ("assert", "ctype", "stdio", "stdlib", "string", "time", "unistd"))
OPENED = 'FILE *f = fopen("x", "r"); if (!f) return 1;'

WRONG = {
    "no file": ('FILE *f = fopen("x", "w"); fprintf(f, "%d", 1);', "through f, which is NULL"),
    "no file is read": ('char b[4]; FILE *f = fopen("x", "r"); fgets(b, 4, f);', "through f, which is NULL"),
    "no name": ('char *n = getenv("X"); FILE *f = fopen64(n, "r"); if (f) fclose(f);', "through n, which is NULL"),
    "no time": ("return localtime(0) != 0;", "null pointer"),
    "no date": ("struct tm *d = 0; return asctime(d)[0];", "through d, which is NULL"),
    "freed date": ('struct tm *d = calloc(1, sizeof *d); free(d); char b[9]; strftime(b, 9, "%Y", d);', "freed"),
    "closed twice": (f"{OPENED} fclose(f); fclose(f);", "freed"),
    "closed and read": (f"{OPENED} fclose(f); return fgetc(f);", "freed"),
    "printed after it was closed": (f'{OPENED} fclose(f); fputs("x", f);', "freed"),
    "too much is written": (
        "char b[3] = {0}; fwrite(b, 1, 4, stdout);",
        "4 bytes from index 0 on do not fit into b[3]",
    ),
    "too much, by the system": ("char b[3] = {0}; write(1, b, 4);", "4 bytes from index 0 on do not fit into b[3]"),
    "too much is compared": ('char b[3] = "ab"; return memcmp(b, "abc", 4);', "do not fit into b[3]"),
    "moved to the left": ('char b[8] = "abc"; strcpy(b, b + 1);', "strcpy is given memory that overlaps"),
    "moved a little": ('char b[8] = "abcdef"; strncpy(b, b + 1, 3);', "strncpy is given memory that overlaps"),
    "printed into itself": ('char b[20] = "ab"; sprintf(b, "%s%s", b, b);', "printf is given memory that overlaps"),
    "cut off and printed into itself": ('char b[9] = "a"; snprintf(b, 9, "%d %s", 7, b);', "overlaps"),
    "no argument": ('printf("%d %d", 1);', "printf is given too few arguments"),
    "no width": ('char b[9]; sprintf(b, "%*d", 3);', "sprintf is given too few arguments"),
    "no pointer to print": ('printf("%s", 5);', "printf is given no pointer for %s"),
    "no pointer to read to": ('int x = 0; scanf("%d", x);', "scanf is given no pointer for %d"),
    "null is printed": ('char *p = 0; printf("%s", p);', "null pointer for %s"),
    "no character": ("return isalpha(getchar() * 256);", "<ctype.h>"),
    "row": ("static int a[3][4]; int j = getchar() & 7; if (j > 4) return 0; return a[1][j];", "int[4]"),
    "member": ("struct { int a[4], b; } s = {{0}}; int i = getchar() & 7; return i > 4 ? 0 : s.a[i];", "int[4]"),
    "first member": ("static struct { int a[4], b; } s; int i = getchar() & 7; return i > 4 ? 0 : s.a[i];", "int[4]"),
    "constant index": ("static int a[3][4]; return a[1][4];", "index 4 is outside of an array int[4]"),
    "variable length": ("int n = 1 + (getchar() & 3), a[n]; a[n] = 1;", "is outside of a["),
}
RIGHT = {
    "files": f'{OPENED} int c = fgetc(f); fclose(f); fprintf(stderr, "x"); fflush(0); assert(c < 256);',
    "dates": 'char b[9]; time_t t = time(0); struct tm *d = gmtime(&t); if (d) strftime(b, 9, "%Y", d);',
    "renamed": 'FILE *f = popen("ls", "r"); if (f) pclose(f); rename("a", "b"); remove("b"); assert(1);',
    "standard files": "FILE *f = getchar() ? stdin : stdout; int c = fgetc(f); assert(c >= -1); fclose(f);",
    "compared": 'char b[4] = "abc"; assert(memcmp(b, "abd", 4) < 0); fwrite(b, 2, 2, stdout); write(1, b, 4);',
    "apart": 'char b[9] = "a"; strcpy(b + 2, b); strncpy(b, b + 1, 1); assert(b[0] == 0 && b[2] == 97);',
    "printed": 'char b[9] = "a"; snprintf(b + 3, 3, "%.1s", b); assert(b[3] == 97);',
    "characters": "int c = getchar(); if (isdigit(c)) assert(c - 48 < 10u);",
    "row": "static int a[3][4]; int s = 0; for (int *p = a[1]; p < &a[1][4]; p++) s += *p; assert(s == 0);",
    "last member": "struct s { int n; char d[1]; } *p = malloc(9); if (p) p->d[3] = 1; free(p);",
    "format": 'int x = 0; char c; printf("%%%5d%s", x, "x"); if (scanf("%*d %d%%%1c", &x, &c) == 2) puts("x");',
}


def result(body: str, folder: Path, c: COptions | None = None) -> Result:
    (folder / "t.c").write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    options = Options(engine="inline", timelimit=60, workers=1, journal=None, c=c or COptions(checks=("memory",)))
    return verify(str(folder / "t.c"), options)


@pytest.mark.parametrize(("body", "said"), WRONG.values(), ids=WRONG)
def test_wrong(body: str, said: str, tmp_path: Path) -> None:
    found = result(body, tmp_path).verdict
    assert isinstance(found, Unsafe), found
    assert said in found.trace.violated


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_right(body: str, tmp_path: Path) -> None:
    found = result(body, tmp_path, COptions(checks=("assertions", "memory"))).verdict
    assert isinstance(found, Safe | BoundedSafe), found


def test_a_file_that_is_closed_is_no_leak(tmp_path: Path) -> None:
    found = result(f"{OPENED} fclose(f);", tmp_path, COptions(checks=("leaks",))).verdict
    assert isinstance(found, Safe), found
    assert isinstance(result(OPENED, tmp_path, COptions(checks=("leaks",))).verdict, Unsafe)


def test_whole_objects_alone_as_sv_comp_has_them(tmp_path: Path) -> None:
    body = WRONG["row"][0]
    assert isinstance(result(body, tmp_path, COptions(checks=("valid-deref",))).verdict, Safe)
    assert isinstance(result(body, tmp_path, COptions(checks=("memory",), array_bounds=False)).verdict, Safe)
