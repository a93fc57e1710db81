"""The checks that Clang's sanitizers write, as instructions of their own.

    %2 = call {i32, i1} @llvm.sadd.with.overflow.i32(i32 %0, i32 %1)            check add_overflow (int) %0, %1
    %3 = extractvalue %2, 0                                                     %3 = add i32 %0, %1
    %4 = extractvalue %2, 1
    %5 = xor i1 %4, true
    br i1 %5, label %cont, label %handler.add_overflow

    handler.add_overflow:
      %6 = zext i32 %0 to i64
      …
      call void @__ubsan_handle_add_overflow_abort(ptr @1, i64 %6, i64 %7)

What is left is the program as it would be without checks, and the checks. A check is about the values that the compiler
would report. Where that does not say what is checked, its first operand is the condition that the compiler computes.
Checks inside of annotations are dropped: their arithmetic is not the program's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from cleave.frontends.c.llvm import module as l

ANNOTATION_BEGIN, ANNOTATION_END = "__cleave_annotation_begin", "__cleave_annotation_end"
_HANDLER = re.compile(r"__ubsan_handle_(?P<kind>\w+?)(?:_abort)?")
_WITH_OVERFLOW = re.compile(r"llvm\.s(?P<opcode>add|sub|mul)\.with\.overflow\.")
_CONVERSIONS = frozenset(("zext", "bitcast"))  # how a value is passed
# Their condition can't be told from the values.
_BOUNDS = "out_of_bounds"
_BY_CONDITION = frozenset(("float_cast_overflow", "invalid_builtin", _BOUNDS))
_OF_A_FIELD = frozenset(("trunc", "zext", "sext", "shl", "ashr"))  # how the value of a bit field is read from its bits
_EFFECTS = frozenset(("store", "br", "switch", "ret", "unreachable", "indirectbr", "check"))


def take_checks(module: l.Module) -> None:
    """Changes ``module``, whose places are known: the compiler's checks become instructions."""
    if not any(map(_HANDLER.fullmatch, module.functions)):
        return
    descriptions = _Descriptions(module)
    for function in module.functions.values():
        if any(_kind(block) for block in function.blocks.values()):
            _Function(function, descriptions).rewrite()
    descriptions.forget()


def _kind(block: l.BasicBlock) -> str | None:
    """The kind of check whose failure is reported in ``block``."""
    for instruction in block.instructions:
        if isinstance(instruction.callee, l.GlobalRef):
            found = _HANDLER.fullmatch(instruction.callee.name)
            if found is not None:
                return found["kind"]
    return None


