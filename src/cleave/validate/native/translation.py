"""A sequential program as one C function with a stack of its own, for `execution`.

Each stretch of statements between calls is a case of a ``switch``; variables are slots of 128 bit in a frame; every
operator is a function that gets the width. So the whole state can be written down at any stretch, and nothing here
looks like the translation that `engines.executions` makes.

    case 3: s3: ... f[4] = bvadd(f[4], 1, 32); pc = 1; break;

What is asked for beyond the given inputs ends the run with ``asked``; in a strict run also what is not initialised,
element by element of arrays, and a choice between blocks.
"""

from __future__ import annotations

from collections.abc import Iterator

from cleave.errors import UnsupportedError
from cleave.frontends.c.clang.machine_code import C_RUNTIME
from cleave.ir.program import Assert, Assign, Assume, Block, Call, Havoc, Procedure, Program, Statement
from cleave.logic.floats.circuits import circuit
from cleave.logic.floats.operations import FLOATING
from cleave.logic.sorts import Sort
from cleave.logic.terms import TRUE, Op, Term
from cleave.logic.walk import postorder
from cleave.records import dataclass
from cleave.validate.native.operators import FUNCTIONS, call
from cleave.validate.semantics.liveness import live_at_entry

_HEADER = 2  # slots of a frame before its variables: where to go on, and the frame below
_MOST_STATEMENTS = 100_000
_LONGEST = 400  # characters of an expression that is written into the one that uses it


@dataclass(frozen=True, slots=True)
class Stretch:
    """Statements from ``position`` in ``block`` on, up to the next call or the block's end."""

    procedure: Procedure
    block: Block
    position: int


