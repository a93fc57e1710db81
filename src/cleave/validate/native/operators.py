"""Operators as C functions on numbers of 128 bit, with the width as an argument. `tests` compare them with
`logic.operators`.

Arrays are hash tables. While a statement is executed, a table that it wrote to stays what it was for its other terms:
an older version is a chain of differences to the newest one (Baker's arrays). No two variables share a table, so that
the older versions go when the statement ends.
"""

from __future__ import annotations

from cleave.errors import UnsupportedError
from cleave.logic.terms import Op, Term

FUNCTIONS = """
typedef u128 W;
static W low(W a, int w) { return w >= 128 ? a : a & (((W)1 << w) - 1); }
static int sign(W a, int w) { return (int)(a >> (w - 1) & 1); }
static W wide(W a, int w) {  /* as a signed number of 128 bit */
  return sign(a, w) && w < 128 ? a | ~(((W)1 << w) - 1) : a;
}
static void long_division(W a, W b, W *quotient, W *rest) {
  if (!(a >> 64) && !(b >> 64)) { *quotient = (u64)a / (u64)b; *rest = (u64)a % (u64)b; return; }
  W q = 0, r = 0;
  for (int bit = 127; bit >= 0; bit--) {
    int carry = (int)(r >> 127);
    r = r << 1 | (a >> bit & 1);
    q <<= 1;
    if (carry || r >= b) { r -= b; q |= 1; }
  }
  *quotient = q; *rest = r;
}
static W bvudiv(W a, W b, int w) { W q, r; if (!b) return low(~(W)0, w); long_division(a, b, &q, &r); return q; }
static W bvurem(W a, W b, int w) { W q, r; if (!b) return a; long_division(a, b, &q, &r); return r; }
static W bvsdiv(W a, W b, int w) {
  W x = sign(a, w) ? low(-a, w) : a, y = sign(b, w) ? low(-b, w) : b, q = bvudiv(x, y, w);
  return sign(a, w) ^ sign(b, w) ? low(-q, w) : q;
}
static W bvsrem(W a, W b, int w) {
  W x = sign(a, w) ? low(-a, w) : a, y = sign(b, w) ? low(-b, w) : b, r = bvurem(x, y, w);
  return sign(a, w) ? low(-r, w) : r;
}
static W bvsmod(W a, W b, int w) {
  W x = sign(a, w) ? low(-a, w) : a, y = sign(b, w) ? low(-b, w) : b, r = bvurem(x, y, w);
  if (!r) return 0;
  if (sign(a, w)) return sign(b, w) ? low(-r, w) : low(b - r, w);
  return sign(b, w) ? low(r + b, w) : r;
}
static W bvshl(W a, W b, int w) { return b >= (W)w ? 0 : low(a << (int)b, w); }
static W bvlshr(W a, W b, int w) { return b >= (W)w ? 0 : a >> (int)b; }
static W bvashr(W a, W b, int w) {
  if (b >= (W)w) return sign(a, w) ? low(~(W)0, w) : 0;
  return low((W)((i128)wide(a, w) >> (int)b), w);
}
static W bvslt(W a, W b, int w) { return (i128)wide(a, w) < (i128)wide(b, w); }
static W bvsle(W a, W b, int w) { return (i128)wide(a, w) <= (i128)wide(b, w); }

struct entry { W key, value; };
struct table { struct entry *entries; char *used; u64 room, count; W usual; char blank; };
/* newest: no newer; else what differs, and whether that was not set yet */
struct map { struct table *table; struct map *newer; W key, value; char unset; };
static void ask_for_unset(void);
static struct map *new_map(W usual) {
  struct map *map = memory(sizeof *map);
  map->table = memory(sizeof *map->table);
  map->table->usual = usual;
  return map;
}
static struct map *blank_map(void) {  /* of which no element is set */
  struct map *map = new_map(0);
  map->table->blank = 1;
  return map;
}
static struct entry *entry_of(struct table *table, W key, int make) {
  if (make && table->count * 2 >= table->room) {
    struct table larger = {0};
    larger.room = table->room ? table->room * 2 : 16;
    larger.entries = memory(larger.room * sizeof *larger.entries);
    larger.used = memory(larger.room);
    larger.usual = table->usual;
    larger.blank = table->blank;
    for (u64 i = 0; i < table->room; i++)
      if (table->used[i]) entry_of(&larger, table->entries[i].key, 1)->value = table->entries[i].value;
    *table = larger;
  }
  if (!table->room) return 0;
  u64 i = ((u64)key ^ (u64)(key >> 64)) * 0xff51afd7ed558ccdul;
  for (i = (i ^ i >> 32) & (table->room - 1); table->used[i]; i = (i + 1) & (table->room - 1))
    if (table->entries[i].key == key) return &table->entries[i];
  if (!make) return 0;
  table->used[i] = 1; table->count++;
  table->entries[i].key = key; table->entries[i].value = table->usual;
  return &table->entries[i];
}
static W read_map(W array, W key) {
  struct map *map = (struct map *)(u64)array;
  for (; map->newer; map = map->newer)
    if (map->key == key) {
      if (map->unset) ask_for_unset();
      return map->value;
    }
  struct entry *entry = entry_of(map->table, key, 0);
  if (!entry && map->table->blank) ask_for_unset();
  return entry ? entry->value : map->table->usual;
}
static struct map *copy_of(struct map *old) {
  struct map *newest = old;
  while (newest->newer) newest = newest->newer;
  struct map *made = new_map(newest->table->usual);
  made->table->blank = newest->table->blank;
  for (u64 i = 0; i < newest->table->room; i++)
    if (newest->table->used[i]) {
      struct entry *entry = &newest->table->entries[i];
      entry_of(made->table, entry->key, 1)->value = entry->value;
    }
  struct map *chain[4096]; int count = 0;
  for (struct map *map = old; map->newer; map = map->newer) {
    if (count == 4096) { text("memory\\n"); leave(3); }
    if (map->unset) ask_for_unset();
    chain[count++] = map;
  }
  while (count--) entry_of(made->table, chain[count]->key, 1)->value = chain[count]->value;
  return made;
}
static struct map *spare;
static W write_to(W array, W key, W value) {
  struct map *old = (struct map *)(u64)array;
  if (old->newer) old = copy_of(old);
  struct table *table = old->table;
  u64 before = table->count;
  struct entry *entry = entry_of(table, key, 1);
  old->unset = table->blank && table->count > before;
  struct map *made = spare;
  if (made) spare = made->newer; else made = memory(sizeof *made);
  made->newer = 0;
  made->unset = 0;
  made->table = old->table;
  old->newer = made; old->key = key; old->value = entry->value;
  entry->value = value;
  return (W)(u64)made;
}
static W moved(W old, W array) {  /* nobody sees the old versions any more: no two variables share one */
  struct map *map = (struct map *)(u64)old, *newest = (struct map *)(u64)array;
  struct map *last = map;
  while (last->newer) last = last->newer;
  if (last == newest)
    while (map != newest) { struct map *next = map->newer; map->newer = spare; spare = map; map = next; }
  return array;
}
static void write_map(struct map *map) {
  if (map->newer) map = copy_of(map);
  number(map->table->usual); put(' '); number(map->table->count);
  for (u64 i = 0; i < map->table->room; i++)
    if (map->table->used[i]) {
      put(' '); number(map->table->entries[i].key);
      put(' '); number(map->table->entries[i].value);
    }
  put('\\n');
}
"""
_TOLD_WIDTH = {
    Op.BV_UDIV: "bvudiv",
    Op.BV_UREM: "bvurem",
    Op.BV_SDIV: "bvsdiv",
    Op.BV_SREM: "bvsrem",
    Op.BV_SMOD: "bvsmod",
    Op.BV_SHL: "bvshl",
    Op.BV_LSHR: "bvlshr",
    Op.BV_ASHR: "bvashr",
    Op.BV_SLT: "bvslt",
    Op.BV_SLE: "bvsle",
}
_LOWERED = {
    Op.BV_ADD: "{0} + {1}",
    Op.BV_SUB: "{0} - {1}",
    Op.BV_MUL: "{0} * {1}",
    Op.BV_NOT: "~{0}",
    Op.BV_NEG: "-{0}",
}
_PLAIN = {
    Op.BV_AND: "({0} & {1})",
    Op.BV_OR: "({0} | {1})",
    Op.BV_XOR: "({0} ^ {1})",
    Op.BV_ULT: "(W)({0} < {1})",
    Op.BV_ULE: "(W)({0} <= {1})",
    Op.NOT: "(W)!{0}",
    Op.ITE: "({0} ? {1} : {2})",
    Op.STORE: "write_to({0}, {1}, {2})",
    Op.CONST_ARRAY: "(W)(u64)new_map({0})",
    Op.ZERO_EXTEND: "{0}",
}
_MANY = {Op.AND: " && ", Op.OR: " || "}


