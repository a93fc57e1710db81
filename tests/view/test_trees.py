"""Trees as pages show them: as they were at any moment, with the rest of a large one in the colour that tells most."""

from __future__ import annotations

import re

from cleave.engines.review.drawings import Node, Series, Tree
from cleave.view.charts import figure
from cleave.view.tree import MOST, draw_tree


def test_a_search_whose_times_are_known_can_be_watched_again() -> None:
    nodes = (
        Node(id="", parent=None, label="whole search", state="split", begin=0.0, end=1.5),
        Node(id="0", parent="", label="avoiding f", state="closed", begin=1.5, end=4.0),
        Node(id="1", parent="", label="reaching f", state="open", begin=1.5),
    )
    drawn = draw_tree(Tree(title="t", nodes=nodes))
    assert 'data-moment="4"' in drawn
    assert re.findall(r'data-begin="([\d.]+)"', drawn) == ["0.00", "1.50", "1.50"]
    assert re.findall(r'data-end="([\d.]+)"', drawn) == ["1.50", "4.00"]
    timeless = (nodes[0], Node(id="1", parent="", label="f", state="closed"))
    assert "data-moment" not in draw_tree(Tree(title="t", nodes=timeless))


def test_what_is_known_of_the_whole_is_there_before_anything_is_chosen() -> None:
    node = Node(id="", parent=None, label="whole <search>", state="violated", details=("violated by worker 2 at 3 s",))
    drawn = draw_tree(Tree(title="t", nodes=(node,)))
    assert "<b>whole &lt;search&gt;</b><p>state: violated</p><p>violated by worker 2 at 3 s</p>" in drawn
    assert "Choose a part" not in drawn, "there is nothing else to choose"


def test_parts_that_are_drawn_as_one_show_what_is_left_to_do() -> None:
    def drawn(last: str) -> str:
        leaves = [Node(id=f"{n}", parent="", label="f", state="closed") for n in range(MOST + 10)]
        leaves[0] = Node(id="0", parent="", label="f", state=last)
        nodes = (Node(id="", parent=None, label="all", state="split"), *leaves[1:], leaves[0])
        return draw_tree(Tree(title="t", nodes=nodes))

    assert 'class="part rest s-closed"' in drawn("closed")


def test_of_several_trees_the_last_is_open() -> None:
    tree = Tree(title="t", nodes=(Node(id="", parent=None, label="start", state="expanded"),))
    assert figure(Series(title="s", members=(("one", tree), ("two", tree)))).count("<details open>") == 1