class Translation:
    """The text, and what the numbers in a written state mean."""

    def __init__(self, program: Program, entry: str) -> None:
        statements = sum(len(b.statements) for p in program.procedures.values() for b in p.blocks.values())
        if statements > _MOST_STATEMENTS:
            raise UnsupportedError("the program is too large for machine code")
        self.program = program
        self.shared = (*program.constants, *program.globals)
        self._entry = program.procedures[entry]
        self.stretches: list[Stretch] = []
        self._numbers: dict[tuple[str, str, int], int] = {}
        for procedure in program.procedures.values():
            for block in procedure.blocks.values():
                starts = [0, *(at + 1 for at, one in enumerate(block.statements) if isinstance(one, Call))]
                for start in starts:
                    self._numbers[procedure.name, block.label, start] = len(self.stretches)
                    self.stretches.append(Stretch(procedure, block, start))

    @staticmethod
    def own(procedure: Procedure) -> tuple[Term, ...]:
        return (*procedure.parameters, *procedure.returns, *procedure.locals)

    def text(self) -> str:
        cases = [line for number, one in enumerate(self.stretches) for line in self._case(number, one)]
        arrays = "".join(str(int(v.sort.is_array)) for v in self.shared)
        live = live_at_entry(self.program, self._entry)
        own = {*self.shared, *self._entry.parameters, *self._entry.returns, *self._entry.locals}
        asks = any(not variable.sort.is_array for variable in live & own)
        return "\n".join(
            [
                C_RUNTIME,
                FUNCTIONS,
                f"enum {{ SHARED = {len(self.shared)} }};",
                f'static const char shared_arrays[] = "{arrays}";',
                self._frame_arrays(),
                _STATE,
                "static void run(void) {",
                f'  if (strict && {int(asks)}) answer("asked");',
                *self._start(),
                "  for (;;) { if (steps >= stop) write_state(); steps++; switch (pc) {",
                *cases,
                "  } }",
                "}",
                _MAIN,
            ]
        )

    def _frame_arrays(self) -> str:
        """For each stretch, which variables of its frame are arrays: what a written state says of them differs."""
        rows = ", ".join(
            '"' + "".join(str(int(v.sort.is_array)) for v in self.own(one.procedure)) + '"' for one in self.stretches
        )
        return f"static const char *const frame_arrays[] = {{{rows or '0'}}};"

    def _start(self) -> Iterator[str]:
        for number, variable in enumerate(self.shared):
            _check(variable.sort)
            if variable.sort.is_array:
                yield f"  g[{number}] = (W)(u64)blank_map();"
        yield "  f = stack; f[0] = (W)-1; f[1] = 0;"
        yield from self._fresh(self._entry)
        for number, variable in enumerate(self._entry.parameters):
            if variable.sort.is_array:
                raise UnsupportedError("arrays as arguments are not executed in machine code")
            yield f"  if (!strict) f[{_HEADER + number}] = ask({_bits(variable.sort)});"
        yield f"  pc = {self._number(self._entry, self._entry.entry.label)};"

    def _number(self, procedure: Procedure, label: str, position: int = 0) -> int:
        return self._numbers[procedure.name, label, position]

    def _fresh(self, procedure: Procedure) -> Iterator[str]:
        """Of a frame at ``f``: returns and locals are zero, and of arrays no element is set."""
        own = self.own(procedure)
        yield f"  room(f + {_HEADER + len(own)});"
        for number, variable in enumerate(own):
            _check(variable.sort)
            if number >= len(procedure.parameters):
                yield f"  f[{_HEADER + number}] = {'(W)(u64)blank_map()' if variable.sort.is_array else '0'};"

    # --- stretches ----------------------------------------------------------------------------------------------------

    def _case(self, number: int, stretch: Stretch) -> Iterator[str]:
        procedure, block = stretch.procedure, stretch.block
        places = {variable: f"g[{at}]" for at, variable in enumerate(self.shared)}
        places |= {variable: f"f[{_HEADER + at}]" for at, variable in enumerate(self.own(procedure))}
        yield f"  case {number}: {{"
        for position in range(stretch.position, len(block.statements)):
            statement = block.statements[position]
            if isinstance(statement, Call):
                yield from self._call(statement, places, procedure, self._number(procedure, block.label, position + 1))
                yield "  break; }"
                return
            yield from self._statement(statement, places)
        yield from self._jump(procedure, block, places)
        yield "  break; }"

    def _statement(self, statement: Statement, places: dict[Term, str]) -> Iterator[str]:
        values = _Values(places)
        match statement:
            case Assume(condition):
                done = [f'    if (!{values.text(condition)}) answer("ended");']
            case Assert(condition):
                done = [f'    if (!{values.text(condition)}) answer("failed");']
            case Assign(targets, terms):
                done = self._assigned(targets, terms, places, values)
            case Havoc(targets):
                done = [f"    {places[target]} = ask({_bits(target.sort)});" for target in targets]
            case _:
                raise UnsupportedError("threads are not executed in machine code")
        yield "    {"
        yield from values.lines
        yield from done
        yield "    }"

    @staticmethod
    def _assigned(
        targets: tuple[Term, ...], terms: tuple[Term, ...], places: dict[Term, str], values: _Values
    ) -> list[str]:
        """Numbers are computed before any array changes, and assigned at the end."""
        pairs = list(zip(targets, terms, strict=True))
        arrays = [(target, term) for target, term in pairs if target.sort.is_array]
        if len(arrays) > 1:
            raise UnsupportedError("several arrays that change at once are not executed in machine code")
        numbers = [(places[target], values.text(term)) for target, term in pairs if not target.sort.is_array]
        done = [f"    W v{at} = {text};" for at, (_, text) in enumerate(numbers)]
        for target, term in arrays:
            done.append(f"    {places[target]} = moved({places[target]}, {values.array(target, term)});")
        return [*done, *(f"    {place} = v{at};" for at, (place, _) in enumerate(numbers))]

    def _call(self, call: Call, places: dict[Term, str], caller: Procedure, after: int) -> Iterator[str]:
        callee = self.program.procedures[call.procedure]
        values = _Values(places)
        arguments = [values.text(argument) for argument in call.arguments]
        yield from values.lines
        if any(variable.sort.is_array for variable in (*callee.parameters, *callee.returns)):
            raise UnsupportedError("arrays as arguments are not executed in machine code")
        if not callee.has_body:
            shared = {variable: f"g[{at}]" for at, variable in enumerate(self.shared)}
            for variable in callee.modifies:
                yield f"    {shared[variable]} = ask({_bits(variable.sort)});"
            for result, variable in zip(call.results, callee.returns, strict=True):
                yield f"    {places[result]} = ask({_bits(variable.sort)});"
            yield f"    pc = {after};"
            return
        size = _HEADER + len(self.own(caller))
        yield f"    W *n = f + {size}; room(n + {_HEADER + len(self.own(callee))});"
        for at, text in enumerate(arguments):
            yield f"    n[{_HEADER + at}] = {text};"
        yield f"    n[0] = {after}; n[1] = {size}; f = n;"
        yield from self._fresh(callee)
        live = live_at_entry(self.program, callee)
        if any(not variable.sort.is_array for variable in live & {*callee.returns, *callee.locals}):
            yield '    if (strict) answer("asked");'
        yield f"    pc = {self._number(callee, callee.entry.label)};"

    def _jump(self, procedure: Procedure, block: Block, places: dict[Term, str]) -> Iterator[str]:
        if not block.successors:
            yield from self._return(procedure)
        elif len(block.successors) == 1:
            yield f"    pc = {self._number(procedure, block.successors[0])};"
        else:
            yield f"    int many = 0, to[{len(block.successors)}];"
            values, tests = _Values(places), []
            for label in block.successors:
                first = next(iter(procedure.blocks[label].statements), None)
                condition = first.condition if isinstance(first, Assume) else TRUE
                tests.append(f"    if ({values.text(condition)}) to[many++] = {self._number(procedure, label)};")
            yield from (*values.lines, *tests)
            yield '    if (!many) answer("ended");'
            yield '    if (many > 1 && strict) answer("asked");'
            yield "    pc = to[many > 1 ? (int)((u64)ask(64) % many) : 0];"

    def _return(self, procedure: Procedure) -> Iterator[str]:
        """Whoever called is known by the number of the stretch that comes after: its call says where results go."""
        yield '    if (f[0] == (W)-1) answer("ended");'
        yield "    W *c = f - (u64)f[1]; pc = (u64)f[0];"
        returns = [f"f[{_HEADER + len(procedure.parameters) + at}]" for at in range(len(procedure.returns))]
        sites = [(number, one) for number, one in enumerate(self.stretches) if self._called(one) is not None]
        yield "    switch (pc) {"
        for number, one in sites:
            called = self._called(one)
            if called is None or called.procedure != procedure.name or not called.results:
                continue
            own = {variable: f"c[{_HEADER + at}]" for at, variable in enumerate(self.own(one.procedure))}
            own = {variable: f"g[{at}]" for at, variable in enumerate(self.shared)} | own
            puts = " ".join(f"{own[target]} = {value};" for target, value in zip(called.results, returns, strict=True))
            yield f"      case {number}: {puts} break;"
        yield "    }"
        yield "    f = c;"

    @staticmethod
    def _called(stretch: Stretch) -> Call | None:
        """The call before it."""
        before = stretch.block.statements[stretch.position - 1] if stretch.position else None
        return before if isinstance(before, Call) else None


