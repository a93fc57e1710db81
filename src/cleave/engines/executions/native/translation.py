"""A sequential program as C: a function for each procedure, a label for each block, a ``goto`` for each jump.

    proc main() { a: i := 0  goto b        ──▶    static void p0(void) { u64 l0 = 0; b0: l0 = 0ul; goto b1; ... }

Arrays are sparse maps that are changed in place. Where a block has several successors, the one is taken whose first
assumption holds; if several do, an input decides. Variables that are not initialised are zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count

from cleave.engines.executions.native.expressions import OPERATORS, Expressions, constant, size
from cleave.engines.executions.native.floats import FLOATS
from cleave.errors import UnsupportedError
from cleave.frontends.c.clang.machine_code import C_RUNTIME
from cleave.ir.program import Assert, Assign, Assume, Block, Call, Havoc, Procedure, Program, Statement
from cleave.logic.sorts import Sort
from cleave.logic.terms import TRUE, Op, Term
from cleave.logic.walk import postorder

_MOST_STATEMENTS = 100_000  # the compiler takes seconds for as many
_MOST_CONSTANTS = 256

_MAPS = """
enum { PAGE = 64 };
struct page { u64 number; u64 at[PAGE]; };
struct map { struct page **table, *last; u64 room, used, usual; };
static void place(struct page **table, u64 room, struct page *page) {
  u64 i = page->number * 0x9e3779b97f4a7c15ul >> 20;
  while (table[i & (room - 1)]) i++;
  table[i & (room - 1)] = page;
}
static struct page *page_of(struct map *map, u64 number, int make) {
  if (map->last && map->last->number == number) return map->last;
  if (map->room)
    for (u64 i = number * 0x9e3779b97f4a7c15ul >> 20;; i++) {
      struct page *page = map->table[i & (map->room - 1)];
      if (!page) break;
      if (page->number == number) return map->last = page;
    }
  if (!make) return 0;
  if (map->used * 2 >= map->room) {
    u64 room = map->room ? map->room * 2 : 16;
    struct page **table = memory(room * sizeof *table);
    for (u64 i = 0; i < map->room; i++) if (map->table[i]) place(table, room, map->table[i]);
    map->table = table; map->room = room;
  }
  struct page *page = memory(sizeof *page);
  page->number = number;
  for (int i = 0; i < PAGE; i++) page->at[i] = map->usual;
  place(map->table, map->room, page);
  map->used++;
  return map->last = page;
}
static inline u64 get(struct map *map, u64 index) {
  struct page *page = page_of(map, index / PAGE, 0);
  return page ? page->at[index % PAGE] : map->usual;
}
static inline void set(struct map *map, u64 index, u64 value) {
  page_of(map, index / PAGE, 1)->at[index % PAGE] = value;
}
static void clear(struct map *map, u64 usual) {
  map->table = 0; map->last = 0; map->room = map->used = 0; map->usual = usual;
}
static void copy(struct map *to, struct map *from) {
  if (to == from) return;
  clear(to, from->usual);
  for (u64 i = 0; i < from->room; i++)
    if (from->table[i])
      for (int k = 0; k < PAGE; k++) set(to, from->table[i]->number * PAGE + k, from->table[i]->at[k]);
}
"""
_RUN = """
enum { ENDED = 1, FAILED, STUCK, LONG, ASKED };
static void *back[5];
static u64 fuel, limit, seed, usual_share, repeats, last, wild, asked, *log_of_inputs, log_room;
__attribute__((noreturn)) static void over(int outcome) { back[4] = (void *)(long)outcome; __builtin_longjmp(back, 1); }
static u64 chance(void) {
  u64 mixed = seed += 0x9e3779b97f4a7c15ul;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ul;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebul;
  return (mixed ^ mixed >> 31) >> 8;
}
static u64 input(u64 mask) {
  if (!wild) over(ASKED);
  if (asked == log_room) over(LONG);
  u64 value = 0;
  if (repeats && asked)
    value = last;
  else if (chance() % 8 < usual_share)
    switch (chance() % 4) {
      case 0: value = chance() % 4; break;
      case 1: value = chance() << 32 ^ chance(); break;
      default: value = constants[chance() % (sizeof constants / sizeof *constants)] + chance() % 3 - 1;
    }
  last = value;
  return log_of_inputs[asked++] = value & mask;
}
"""
_MAIN = """
/* On its own: after a jump back, registers do not hold what _start had in them. */
__attribute__((noinline)) static int attempt(void) {
  asked = 0;
  first();
  if (__builtin_setjmp(back)) return (int)(long)back[4];
  begin();
  return ENDED;
}
static void answer(const char *word) {
  text(word); put(' '); number(limit - fuel); put(' '); number(asked); put('\\n');
}
__attribute__((force_align_arg_pointer)) void _start(void) {
  seed = input_number(); wild = seed != 0;
  u64 total = input_number(), longest = input_number();
  log_room = wild ? 1ul << 20 : 0;
  if (wild) log_of_inputs = memory(log_room * 8);
  for (u64 tries = 1; total; tries++) {
    u64 most = tries % 8 || longest > total / 2 ? longest : total / 2; /* a few are long */
    limit = fuel = most < total ? most : total;
    usual_share = chance() % 5 * 2;
    repeats = chance() % 4 == 0; /* loops that read until a certain value comes go on for long */
    int outcome = attempt();
    if (outcome == FAILED) {
      answer("failed");
      for (u64 i = 0; i < asked; i++) { number(log_of_inputs[i]); put('\\n'); }
      leave(0);
    }
    if (!wild) { answer(outcome == LONG ? "long" : outcome == ASKED ? "asked" : "ended"); leave(0); }
    total -= limit - fuel + 100 < total ? limit - fuel + 100 : total;
    longest += longest / 8;
  }
  text("nothing\\n");
  leave(0);
}
"""


def translated(program: Program, entry: str) -> str:
    """Raises `UnsupportedError` for what is not executed."""
    if sum(len(b.statements) for p in program.procedures.values() for b in p.blocks.values()) > _MOST_STATEMENTS:
        raise UnsupportedError("the program is too large for machine code")
    return _Translation(program, entry).text()


class _Translation:
    def __init__(self, program: Program, entry: str) -> None:
        self._program = program
        self._entry = entry
        shared = (*program.constants, *program.globals)
        self._shared = {variable: f"g{number}" for number, variable in enumerate(shared)}
        self._names = {name: f"p{number}" for number, name in enumerate(program.procedures)}
        self._constants: dict[int, None] = {}
        self._temporaries = count()

    def text(self) -> str:
        bodies = [line for name in self._reached() for line in self._procedure(self._program.procedures[name])]
        heads = [f"{self._head(self._program.procedures[name])};" for name in self._reached()]
        shared = [self._declared(variable, name) for variable, name in self._shared.items()]
        numbers = ", ".join(f"{value}ul" for value in list(self._constants)[:_MOST_CONSTANTS]) or "0"
        table = f"static const u64 constants[] = {{{numbers}}};"
        parts = [
            C_RUNTIME,
            OPERATORS,
            FLOATS,
            _MAPS,
            table,
            _RUN,
            *(f"static {line}" for line in shared),
            *heads,
            *bodies,
        ]
        return "\n".join([*parts, *self._first(), *self._begin(), _MAIN])

    def _reached(self) -> list[str]:
        seen, waiting = {self._entry: None}, [self._entry]
        while waiting:
            for statement in self._program.procedures[waiting.pop()].statements():
                if isinstance(statement, Call) and statement.procedure not in seen:
                    seen[statement.procedure] = None
                    waiting.append(statement.procedure)
        return list(seen)

    def _declared(self, variable: Term, name: str) -> str:
        if not variable.sort.is_array:
            return f"u{size(variable.sort)} {name};"
        if variable.sort.element.is_array or variable.sort.element.width > 64 or size(variable.sort.index) > 64:
            raise UnsupportedError("arrays of arrays are not executed in machine code")
        size(variable.sort.element)
        return f"struct map {name}_map, *const {name} = &{name}_map;"

    def _first(self) -> Iterator[str]:
        yield "static void first(void) {"
        for variable, name in self._shared.items():
            yield f"  clear({name}, 0);" if variable.sort.is_array else f"  {name} = 0;"
        yield "}"

    def _begin(self) -> Iterator[str]:
        entry = self._program.procedures[self._entry]
        if any(variable.sort.is_array for variable in (*entry.parameters, *entry.returns)):
            raise UnsupportedError("arrays as arguments are not executed in machine code")
        yield "static void begin(void) {"
        for number, variable in enumerate(entry.returns):
            yield f"  u{size(variable.sort)} r{number};"
        given = [f"wild ? {self._input(variable.sort)} : 0" for variable in entry.parameters]
        yield f"  {self._names[self._entry]}({', '.join([*given, *(f'&r{n}' for n in range(len(entry.returns)))])});"
        yield "}"

    @staticmethod
    def _input(sort: Sort) -> str:
        if sort.is_array or size(sort) > 64:
            raise UnsupportedError("arrays and wide numbers are no inputs in machine code")
        return f"input({constant((1 << sort.width) - 1 if sort.is_bitvec else 1, sort)})"

    # --- procedures ---------------------------------------------------------------------------------------------------

    def _head(self, procedure: Procedure) -> str:
        parameters = [f"{_type(variable)} l{number}" for number, variable in enumerate(procedure.parameters)]
        returns = [f"{_type(variable)}*r{number}" for number, variable in enumerate(procedure.returns)]
        if any(variable.sort.is_array for variable in (*procedure.parameters, *procedure.returns)):
            raise UnsupportedError("arrays as arguments are not executed in machine code")
        return f"static void {self._names[procedure.name]}({', '.join([*parameters, *returns]) or 'void'})"

    def _procedure(self, procedure: Procedure) -> Iterator[str]:
        own = (*procedure.parameters, *procedure.returns, *procedure.locals)
        places = {**self._shared, **{variable: f"l{number}" for number, variable in enumerate(own)}}
        yield f"{self._head(procedure)} {{"
        if not procedure.has_body:
            yield from self._havoc(procedure.modifies, places)
            for number, variable in enumerate(procedure.returns):
                yield f"  *r{number} = {self._input(variable.sort)};"
            yield "}"
            return
        yield "  if (!fuel--) { fuel = 0; over(LONG); }"
        for variable in own[len(procedure.parameters) :]:
            yield f"  {self._declared(variable, places[variable])}"
            yield f"  clear({places[variable]}, 0);" if variable.sort.is_array else f"  {places[variable]} = 0;"
        labels = {label: f"b{number}" for number, label in enumerate(procedure.blocks)}
        yield f"  goto {labels[procedure.entry.label]};"
        for block in procedure.blocks.values():
            yield f"{labels[block.label]}: ;"
            for statement in block.statements:
                yield from self._statement(statement, places)
            yield from self._jump(procedure, block, places, labels)
        yield "}"

    def _jump(
        self, procedure: Procedure, block: Block, places: dict[Term, str], labels: dict[str, str]
    ) -> Iterator[str]:
        if not block.successors:
            for number, variable in enumerate(procedure.returns):
                yield f"  *r{number} = {places[variable]};"
            yield "  return;"
            return
        yield "  if (!fuel--) { fuel = 0; over(LONG); }"
        if len(block.successors) == 1:
            yield f"  goto {labels[block.successors[0]]};"
            return
        prefix = f"c{next(self._temporaries)}_"
        yield "  {"
        expressions = Expressions(places, prefix)
        holding = expressions.texts([_condition(procedure.blocks[label]) for label in block.successors])
        yield from (f"    {line}" for line in expressions.lines)
        tests = [expressions.named(text, TRUE.sort) for text in holding]
        yield from (f"    {line}" for line in expressions.lines[-len(tests) :])
        yield f"    u64 many = {' + '.join(tests)};"
        yield "    u64 skip = many > 1 ? input(~0ul) % many : 0;"
        for label, test in zip(block.successors, tests, strict=True):
            yield f"    if ({test} && !skip--) goto {labels[label]};"
        yield "    over(STUCK);"
        yield "  }"

    # --- statements ---------------------------------------------------------------------------------------------------

    def _statement(self, statement: Statement, places: dict[Term, str]) -> Iterator[str]:
        expressions = Expressions(places, f"t{next(self._temporaries)}_")
        self._note(statement)
        match statement:
            case Assume(condition):
                done = [f"if (!{expressions.texts((condition,))[0]}) over(STUCK);"]
            case Assert(condition):
                done = [f"if (!{expressions.texts((condition,))[0]}) over(FAILED);"]
            case Assign(targets, values):
                done = list(_assigned(targets, values, places, expressions))
            case Havoc(targets):
                done = list(self._havoc(targets, places))
            case Call(name, arguments, results):
                given = expressions.texts(arguments)
                taken = [f"{places[result]}" for result in results]
                done = [f"{self._names[name]}({', '.join([*given, *(f'&{place}' for place in taken)])});"]
            case _:
                raise UnsupportedError("threads are not executed in machine code")
        yield "  {"
        yield from (f"    {line}" for line in (*expressions.lines, *done))
        yield "  }"

    def _havoc(self, targets: Iterable[Term], places: dict[Term, str]) -> Iterator[str]:
        for target in targets:
            if target.sort.is_array:
                raise UnsupportedError("arrays are no inputs in machine code")
            yield f"  {places[target]} = {self._input(target.sort)};"

    def _note(self, statement: Statement) -> None:
        terms = statement.values if isinstance(statement, Assign) else ()
        terms = (statement.condition,) if isinstance(statement, Assume | Assert) else terms
        for node in postorder(terms):
            if node.op is Op.VALUE and node.sort.is_bitvec and node.sort.width <= 64:
                self._constants[node.value] = None


def _type(variable: Term) -> str:
    return "struct map *" if variable.sort.is_array else f"u{size(variable.sort)} "


def _condition(block: Block) -> Term:
    first = block.statements[0] if block.statements else None
    return first.condition if isinstance(first, Assume) else TRUE


def _assigned(
    targets: tuple[Term, ...], values: tuple[Term, ...], places: dict[Term, str], expressions: Expressions
) -> Iterator[str]:
    """All at once: values first, then what they are assigned to."""
    scalars = [(target, value) for target, value in zip(targets, values, strict=True) if not target.sort.is_array]
    texts = expressions.texts([value for _, value in scalars])
    arrays = [(target, value) for target, value in zip(targets, values, strict=True) if target.sort.is_array]
    if arrays and len(targets) > 1:
        texts = [expressions.named(text, value.sort) for text, (_, value) in zip(texts, scalars, strict=True)]
        written = {target for target, _ in arrays}
        if len(arrays) > 1 and any(_base(value) in written and _base(value) is not target for target, value in arrays):
            raise UnsupportedError("arrays that are exchanged are not executed in machine code")
    elif len(scalars) > 1:
        texts = [expressions.named(text, value.sort) for text, (_, value) in zip(texts, scalars, strict=True)]
    changes = [line for target, value in arrays for line in _changed(target, value, places, expressions)]
    yield from changes
    for (target, _), text in zip(scalars, texts, strict=True):
        yield f"{places[target]} = {text};"


def _base(array: Term) -> Term:
    while array.op is Op.STORE:
        array = array.args[0]
    return array


def _changed(target: Term, value: Term, places: dict[Term, str], expressions: Expressions) -> Iterator[str]:
    stores: list[tuple[str, str]] = []
    while value.op is Op.STORE:
        key, element = expressions.texts(value.args[1:])
        named = expressions.named(key, value.args[1].sort), expressions.named(element, value.args[2].sort)
        stores.append(named)
        value = value.args[0]
    place = places[target]
    if value.op is Op.CONST_ARRAY:
        usual = expressions.named(expressions.texts(value.args)[0], value.args[0].sort)
        yield f"clear({place}, {usual});"
    elif value.op is Op.VAR and value in places:
        if value is not target:
            yield f"copy({place}, {places[value]});"
    else:
        raise UnsupportedError(f"arrays made by {value.op.value} are not executed in machine code")
    for key, element in reversed(stores):
        yield f"set({place}, {key}, {element});"