def call(node: Term, args: list[str]) -> str:
    """The expression for an operator, of those for its arguments."""
    op, first = node.op, node.args[0].sort
    if op in (Op.EQ, Op.DISTINCT):
        if first.is_array or len(args) != 2:
            raise UnsupportedError("whole arrays are not compared in machine code")
        return f"(W)({args[0]} {'==' if op is Op.EQ else '!='} {args[1]})"
    if op in _TOLD_WIDTH:
        return f"{_TOLD_WIDTH[op]}({args[0]}, {args[1]}, {first.width})"
    if op in _LOWERED:
        return f"low({_LOWERED[op].format(*args)}, {node.sort.width})"
    if op in _PLAIN:
        return _PLAIN[op].format(*args)
    if op in _MANY:
        return f"(W)({_MANY[op].join(args)})"
    match op:
        case Op.IMPLIES if len(args) == 2:
            return f"(W)(!{args[0]} || {args[1]})"
        case Op.SIGN_EXTEND:
            return f"low(wide({args[0]}, {first.width}), {node.sort.width})"
        case Op.EXTRACT:
            return f"low({args[0]} >> {node.value[1]}, {node.sort.width})"
        case Op.CONCAT:
            return f"({args[0]} << {node.args[1].sort.width} | {args[1]})"
    raise UnsupportedError(f"{op.value} is not executed in machine code")
