"""Random small C functions with defects of every kind for some of their inputs: overflow, division, shifts, memory,
leaks.

    random_defects(7)       static int program(int n) { int a = 3, b = -7, … a = b / (n - 1); … return a; }

``n`` is one of the numbers below `INPUTS`, so that all executions can be run. Without a defect in its way, a program
ends, and has freed what it allocated or not, which is a defect, too.
"""

from __future__ import annotations

import random

INPUTS = 3
_BIG = ("2147483647", "-2147483647", "1073741824", "65536", "46341", "-3", "1", "7")
HEAD = """\
#include <stdlib.h>
#include <string.h>
#include <limits.h>
"""


class _Writer:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._depth = 0

    def program(self, name: str) -> str:
        body = "".join(self._statement() for _ in range(self._random.randint(2, 6)))
        frees = self._one("free(p); ", "free(p); ", "if (n != 1) free(p); ", "")
        made = self._one("malloc(8)", "malloc(4 * n + 4)", "calloc(2, 4)", "NULL", "NULL")
        return (
            f"static int {name}(int n) {{\n  int a = {self._one(*_BIG)}, b = {self._one(*_BIG)}, c = n + 2;"
            " unsigned u = 5; long w = 1L << 40;\n  int arr[4] = {1, 2, 3, 4}; short t = 9;\n"
            f"  int *p = {made}, *q = arr;\n{body}  {frees}return (a ^ b ^ c ^ t ^ (int)u) & 1;\n}}\n"
        )

    def _one(self, *choices: str) -> str:
        return self._random.choice(choices)

    def _number(self) -> str:
        return self._one("a", "b", "c", "n", "n - 1", "t", "arr[n]", "(a & 3)", *_BIG[:5], "2", "0")

    def _small(self) -> str:
        return self._one("n", "n + 1", "n - 1", "c", "(a & 3)", "2", "3", "n * 2")

    def _statement(self) -> str:
        if self._depth < 2 and self._random.random() < 0.25:
            self._depth += 1
            inner = self._statement().strip()
            head = self._one("if (n == 1)", "if (a > b)", "if (c & 1)", "for (int i = 0; i < 3; i++)", "if (p)")
            self._depth -= 1
            return f"  {head} {{ {inner} }}\n"
        x, y, i = self._number(), self._number(), self._small()
        to = self._one("a", "b", "c")
        return (
            "  "
            + self._one(
                f"{to} = {x} {self._one('+', '-', '*')} {y};",
                f"{to} = {x} {self._one('/', '%')} {self._one(i, y)};",
                f"{to} = {x} {self._one('<<', '>>')} {self._one(i, '30', '31', 'c * 8')};",
                f"{to} += {y};",
                f"{to}++;",
                f"{to} = -({x});",
                f"u = u * 3 + {i};",
                f"u <<= {i};",
                f"w = w * {y};",
                f"t = (short)(t + {i});",
                f"arr[{i}] = {x};",
                f"{to} = q[{i}];",
                f"q = arr + {self._one('0', '1', '2')};",
                "q = p ? p : arr;",
                f"if (p) p[{self._one('0', '1', 'n')}] = {x};",
                "if (n == 2) { free(p); p = NULL; }",
                "if (n == 2) free(p);",
                "if (!p) p = malloc(8);",
                f"if (p) memset(p, 0, {self._one('4', '8', '4 * n')});",
                f"memcpy(arr, arr + 2, {self._one('4', '8', '4 * n')});",
                f"{to} = abs({x});",
                "{ int z = 4; q = &z; }" if self._random.random() < 0.3 else f"{to} = {i};",
            )
            + "\n"
        )


def random_defects(seed: int, name: str = "program") -> str:
    return _Writer(seed).program(name)
