"""``cleave cluster``: scripts that run Cleave on many machines.

cleave cluster slurm --nodes 4 driver.bpl > job.sbatch; sbatch job.sbatch
"""

from __future__ import annotations

import argparse
import re
import shlex
from typing import Any

from cleave.cli.arguments import said, whole_number
from cleave.cli.printing import say
from cleave.errors import UsageError

_SCRIPT = """\
#!/bin/bash
#SBATCH --job-name=cleave
#SBATCH --nodes={nodes}
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task={cores}
#SBATCH --time={time}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=cleave-%j.out
set -euo pipefail

# One Ray on all nodes: the first is the head, and each node has as many workers as cores.
PORT={port}
NODES=($(scontrol show hostnames "$SLURM_JOB_NODELIST"))
HEAD=${{NODES[0]}}
RAY_NODE="ray start --block --disable-usage-stats --num-cpus=$SLURM_CPUS_PER_TASK"
srun --nodes=1 --ntasks=1 --overlap -w "$HEAD" $RAY_NODE --head --node-ip-address="$HEAD" --port="$PORT" &
HEAD_STEP=$!
OTHERS=$((SLURM_JOB_NUM_NODES - 1))
if [ "$OTHERS" -gt 0 ]; then
  srun --nodes="$OTHERS" --ntasks="$OTHERS" --overlap --exclude="$HEAD" $RAY_NODE --address="$HEAD:$PORT" &
  OTHER_STEPS=$!
fi
trap 'kill $HEAD_STEP ${{OTHER_STEPS:-}} 2>/dev/null || true' EXIT

# The journal is in a folder that all nodes see. A job that is requeued goes on with its run.
JOURNAL={journal}/$SLURM_JOB_ID
mkdir -p "$JOURNAL"
for attempt in $(seq 60); do
  kill -0 "$HEAD_STEP" 2> /dev/null || {{ echo "cleave: Ray does not run on $HEAD" >&2; exit 1; }}
  ray status --address="$HEAD:$PORT" > /dev/null 2>&1 && break
  sleep 2
done
if compgen -G "$JOURNAL/*.journal" > /dev/null; then
  cleave resume latest --journal "$JOURNAL"
else
  cleave verify {arguments} --on ray --address "$HEAD:$PORT" --workers $((SLURM_JOB_NUM_NODES * SLURM_CPUS_PER_TASK)) \\
    --journal "$JOURNAL"
fi
"""

_ARRAY = """\
#!/bin/bash
#SBATCH --job-name=cleave-parts
#SBATCH --array=0-{last}
#SBATCH --cpus-per-task={cores}
#SBATCH --time={time}
#SBATCH --requeue
#SBATCH --output=cleave-%A-%a.out
set -uo pipefail

# One part of `cleave shard` for each task of the array; `cleave join {folder}/*.json` makes one verdict of the results.
shopt -s nullglob
FOUND=({folder}/*."$SLURM_ARRAY_TASK_ID".ir {folder}/*."$SLURM_ARRAY_TASK_ID".smt2)
PART=${{FOUND[0]}}
srun cleave verify "$PART" {arguments} --json --quiet --workers "$SLURM_CPUS_PER_TASK" > "$PART.new"
mv "$PART.new" "$PART.json"
"""


def _time(text: str) -> str:
    """It stands in a line of its own for sbatch, which knows no quotes."""
    if not re.fullmatch(r"[0-9]+(-[0-9]+)?(:[0-9]+){0,2}", text):
        raise ValueError(f"{text!r} is not a time as Slurm writes it, such as 90, 08:00:00 or 2-12:00")
    return text


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "cluster",
        help="print a script that runs Cleave on many machines",
        description="Prints a script for sbatch. It starts one Ray on all nodes of the job and verifies there. A job"
        " that is requeued continues its run. With --parts, it prints a job array for what `cleave shard` wrote.",
    )
    parser.add_argument("scheduler", choices=("slurm",), help="the scheduler of the cluster")
    parser.add_argument("files", nargs="*", metavar="FILE", help="a program to verify")
    parser.add_argument("--nodes", type=whole_number, default=2, metavar="N", help="number of nodes (default 2)")
    parser.add_argument(
        "--cores", type=whole_number, default=16, metavar="N", help="number of cores of each node (default 16)"
    )
    parser.add_argument(
        "--time",
        type=said(_time),
        default="08:00:00",
        metavar="T",
        help="time limit of the job, as Slurm writes it (default 08:00:00)",
    )
    parser.add_argument("--port", type=whole_number, default=6379, metavar="P", help="port of Ray (default 6379)")
    parser.add_argument("--journal", default="cleave-runs", metavar="DIR", help="a folder that all nodes see")
    parser.add_argument(
        "--parts",
        type=whole_number,
        metavar="N",
        help="a job array with this number of tasks; FILE is the folder of the parts",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    given: list[str] = options.arguments
    further = given[given.index("--") + 1 :] if "--" in given else []
    if not options.files:
        raise UsageError("what is to be verified? Name a file, or with --parts the folder that cleave shard wrote to")
    told = {"cores": options.cores, "time": shlex.quote(options.time)}
    if options.parts is not None:
        if len(options.files) > 1:
            raise UsageError("--parts is for one folder")
        folder = shlex.quote(options.files[0])
        say(_ARRAY.format(last=options.parts - 1, folder=folder, arguments=shlex.join(further), **told).rstrip())
        return 0
    arguments = shlex.join([*options.files, *further])
    journal = shlex.quote(options.journal)
    say(_SCRIPT.format(nodes=options.nodes, port=options.port, journal=journal, arguments=arguments, **told).rstrip())
    return 0
