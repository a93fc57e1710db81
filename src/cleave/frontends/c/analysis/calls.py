"""The call graph: which functions can run, which can be active twice, which run at most once.

facts = CallFacts(module, "main")
facts.reachable, facts.recursive, facts.once
facts.loops(function)                        # labels of blocks that can run again in one activation
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from cleave.frontends.c.analysis.models import Kind, kind_of
from cleave.frontends.c.analysis.pointed import SPAWN
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.module import references

_OWN = "__cleave"  # names of what the library, and the lowering of threads, add to a program


class CallFacts:
    """``callbacks``: functions that those without a body may call."""

    def __init__(self, module: l.Module, entry: str, callbacks: Sequence[str] = ()) -> None:
        self._module = module
        self.entry = entry
        self.callbacks = callbacks
        self.taken: set[str] = set()  # functions whose address is taken somewhere reachable
        self.used: set[str] = set()  # global variables that something reachable mentions
        self.callees: dict[str, list[tuple[str, str]]] = {}  # function: (block, callee), also through pointers
        self.spawned: dict[str, list[tuple[str, str]]] = {}  # function: (block, function that a new thread runs)
        self.reachable = self._reach(entry)
        self._loops: dict[str, frozenset[str]] = {}
        self.recursive = _in_cycles({f: [callee for _, callee in calls] for f, calls in self.callees.items()})
        self.once = self._run_once()
        self.recursive |= self._in_several_threads()

    @property
    def has_threads(self) -> bool:
        return any(self.spawned.values())

    def resolve(self, value: l.Value | None) -> l.Value | None:
        """A callee with aliases followed."""
        while isinstance(value, l.GlobalRef) and value.name in self._module.aliases:
            value = self._module.aliases[value.name]
        return value

    def loops(self, name: str) -> frozenset[str]:
        if name not in self._loops:
            blocks = self._module.functions[name].blocks
            graph = {b.label: list(b.instructions[-1].labels) for b in blocks.values()}
            self._loops[name] = _in_cycles(graph)
        return self._loops[name]

    def targets(self, call: l.Instruction) -> list[str]:
        """The functions that a call through a pointer can reach, by what types allow."""
        assert call.signature is not None
        taken = [self._module.functions[name] for name in sorted(self.taken)]
        for fits in (_fits, _takes_as_many):  # a call that fits no function exactly fits those with as many parameters
            found = [function.name for function in taken if fits(call.signature, function)]
            if found:
                return found
        return []

    def _reach(self, entry: str) -> list[str]:
        """The functions that can run, in the order found; repeated until no function's address is taken anew."""
        while True:
            known = len(self.taken)
            found = self._walk(entry)
            if len(self.taken) == known:
                return found
            self.callees.clear()

    def _walk(self, entry: str) -> list[str]:
        found = {entry: None}
        pending = [entry]
        while pending:
            name = pending.pop()
            calls = self.callees[name] = []
            self.spawned[name] = []
            for label, callee in self._calls(self._module.functions[name]):
                calls.append((label, callee))
                if callee not in found:
                    found[callee] = None
                    pending.append(callee)
        return list(found)

    def _calls(self, function: l.FunctionDefinition) -> Iterator[tuple[str, str]]:
        for block in function.blocks.values():
            for instruction in block.instructions:
                started = spawned(instruction)
                self._mention(instruction.operands if started is None else instruction.operands[1:])
                if started is not None:
                    self.spawned[function.name].append((block.label, started))
                    yield block.label, started
                if instruction.opcode != "call":
                    continue
                if self.callbacks and may_leave(instruction, self, self._module):
                    for callback in (*self.callbacks, *self.callbacks):  # again and again
                        yield block.label, callback
                callee = self.resolve(instruction.callee)
                self._show_outside(instruction, callee)
                if isinstance(callee, l.GlobalRef):
                    called = self._module.functions.get(callee.name)
                    if called is not None and called.blocks:
                        yield block.label, callee.name
                elif not isinstance(callee, l.InlineAssembly):
                    self._mention((callee,) if callee is not None else ())
                    for target in self.targets(instruction):
                        if self._module.functions[target].blocks:
                            yield block.label, target

    def _show_outside(self, call: l.Instruction, callee: l.Value | None) -> None:
        """A function without a body sees all global variables with external linkage."""
        names = []
        if isinstance(callee, l.GlobalRef):
            names = [callee.name]
        elif not isinstance(callee, l.InlineAssembly):
            names = self.targets(call)
        if any(kind_of(name, self._module) is Kind.OUTSIDE for name in names):
            self._mention(l.GlobalRef(name) for name in external_variables(self._module))

    def _mention(self, values: Iterable[l.Value]) -> None:
        pending = [name for value in values for name in references(value)]
        while pending:
            name = pending.pop()
            if name in self._module.aliases:
                pending.extend(references(self._module.aliases[name]))
            elif name in self._module.functions:
                self.taken.add(name)
            elif name in self._module.globals and name not in self.used:
                self.used.add(name)
                initializer = self._module.globals[name].initializer
                if initializer is not None:
                    pending.extend(references(initializer))

    def _run_once(self) -> frozenset[str]:
        callers: dict[str, list[tuple[str, str]]] = {}
        for caller, calls in self.callees.items():
            for label, callee in calls:
                callers.setdefault(callee, []).append((caller, label))
        once: set[str] = set() if self.entry in callers else {self.entry}
        changed = True
        while changed:
            changed = False
            for callee, sites in callers.items():
                if callee in once or len(sites) != 1 or callee in self.recursive:
                    continue
                caller, label = sites[0]
                if caller in once and label not in self.loops(caller):
                    once.add(callee)
                    changed = True
        return frozenset(once)

    def _in_several_threads(self) -> frozenset[str]:
        """The functions that can run in two threads at the same time."""
        roots = {self.entry: 1}
        for caller, starts in self.spawned.items():
            for label, started in starts:
                again = caller not in self.once or label in self.loops(caller)
                roots[started] = roots.get(started, 0) + 1 + again
        threads: dict[str, int] = {}
        for root, count in roots.items():
            for name in self._called_from(root):
                threads[name] = threads.get(name, 0) + count
        return frozenset(name for name, count in threads.items() if count > 1)

    def _called_from(self, root: str) -> set[str]:
        """What a thread that starts in ``root`` can run."""
        found, pending = {root}, [root]
        while pending:
            name = pending.pop()
            here = Counter(self.callees[name]) - Counter(self.spawned[name])  # a block may start and call a function
            for _, callee in here:
                if callee not in found:
                    found.add(callee)
                    pending.append(callee)
        return found


