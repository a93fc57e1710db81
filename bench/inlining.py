"""Tree against DAG inlining on SDV drivers: instances and solver cost on what both finish.

    python -m bench inlining --timelimit 20 --limit 20

A task counts if both runs end with a verdict within the time limit. The DAG run comes first, and a task that it does
not finish has no tree run. ``--limit N`` takes N tasks at even distances in the index; ``--only`` as for `bench.sdv`.
"""

from __future__ import annotations

import argparse

from bench.runs import Measured, run
from bench.tasks import Task, corral_times, tasks

GOAL_INSTANCES = 0.5  # the issue's: DAG inlines at most half as many procedures
GOAL_COST = 1.0  # and is cheaper in total


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--timelimit", type=float, default=20.0, help="seconds for each run (default 20)")
    parser.add_argument("--only", default="", help="corral: what Corral solved; else tasks whose name contains this")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="only N tasks, at even distances")
    parser.add_argument("--merge", default="first", help="the DAG's merging strategy (default first)")
    parser.add_argument("arguments", nargs="*", help="passed on to cleave verify, after --")


def main(options: argparse.Namespace) -> int:
    both: list[tuple[Measured, Measured]] = []
    only_dag = neither = wrong = 0
    print(f"{'task':58}{'verdict':>13}  {'instances':>17}  {'checks':>11}  {'cost (million)':>15}  {'seconds':>13}")
    print(f"{'':71}  {'tree':>9}{'dag':>8}  {'tree':>6}{'dag':>5}  {'tree':>8}{'dag':>7}  {'tree':>7}{'dag':>6}")
    for task in sample(_chosen(options.only), options.limit):
        dag = run(task, ["--engine=inline", f"--merge={options.merge}", *options.arguments], options.timelimit)
        wrong += dag.wrong
        if not dag.solved:
            neither += 1
            continue
        tree = run(task, ["--engine=inline", "--merge=tree", *options.arguments], options.timelimit)
        wrong += tree.wrong
        print(_row(tree, dag), flush=True)
        if tree.solved:
            both.append((tree, dag))
        else:
            only_dag += 1
    print(f"finished by both: {len(both)}, by dag only: {only_dag}, not by dag: {neither}; wrong verdicts: {wrong}")
    reached = _compare(both, "instances", GOAL_INSTANCES) & _compare(both, "cost", GOAL_COST)
    return int(bool(wrong) or not reached)


def _chosen(only: str) -> list[Task]:
    if only == "corral":
        corral = corral_times()
        return [task for task in tasks("sdv") if corral.get(task.name, ("TIMEOUT",))[0] != "TIMEOUT"]
    return [task for task in tasks("sdv") if only in task.path]


def sample(chosen: list[Task], limit: int) -> list[Task]:
    """``limit`` of the tasks, at even distances; all of them if ``limit`` is 0."""
    if not 0 < limit < len(chosen):
        return chosen
    return [chosen[place * len(chosen) // limit] for place in range(limit)]


def _row(tree: Measured, dag: Measured) -> str:
    t, d = tree.statistics, dag.statistics
    verdict = dag.verdict if tree.verdict == dag.verdict else f"{dag.verdict}|{tree.verdict}"
    return (
        f"{dag.task.name:54.54}{verdict:>17}  {t.get('instances', 0):>9}{d['instances']:>8}"
        f"  {t.get('checks', 0):>6}{d['checks']:>5}  {t.get('cost', 0) / 1e6:>8.1f}{d['cost'] / 1e6:>7.1f}"
        f"  {tree.seconds:>7.1f}{dag.seconds:>6.1f}"
    )


def _compare(both: list[tuple[Measured, Measured]], what: str, goal: float) -> bool:
    tree: int = sum(tree.statistics[what] for tree, _ in both)
    dag: int = sum(dag.statistics[what] for _, dag in both)
    if not tree:
        print(f"total {what}: nothing to compare")
        return False
    reached = dag / tree <= goal
    fewer = sum(dag.statistics[what] < tree.statistics[what] for tree, dag in both)
    print(
        f"total {what}: tree {tree}, dag {dag}, dag/tree {dag / tree:.2f} (goal at most {goal:g}:"
        f" {'reached' if reached else 'NOT reached'}); dag has less on {fewer} of {len(both)}"
    )
    return reached