class _Values:
    """Terms as calls of functions. What is used more than once has a name, made by ``lines``, which come first."""

    def __init__(self, places: dict[Term, str]) -> None:
        self._places = places
        self.lines: list[str] = []
        self._texts: dict[Term, str] = {}

    def text(self, root: Term) -> str:
        """Of a number."""
        uses: dict[Term, int] = {}
        order = list(postorder((root,)))
        for node in order:
            for argument in node.args:
                uses[argument] = uses.get(argument, 0) + 1
        for node in order:
            _check(node.sort)
            if node not in self._texts and not node.sort.is_array:
                text = self._one(node)
                if node.args and (uses.get(node, 0) > 1 or len(text) > _LONGEST):
                    self.lines.append(f"    W t{len(self.lines)} = {text};")
                    text = f"t{len(self.lines) - 1}"
                self._texts[node] = text
        return self._texts[root]

    def array(self, target: Term, value: Term) -> str:
        """Of what is assigned to an array: the target's own table, changed, or one that no other variable has."""
        match value.op:
            case Op.VAR if value is target:
                return self._places[value]
            case Op.VAR if value in self._places:
                return f"(W)(u64)copy_of((struct map *)(u64){self._places[value]})"
            case Op.STORE:
                base = self.array(target, value.args[0])
                return call(value, [base, self.text(value.args[1]), self.text(value.args[2])])
            case Op.CONST_ARRAY:
                return call(value, [self.text(value.args[0])])
        raise UnsupportedError(f"arrays made by {value.op.value} are not executed in machine code")

    def _one(self, node: Term) -> str:
        if node.op is Op.VAR:
            if node not in self._places:
                raise UnsupportedError(f"{node.value} is not executed")
            return self._places[node]
        if node.op is Op.VALUE:
            value = int(node.value)
            high = f"(W){value >> 64}ul << 64 | " if value >> 64 else ""
            return f"({high}(W){value & (1 << 64) - 1}ul)"
        if node.op is Op.SELECT:
            return self._element(node.args[0], self._texts[node.args[1]])
        if any(argument.sort.is_array for argument in node.args):
            raise UnsupportedError("whole arrays are not compared in machine code")
        if node.op in FLOATING:
            return self.text(circuit(node))
        return call(node, [self._texts[argument] for argument in node.args])

    def _element(self, array: Term, index: str) -> str:
        if array.op is Op.VAR and array in self._places:
            return f"read_map({self._places[array]}, {index})"
        texts = [self._texts[argument] for argument in array.args if not argument.sort.is_array]
        match array.op:
            case Op.STORE:
                return f"({index} == {texts[0]} ? {texts[1]} : {self._element(array.args[0], index)})"
            case Op.ITE:
                return f"({texts[0]} ? {self._element(array.args[1], index)} : {self._element(array.args[2], index)})"
            case Op.CONST_ARRAY:
                return texts[0]
        raise UnsupportedError(f"arrays made by {array.op.value} are not executed in machine code")


