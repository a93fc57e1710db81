"""Random small C programs about memory, most with a defect for some input: accesses outside of objects, through null,
freed or dead pointers, frees of what is not allocated, writes to constants.

    random_memory_program(seed)         "int __VERIFIER_nondet_int(void); … int main(void) { int n = …; if (n < 0 || …

The only input is ``n``, one number or all from 0 to `INPUTS` - 1, so that all executions can be run. Pointers never go
further from their object than the compiler's checks see.
"""

from __future__ import annotations

import random

INPUTS = 4
_HEAD = """\
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
static int ga[3], gb[5];
static const int gc[2] = {7, 8};
struct pair { int x; int *link; };
static struct pair gs = {1, ga};
static int *kept;
static int sum;
static int get(int *p, int i) { return p[i]; }
static void put(int *p, int i) { p[i] = i; }
static int *same(int *p) { return p; }
static int *dead(int v) { int here[2] = {v, v}; int *p = here; return p; }
static void keep(int v) { int here = v; kept = &here; *kept = v + 1; }
static int *fresh(int k) { int *p = malloc(k * sizeof *p); for (int i = 0; i < k; i++) p[i] = i; return p; }
static void drop(int **p) { free(*p); if (sum & 1) *p = NULL; }
static struct pair *node(int *p) { struct pair *q = malloc(sizeof *q); q->x = 2; q->link = p; return q; }
"""


class _Writer:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._depth = 0

    def program(self) -> str:
        only = self._random.choice((*range(INPUTS), *[None] * 2))
        test = f"n < 0 || n >= {INPUTS}" if only is None else f"n != {only}"
        body = "".join(self._statement() for _ in range(self._random.randint(2, 6)))
        return (
            f"{_HEAD}int main(void) {{\n  int n = __VERIFIER_nondet_int();\n  if ({test}) return 0;\n"
            "  int la[4] = {0}, lb[2] = {0}; struct pair ls = {3, lb}, *s = &ls;\n"
            '  int *p = la, *q = gb, *r = NULL; char text[4] = "abc"; kept = ga;\n'
            f"{body}  return sum & 1;\n}}\n"
        )

    def _one(self, *choices: str) -> str:
        return self._random.choice(choices)

    def _number(self) -> str:
        return self._one("0", "0", "1", "1", "2", "3", "n", "n", "n - 1", "(n & 1)", "-1")

    def _pointer(self) -> str:
        return self._one("p", "p", "q", "r", "kept")

    def _array(self) -> str:
        return self._one("la", "lb", "ga", "gb")

    def _value(self) -> str:
        array, pointer = self._array(), self._pointer()
        return self._one(
            *(array, f"{array} + {self._one('0', '1', 'n')}", pointer, "NULL", f"same({pointer})", "s->link"),
            *(f"fresh({self._one('1', '2', 'n + 1')})", f"malloc({self._one('4', '8', '4 * n', '12')})"),
            *(f"calloc({self._one('1', '2', 'n')}, 4)", "&s->x", "&gs.x", f"dead({self._number()})", "(int *)gc"),
            f"(n > 1 ? {array} : {pointer})",
        )

    def _statement(self) -> str:
        if self._depth < 2 and self._random.random() < 0.35:
            return "  " + self._nested() + "\n"
        pointer, array, number = self._pointer(), self._array(), self._number()
        simple = (
            *[f"{pointer} = {self._value()};"] * 4,
            f"if ({pointer}) {pointer}[{number}] = 4;",
            f"{pointer}[{self._one('0', number)}] = 5;",
            f"if ({pointer}) sum += *{pointer};",
            *(f"sum += {array}[{number}];", f"{array}[{number}]++;", f"sum += get({array}, {number});"),
            *(f"free({pointer});", f"drop(&{pointer});", f"keep({number});"),
            f"if ({pointer}) put({pointer}, {number});",
            *(f"s = node({pointer});", "free(s); s = &gs;", f"s->link = {pointer};", "if (s->link) *s->link = 6;"),
            f"if ({pointer}) {pointer} = realloc({pointer}, {self._one('4', '12', '4 * n + 4')});",
            f"memset({array}, 0, {self._one('4', '8', '4 * n', '16')});",
            f"if ({pointer}) memmove({array}, {pointer}, {self._one('4', '8', '4 * n')});",
            *(f"text[{self._one('3', 'n', 'n + 1')}] = 'x';", "sum += strlen(text);"),
            'strcpy(text, n > 2 ? "ab" : "abc");',
        )
        return f"  {self._random.choice(simple)}\n"

    def _nested(self) -> str:
        self._depth += 1
        body = " ".join(self._statement().strip() for _ in range(self._random.randint(1, 2)))
        self._depth -= 1
        pointer = self._pointer()
        return self._one(
            f"if (n == {self._one('0', '1', '3')}) {{ {body} }}",
            f"if (n > 1) {{ {body} }} else {{ {pointer} = {self._value()}; }}",
            f"for (int i = 0; i < {self._one('2', '3', 'n')}; i++) {{ sum += {self._array()}[i]; {body} }}",
            f"{{ int z{self._depth}[2] = {{1, 2}}; {pointer} = z{self._depth}; {body} }}",
        )


def random_memory_program(seed: int) -> str:
    return _Writer(seed).program()