def external_variables(module: l.Module) -> list[str]:
    """The global variables that other files can name."""
    return [v.name for v in module.globals.values() if not v.internal and not v.name.startswith(_OWN)]


def may_leave(instruction: l.Instruction, facts: CallFacts, module: l.Module) -> bool:
    """Whether it is a call that may run a function without a body and without another meaning; through a pointer, any
    call may."""
    if instruction.opcode != "call":
        return False
    match facts.resolve(instruction.callee):
        case l.GlobalRef(name):
            return kind_of(name, module) is Kind.OUTSIDE
        case l.InlineAssembly():
            return False
        case _:
            return True


def spawned(instruction: l.Instruction) -> str | None:
    """The function that a new thread runs, if the instruction starts one."""
    if instruction.opcode != "call" or instruction.callee != l.GlobalRef(SPAWN):
        return None
    target = instruction.operands[0]
    assert isinstance(target, l.GlobalRef)
    return target.name


def _fits(called: l.FunctionType, function: l.FunctionDefinition) -> bool:
    """Whether a call can reach a function: old C calls with fewer or unknown parameters, and ``void f() { … }`` may be
    called with any."""
    defined = function.type
    if called.variadic or defined.variadic:
        return True
    if not defined.parameters and function.info is not None and not function.info.is_prototyped(function.debug):
        return True
    ignores_result = isinstance(called.result, l.VoidType)
    if not ignores_result and isinstance(defined.result, l.VoidType):
        return False
    return called.parameters == defined.parameters


def _takes_as_many(called: l.FunctionType, function: l.FunctionDefinition) -> bool:
    return len(called.parameters) == len(function.type.parameters)


def _in_cycles(graph: Mapping[str, list[str]]) -> frozenset[str]:
    """The nodes on a cycle, by Tarjan's algorithm without recursion."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_stack: set[str] = set()
    stack: list[str] = []
    found: set[str] = set()
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(graph[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            child = next((c for c in rest if c in graph), None)
            if child is not None:
                if child not in index:
                    index[child] = low[child] = len(index)
                    stack.append(child)
                    on_stack.add(child)
                    work.append((child, iter(graph[child])))
                elif child in on_stack:
                    low[node] = min(low[node], index[child])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                component = []
                while True:
                    top = stack.pop()
                    on_stack.discard(top)
                    component.append(top)
                    if top == node:
                        break
                if len(component) > 1 or node in graph[node]:
                    found.update(component)
    return frozenset(found)
