"""``cleave unfold``: the number of instances when everything is inlined (the DAG paper's Figure 17)."""

from __future__ import annotations

import argparse
import json
from time import perf_counter
from typing import Any

from cleave.engines.inline.alone import recursion_limit
from cleave.engines.inline.complete import best, complete, tree_size
from cleave.engines.inline.conditions import Conditions
from cleave.engines.inline.merging import Merging, strategy
from cleave.engines.inline.options import InlineOptions
from cleave.engines.registry import engine
from cleave.frontends.read import read_program
from cleave.passes.entries import choose_entries
from cleave.passes.prepare import prepare
from cleave.run.options import flags, given


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "unfold",
        help="count the instances of the completely unfolded call graph",
        description="Unfolds the whole call graph up to the recursion bound and prints the number of procedure"
        " instances. A tree is counted, not built.",
    )
    parser.add_argument("file", help="a Boogie program (.bpl)")
    parser.add_argument(
        "--entry", metavar="PROC", help="the procedure to start from (default: the one marked {:entrypoint}, else main)"
    )
    flags(parser, (engine("inline"),), only=("bounds", "merging", "seed"))
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    started = perf_counter()
    chosen = InlineOptions(**given(options, (engine("inline"),)))
    bound = chosen.tried[-1]
    program = read_program(options.file)
    prepared = prepare(program, choose_entries(program, options.entry))
    conditions = Conditions(prepared.program, expand_straight=False)
    extra = {p.name: p.extra_recursion for p in prepared.program.procedures.values()}
    limit = recursion_limit(bound, extra)
    how = chosen.merging
    unfolding_started = perf_counter()
    if how is Merging.TREE:
        instances, merges = tree_size(conditions, prepared.entry, limit), 0
    else:
        if how is Merging.OPT:
            unfolding = best(conditions, prepared.entry, limit)
        else:
            unfolding = complete(conditions, prepared.entry, limit, strategy(how, chosen.seed))
        instances, merges = len(unfolding.instances), unfolding.merges
    done = perf_counter()
    report = {
        "file": options.file,
        "inlining": "tree" if how is Merging.TREE else "dag",
        "merge": None if how is Merging.TREE else how.value,
        "recursion_bound": bound,
        "procedures": len(conditions),
        "instances": instances,
        "merges": merges,
        "seconds": round(done - started, 3),
        "unfold_seconds": round(done - unfolding_started, 3),
    }
    if options.json:
        print(json.dumps(report))
    else:
        print(
            f"{instances} instances of {len(conditions)} procedures ({how.value}, recursion bound"
            f" {report['recursion_bound']}, {merges} merges, {report['seconds']} s)"
        )
    return 0
