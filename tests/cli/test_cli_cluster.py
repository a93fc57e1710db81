"""``cleave cluster slurm``: the script, run by bash with stubs for Slurm's and Ray's commands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cleave.cli.main import main

_STUBS = {
    "scontrol": 'printf "n1\\nn2\\nn3\\n"',
    "srun": 'echo "srun $*" >> "$LOG"; case "$*" in *"cleave verify"*) shift 0; exec "$@";; esac; exec sleep 60',
    "ray": 'sleep 1; echo "ray $*" >> "$LOG"',  # until the others have begun
    "cleave": 'echo "cleave $*" >> "$LOG"; case "$1" in verify) touch "${@: -1}/x.journal";; esac',
}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in _STUBS.items():
        (folder / name).write_text(f"#!/bin/bash\n{text}\n")
        (folder / name).chmod(0o755)
    slurm = {
        "SLURM_JOB_ID": "7",
        "SLURM_JOB_NODELIST": "n[1-3]",
        "SLURM_JOB_NUM_NODES": "3",
        "SLURM_CPUS_PER_TASK": "8",
    }
    return {**os.environ, **slurm, "PATH": f"{folder}:{os.environ['PATH']}", "LOG": str(tmp_path / "log")}


def _run(script: str, environment: dict[str, str], folder: Path) -> list[str]:
    log = Path(environment["LOG"])
    log.unlink(missing_ok=True)
    subprocess.run(["bash", "-c", script], env=environment, cwd=folder, check=True, timeout=60)
    return log.read_text().splitlines()


def test_the_script_starts_ray_on_all_nodes_and_goes_on_when_requeued(
    tmp_path: Path, environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cluster", "slurm", "--nodes", "3", "--cores", "8", "my driver.bpl", "--", "--engine", "inline"]) == 0
    script = capsys.readouterr().out
    assert "#SBATCH --nodes=3" in script
    assert "#SBATCH --requeue" in script
    first = _run(script, environment, tmp_path)
    assert sum("--head" in line and "-w n1" in line for line in first) == 1
    assert sum("--nodes=2" in line and "--address=n1:6379" in line for line in first) == 1
    (verified,) = [line for line in first if line.startswith("cleave")]
    assert "verify my driver.bpl --engine inline --on ray --address n1:6379 --workers 24" in verified
    again = _run(script, environment, tmp_path)
    assert [line for line in again if line.startswith("cleave")] == ["cleave resume latest --journal cleave-runs/7"]


def test_a_job_whose_ray_ends_does_not_wait_for_it(
    tmp_path: Path, environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cluster", "slurm", "driver.bpl"]) == 0
    stubs = Path(environment["PATH"].split(":")[0])
    (stubs / "srun").write_text("#!/bin/bash\nexit 1\n")
    (stubs / "ray").write_text("#!/bin/bash\nexit 1\n")
    script = ["bash", "-c", capsys.readouterr().out]
    done = subprocess.run(script, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "Ray does not run on n1" in done.stderr
    assert not Path(environment["LOG"]).exists()


def test_a_job_array_solves_parts_that_can_be_joined(
    tmp_path: Path, environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.smt2").write_text(
        "(set-logic HORN)\n(declare-fun P (Int) Bool)\n(assert (forall ((x Int)) (=> (= x 0) (P x))))\n"
        "(assert (forall ((x Int)) (=> (P x) (P (+ x 1)))))\n"
        "(assert (forall ((x Int)) (=> (and (P x) (< x 0)) false)))\n"
    )
    assert main(["shard", str(tmp_path / "x.smt2"), "--parts", "2", "-o", str(tmp_path / "p")]) == 0
    capsys.readouterr()
    assert main(["cluster", "slurm", "p", "--parts", "2", "--cores", "1", "--", "--journal", "none"]) == 0
    script = capsys.readouterr().out
    assert "#SBATCH --array=0-1" in script
    real = Path(environment["PATH"].split(":")[0], "cleave")
    source = os.pathsep.join(sys.path)
    real.write_text(f'#!/bin/bash\nPYTHONPATH="{source}" exec "{sys.executable}" -m cleave.cli.main "$@"\n')
    for number in ("0", "1"):
        _run(script, environment | {"SLURM_ARRAY_TASK_ID": number, "SLURM_CPUS_PER_TASK": "1"}, tmp_path)
    assert main(["join", *map(str, sorted((tmp_path / "p").glob("*.json")))]) == 0
    assert capsys.readouterr().out.startswith("safe")


def test_mistakes_are_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cluster", "slurm"]) == 1
    assert "what is to be verified" in capsys.readouterr().err


@pytest.mark.parametrize("time", ["08:00\n#SBATCH --wrap=x", "", "soon"])
def test_a_time_is_no_line_of_the_script(time: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cluster", "slurm", "x.c", "--time", time]) == 1
    assert not capsys.readouterr().out