class _Function:
    def __init__(self, function: l.FunctionDefinition, descriptions: _Descriptions) -> None:
        self._function = function
        self._descriptions = descriptions
        self._made = {i.result: i for i in function.instructions() if i.result is not None}
        self._kinds = {label: kind for label, block in function.blocks.items() if (kind := _kind(block)) is not None}
        self._inside = _inside_annotations(function)

    def rewrite(self) -> None:
        blocks = self._function.blocks
        for block in blocks.values():
            last = block.instructions[-1]
            if last.opcode == "br" and len(last.labels) == 2 and last.labels[1] in self._kinds:
                kept, handler = last.labels
                checks = [] if block.label in self._inside else list(self._checks(last, blocks[handler]))
                block.instructions[-1:] = [*checks, replace(last, operands=(), labels=(kept,))]
        for label in self._kinds:
            del blocks[label]
        self._compute()
        _drop_unused(self._function)
        self._straighten()
        _drop_unused(self._function)
        _merge(self._function)
        self._drop_whole()
        _drop_unused(self._function)

    def _drop_whole(self) -> None:
        """An index of an array that is a whole object: the object's own bounds are checked where it is accessed."""
        allocated = {i.result: i.source for i in self._function.instructions() if i.opcode == "alloca"}
        for block in self._function.blocks.values():
            block.instructions = [
                one
                for position, one in enumerate(block.instructions)
                if not _is_bound(one) or not self._is_whole(one, block.instructions[position:], allocated)
            ]

    def _is_whole(
        self, check: l.Instruction, following: Sequence[l.Instruction], allocated: dict[str | None, l.Type | None]
    ) -> bool:
        index = self._origin(check.operands[1])
        for one in following:
            if one.opcode == "getelementptr" and self._origin(one.operands[-1]) == index:
                array = one.operands[0]
                if isinstance(array, l.GlobalRef):
                    return one.source == self._descriptions.type_of(array)
                return isinstance(array, l.Local) and one.source is not None and one.source == allocated.get(array.name)
        return False

    def _origin(self, value: l.Value) -> l.Value:
        """The number before it was widened."""
        made = self._made.get(value.name) if isinstance(value, l.Local) else None
        return made.operands[0] if made is not None and made.opcode in ("sext", "zext") else value

    def _checks(self, branch: l.Instruction, handler: l.BasicBlock) -> Iterator[l.Instruction]:
        call = next(i for i in handler.instructions if i.opcode == "call")
        types = self._descriptions.types(call.operands[0])
        values = tuple(self._passed(value, handler) for value in call.operands[1:])
        if len(values) == 2 and values[0] == values[1] and self._kinds[handler.label] == "implicit_conversion":
            values = (self._before_storing(values[0]), values[1])
        operand_types = types[1:] if self._kinds[handler.label] == _BOUNDS else types
        values = tuple(map(_of_its_width, values, operand_types if len(operand_types) > 1 else operand_types * 2))
        for kind, operands in self._parts(self._kinds[handler.label], branch.operands[0], types, values):
            yield l.Instruction(
                opcode="check", check=l.CompilerCheck(kind, types), operands=operands, location=branch.location
            )

    def _parts(
        self, kind: str, condition: l.Value, types: tuple[l.SourceType, ...], values: tuple[l.Value, ...]
    ) -> Iterator[tuple[str, tuple[l.Value, ...]]]:
        """Two things that share a report are two checks."""
        match kind:
            case "divrem_overflow":
                yield "division_by_zero", values
                if types[0].is_signed:
                    yield "quotient_overflow", values
            case "shift_out_of_bounds":
                yield "shift_amount", values
                if self._joins(condition):
                    yield "shift_base", values
            case _:
                yield kind, ((condition, *values) if kind in _BY_CONDITION else values)

    def _joins(self, condition: l.Value) -> bool:
        """Whether the condition depends on a branch, as that of a shift does whose left side is checked, too."""
        pending = [condition]
        while pending:
            value = pending.pop()
            made = self._made.get(value.name) if isinstance(value, l.Local) else None
            if made is None or not made.is_of_a_check:
                continue
            if made.opcode == "phi":
                return True
            pending += made.operands
        return False

    def _passed(self, value: l.Value, handler: l.BasicBlock) -> l.Value:
        """The value that is reported: before it was widened, or stored to be passed by its address."""
        own = {instruction.result for instruction in handler.instructions}
        while isinstance(value, l.Local) and value.name in own:
            made = self._made[value.name]
            if made.opcode in _CONVERSIONS:
                value = made.operands[0]
            elif made.opcode == "ptrtoint":
                stored = (i for i in handler.instructions if i.opcode == "store" and i.operands[1] == made.operands[0])
                return next(stored).operands[0]
            else:
                break
        return value

    def _before_storing(self, value: l.Value) -> l.Value:
        """What was stored into a bit field, of the value that was read back: this compiler compares it with itself
        where the conversion is no expression of its own."""
        made = self._made.get(value.name) if isinstance(value, l.Local) else None
        while made is not None and made.opcode in _OF_A_FIELD and isinstance(made.operands[0], l.Local):
            made = self._made.get(made.operands[0].name)
        if made is None or made.opcode != "and" or not (made.result or "").startswith("bf.value"):
            return value
        stored = made.operands[0]
        widened = self._made.get(stored.name) if isinstance(stored, l.Local) else None
        is_changed = widened is not None and widened.opcode in ("zext", "trunc")
        return widened.operands[0] if widened is not None and is_changed else stored

    # --- what is left -----------------------------------------------------------------------------------------------

    def _compute(self) -> None:
        """Arithmetic that tells of overflow is plain arithmetic again."""
        for instruction in self._function.instructions():
            if instruction.opcode != "extractvalue" or not instruction.is_of_a_check or instruction.indices != (0,):
                continue
            pair = instruction.operands[0]
            made = self._made.get(pair.name) if isinstance(pair, l.Local) else None
            name = made.callee.name if made is not None and isinstance(made.callee, l.GlobalRef) else ""
            found = _WITH_OVERFLOW.match(name)
            if made is not None and found is not None:
                instruction.opcode, instruction.operands, instruction.indices = found["opcode"], made.operands, ()
                instruction.is_of_a_check = False

    def _straighten(self) -> None:
        """Branches around computations that nobody needs any more."""
        blocks = self._function.blocks
        for block in list(blocks.values()):
            last = block.instructions[-1]
            if not last.is_of_a_check or len(last.labels) != 2:
                continue
            detour, target = last.labels
            around = blocks[detour].instructions
            if len(around) == 1 and around[0].labels == (target,) and not _has_phi(blocks[target]):
                block.instructions[-1] = replace(last, operands=(), labels=(target,))
                del blocks[detour]


def _is_bound(instruction: l.Instruction) -> bool:
    return instruction.check is not None and instruction.check.kind == _BOUNDS


def _of_its_width(value: l.Value, type: l.SourceType) -> l.Value:
    """Constants are passed in a word."""
    return l.ConstInt(l.IntType(type.width), value.value) if isinstance(value, l.ConstInt) else value