def _check(sort: Sort) -> None:
    if sort.is_array:
        _check(sort.index)
        _check(sort.element)
        if sort.index.is_array or sort.element.is_array:
            raise UnsupportedError("arrays of arrays are not executed in machine code")
    elif not (sort.is_bool or (sort.is_bitvec and sort.width <= 128)):
        raise UnsupportedError(f"values of sort {sort!r} are not executed in machine code")


def _bits(sort: Sort) -> int:
    if sort.is_array:
        raise UnsupportedError("arrays are no inputs in machine code")
    return sort.width if sort.is_bitvec else 1


_STATE = """
static W g[SHARED + 1], *f, *stack, *top;
static u64 pc, steps, stop, given, taken, strict;
static void room(W *end) { if (end >= top) { text("stack\\n"); leave(3); } }
__attribute__((noreturn)) static void answer(const char *word) {
  text(word); put(' '); number(steps); put(' '); number(taken); put('\\n'); leave(0);
}
static void ask_for_unset(void) { if (strict) answer("asked"); }
static W ask(int bits) {
  if (taken == given) answer("asked");
  taken++;
  W value = input_number();
  return bits >= 128 ? value : value & (((W)1 << bits) - 1);
}
static void write_value(W value, char is_array) {
  if (is_array == '1') write_map((struct map *)(u64)value); else { number(value); put('\\n'); }
}
__attribute__((noreturn)) static void write_state(void) {
  text("state "); number(pc); put(' '); number(taken); put('\\n');
  for (int i = 0; i < SHARED; i++) write_value(g[i], shared_arrays[i]);
  u64 at = pc;
  for (W *frame = f;; frame -= (u64)frame[1]) {
    text("frame "); number(at); put('\\n');
    for (int i = 0; frame_arrays[at][i]; i++) write_value(frame[2 + i], frame_arrays[at][i]);
    if (frame[0] == (W)-1) break;
    at = (u64)frame[0];
  }
  leave(0);
}
"""
_MAIN = """
__attribute__((force_align_arg_pointer)) void _start(void) {
  strict = input_number(); stop = input_number(); given = input_number();
  stack = memory(1ul << 28); top = stack + (1ul << 28) / sizeof *stack;
  run();
}
"""
