"""One example for each rule of what programs do."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from cleave.ir.path import Enter, IllegalPathError, Leave, Visit
from cleave.ir.program import Block, Procedure
from cleave.ir.reader import read_program
from cleave.logic.terms import Term
from cleave.logic.values import Value, default_value
from cleave.validate.semantics.events import Blocked, Finished, Run, StepLimit, Violated
from cleave.validate.semantics.interpreter import Chooser, run
from cleave.validate.semantics.judge import INSTANCES_NOTE


class Scripted(Chooser):
    """Values by name, each used in turn, the last one for good; successors in turn, then the first."""

    def __init__(self, values: dict[str, Sequence[Value]] | None = None, blocks: Sequence[str] = ()) -> None:
        self.values = {name: list(script) for name, script in (values or {}).items()}
        self.blocks = list(blocks)
        self.asked: list[str] = []

    def value(self, variable: Term) -> Value:
        self.asked.append(variable.name)
        script = self.values.get(variable.name)
        if script is None:
            return default_value(variable.sort)
        return script.pop(0) if len(script) > 1 else script[0]

    def successor(self, procedure: Procedure, block: Block) -> str:
        return self.blocks.pop(0) if self.blocks else block.successors[0]


def execute(text: str, chooser: Chooser | None = None, *, max_steps: int = 1000) -> Run:
    return run(read_program(text), "main", chooser or Scripted(), max_steps=max_steps)


def main(body: str, declarations: str = "var g: Int\n", header: str = "") -> str:
    return f"{declarations}proc main(n: Int) -> (r: Int) {{\n{header}  local x: Int\n  local y: Int\n  b0:\n{body}}}\n"


def test_a_run_that_returns_is_finished() -> None:
    done = execute(main("    x := 1\n    return\n"))
    assert done.outcome == Finished()
    assert done.path == (Enter("main"), Visit("b0"), Leave())


def test_an_assertion_that_fails_is_a_violation() -> None:
    done = execute(main('    x := 1\n    assert (= x 1)\n    assert (= x 2) "two"\n    return\n'))
    assert isinstance(done.outcome, Violated)
    assert done.outcome.what == "two"
    assert done.path == (Enter("main"), Visit("b0"))
    assert [event.kind for event in done.events] == ["call", "block", "assign", "violation"]


def test_an_assumption_that_is_false_blocks() -> None:
    done = execute(main("    assume (< x 0)\n    assert false\n    return\n"))
    assert isinstance(done.outcome, Blocked)


def test_an_assignment_is_parallel() -> None:
    body = "    x, y := 1, 2\n    x, y := y, x\n    assert (not (and (= x 2) (= y 1)))\n    return\n"
    assert isinstance(execute(main(body)).outcome, Violated)


def test_havocs_initial_values_and_locals_are_chosen_in_the_order_of_execution() -> None:
    chooser = Scripted({"x": [5, 7]})
    text = main("    assert (= x 5)\n    havoc x, g\n    assert (= x 8)\n    return\n", "var g: Int\nconst c: Int\n")
    done = execute(text, chooser)
    assert isinstance(done.outcome, Violated)
    assert chooser.asked == ["c", "g", "n", "r", "x", "y", "x", "g"]
    assert dict(done.events[-2].values) == {t: v for t, v in done.events[-2].values if v in (7, 0)}


def test_the_entrys_requires_are_assumed() -> None:
    text = main("    assert false\n    return\n", header="  requires (< 3 n)\n")
    assert isinstance(execute(text, Scripted({"n": [3]})).outcome, Blocked)
    assert isinstance(execute(text, Scripted({"n": [4]})).outcome, Violated)


def test_axioms_are_assumed() -> None:
    text = main("    assert false\n    return\n", "const c: Int\naxiom (< 3 c)\n")
    assert isinstance(execute(text, Scripted({"c": [3]})).outcome, Blocked)
    assert isinstance(execute(text, Scripted({"c": [4]})).outcome, Violated)


def test_the_chooser_picks_the_successor() -> None:
    text = main("    goto b1, b2\n  b1:\n    assert false\n    return\n  b2:\n    return\n")
    assert isinstance(execute(text, Scripted(blocks=["b1"])).outcome, Violated)
    assert execute(text, Scripted(blocks=["b2"])).outcome == Finished()
    with pytest.raises(IllegalPathError, match="does not lead to block b0"):
        execute(text, Scripted(blocks=["b0"]))


def test_a_run_can_be_cut_off() -> None:
    assert execute(main("    goto b0\n"), max_steps=50).outcome == StepLimit()


CALLEE = """\
proc f(p: Int) -> (q: Int) {{
{contract}  fb:
    g := (+ g p)
    q := (+ g 1)
    return
}}
"""
CALLER = "    g := 10\n    call f(5) -> (x)\n    assert (not (and (= x 16) (= g 15)))\n    return\n"


def test_a_call_passes_arguments_and_returns_results() -> None:
    done = execute(main(CALLER) + CALLEE.format(contract=""))
    assert isinstance(done.outcome, Violated)
    assert done.path == (Enter("main"), Visit("b0"), Enter("f"), Visit("fb"), Leave())


@pytest.mark.parametrize(
    ("contract", "outcome", "what"),
    [
        ("requires (< p 5)", Violated, "requires of f"),
        ('requires (< p 5) "small"', Violated, "small"),
        ("requires free (< p 5)", Blocked, "requires of f is false"),
        ("requires (= g 10)", Violated, "assertion"),
        ("ensures (= q 17)", Violated, "ensures of f"),
        ("ensures free (= q 17)", Blocked, "ensures of f is false"),
        ("ensures (= g (+ |old(g)| p))", Violated, "assertion"),
        ("ensures (= g |old(g)|)", Violated, "ensures of f"),
    ],
)
def test_contracts_at_a_call(contract: str, outcome: type, what: str) -> None:
    done = execute(main(CALLER) + CALLEE.format(contract=f"  {contract}\n"))
    assert isinstance(done.outcome, outcome)
    assert isinstance(done.outcome, Violated | Blocked)
    assert done.outcome.what == what


def test_the_entrys_checked_ensures_are_checked_and_its_free_ones_not_assumed() -> None:
    free = main("    r := 1\n    return\n", header="  ensures free (= r 2)\n")
    assert execute(free).outcome == Finished()
    checked = main("    r := 1\n    return\n", header="  ensures (= r 2)\n")
    assert isinstance(execute(checked).outcome, Violated)


def test_old_in_a_body_is_the_value_at_its_entry() -> None:
    text = main("    g := 3\n    call f() -> ()\n    return\n") + (
        "proc f() -> () {\n  fb:\n    g := 4\n    assert (not (= |old(g)| 3))\n    return\n}\n"
    )
    assert isinstance(execute(text).outcome, Violated)


BODYLESS = "proc f(p: Int) -> (q: Int) {\n  ensures free (< p q)\n  ensures (= g (+ |old(g)| 1))\n  modifies g\n}\n"


def test_a_procedure_without_a_body_chooses_what_its_ensures_allow() -> None:
    text = main("    g := 1\n    call f(3) -> (x)\n    assert (not (and (= x 4) (= g 2)))\n    return\n") + BODYLESS
    good = execute(text, Scripted({"q": [4], "g": [0, 2]}))
    assert isinstance(good.outcome, Violated)
    assert good.path == (Enter("main"), Visit("b0"))
    assert isinstance(execute(text, Scripted({"q": [3], "g": [0, 2]})).outcome, Blocked)
    assert isinstance(execute(text, Scripted({"q": [4], "g": [0, 3]})).outcome, Blocked)


def test_reaching_the_end_can_be_the_violation() -> None:
    text = "property end-reachable\n" + main("    assert (= n 0)\n    return\n")
    done = execute(text)
    assert done.outcome == Violated("the end of main is reached", None, None)
    assert done.path[-1] == Leave()
    assert isinstance(execute(text, Scripted({"n": [1]})).outcome, Blocked)


def test_recursion_is_as_deep_as_it_needs_to_be() -> None:
    text = main("    call f(20000) -> (x)\n    assert (not (= x 0))\n    return\n") + (
        "proc f(p: Int) -> (q: Int) {\n  fb:\n    goto more, done\n  more:\n    assume (< 0 p)\n"
        "    call f((- p 1)) -> (q)\n    return\n  done:\n    assume (= p 0)\n    q := 0\n    return\n}\n"
    )

    class Descend(Scripted):
        left = 20_000

        def successor(self, procedure: Procedure, block: Block) -> str:
            self.left -= 1
            return "more" if self.left >= 0 else "done"

    assert isinstance(execute(text, Descend(), max_steps=200_000).outcome, Violated)


def test_undecided_assumptions_are_looked_at_again_at_the_end() -> None:
    """Only the assignment after it gives the value on which the first assumption is false."""
    body = "    assume (forall ((i Int)) (not (= (* i i) {})))\n    y := 77\n    assert false\n    return\n"
    assert isinstance(execute(main(body.format(77 * 77))).outcome, Blocked)
    other = execute(main(body.format(77 * 77 + 1)))
    assert isinstance(other.outcome, Violated)
    assert other.notes == (INSTANCES_NOTE,)