def _drop_unused(function: l.FunctionDefinition) -> None:
    """Removes what was computed for checks alone, and the memory that reports used."""
    while True:
        used = {
            operand.name
            for instruction in function.instructions()
            for operand in (*instruction.operands, instruction.callee)
            if isinstance(operand, l.Local)
        }
        dropped = False
        for block in function.blocks.values():
            kept = [i for i in block.instructions if not _is_unused(i, used, function)]
            dropped |= len(kept) < len(block.instructions)
            block.instructions = kept
        if not dropped:
            return


def _is_unused(instruction: l.Instruction, used: set[str], function: l.FunctionDefinition) -> bool:
    if instruction.result is None or instruction.result in used or instruction.opcode in _EFFECTS:
        return False
    own = instruction.opcode == "alloca" and instruction.result.startswith("tmp")
    return instruction.is_of_a_check or (own and instruction.result not in function.variables)


def _merge(function: l.FunctionDefinition) -> None:
    """Blocks that a check split are one again."""
    blocks = function.blocks
    entered = Counter(label for block in blocks.values() for label in set(block.instructions[-1].labels))
    renamed: dict[str, str] = {}
    for label in list(blocks):
        block = blocks.get(label)
        while block is not None:
            last = block.instructions[-1]
            target = last.labels[0] if last.is_of_a_check and len(last.labels) == 1 else ""
            if target in ("", label) or entered[target] != 1 or _has_phi(blocks[target]):
                break
            block.instructions[-1:] = blocks.pop(target).instructions
            renamed[target] = label
    for instruction in function.instructions():
        if instruction.opcode == "phi":
            instruction.labels = tuple(_final(label, renamed) for label in instruction.labels)


def _final(label: str, renamed: dict[str, str]) -> str:
    while label in renamed:
        label = renamed[label]
    return label


def _has_phi(block: l.BasicBlock) -> bool:
    return block.instructions[0].opcode == "phi"


def _inside_annotations(function: l.FunctionDefinition) -> set[str]:
    """The blocks whose end is inside of an annotation."""

    def marks(block: l.BasicBlock) -> Iterator[bool]:
        for instruction in block.instructions:
            if isinstance(instruction.callee, l.GlobalRef):
                if instruction.callee.name == ANNOTATION_BEGIN:
                    yield True
                elif instruction.callee.name == ANNOTATION_END:
                    yield False

    ends = {label: list(marks(block)) for label, block in function.blocks.items()}
    if not any(ends.values()):
        return set()
    inside: dict[str, bool] = {}
    pending: list[tuple[str, bool]] = [(next(iter(function.blocks)), False)]
    while pending:
        label, state = pending.pop()
        if label in inside:
            continue
        inside[label] = ends[label][-1] if ends[label] else state
        pending += [(following, inside[label]) for following in function.blocks[label].instructions[-1].labels]
    return {label for label, state in inside.items() if state}


class _Descriptions:
    """The constants that tell a report what it is about: ``{ {file, line, column}, type… }``."""

    def __init__(self, module: l.Module) -> None:
        self._module = module
        self._met: set[str] = set()

    def types(self, data: l.Value) -> tuple[l.SourceType, ...]:
        """Of the operands, or of what is converted and to what; a bit field has its own width."""
        parts = self._parts(data)
        names = [part.name for part in parts if isinstance(part, l.GlobalRef)]
        self._met.update(names)
        found = [_source_type(self._module.globals[name].initializer) for name in names]
        width = parts[-1].value if len(found) == 2 and len(parts) > 3 and isinstance(parts[-1], l.ConstInt) else 0
        if not width:
            return tuple(found)
        return found[0], replace(found[1], width=width, name=f"a bit field of {width} bits")

    def type_of(self, variable: l.GlobalRef) -> l.Type | None:
        found = self._module.globals.get(variable.name)
        return found.type if found is not None else None

    def _parts(self, data: l.Value) -> Sequence[l.Value]:
        assert isinstance(data, l.GlobalRef)
        self._met.add(data.name)
        found = self._module.globals[data.name].initializer
        return found.elements if isinstance(found, l.ConstAggregate) else ()

    def forget(self) -> None:
        """The program has no use for them."""
        for name in self._met:
            self._module.globals.pop(name, None)


def _source_type(description: l.Value | None) -> l.SourceType:
    """Of ``{ kind, how wide and whether signed, name }``."""
    assert isinstance(description, l.ConstAggregate)
    kind, info, name = description.elements[:3]
    assert isinstance(kind, l.ConstInt)
    assert isinstance(info, l.ConstInt)
    assert isinstance(name, l.ConstBytes)
    text, _, rest = name.content.partition(b"\0")
    is_float, is_exact = kind.value == 1, kind.value == 2  # the latter of _BitInt: its width follows
    width = info.value if is_float else int.from_bytes(rest[:4], "little") if is_exact else 1 << (info.value >> 1)
    name_of_type = text.decode("utf-8", "replace").split(" (aka ")[0].strip("'")
    return l.SourceType(name_of_type, width, bool(info.value & 1) and not is_float, is_float)
