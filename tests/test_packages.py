"""What others run: the archive's scripts, the action's script, the hook for pre-commit, the image."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

_ROOT = Path(__file__).parents[1]
_SCRIPT = _ROOT / ".ci" / "verify-changed"


def test_the_archive_runs_from_any_path(tmp_path: Path) -> None:
    folder = tmp_path / "some where" / "cleave"
    shutil.copytree(_ROOT / ".ci" / "archive", folder)
    (folder / "lib").symlink_to(_ROOT / "src")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHON": sys.executable}
    command = [str(folder / "smoketest.sh")]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line for line in done.stdout.splitlines() if line.startswith("ok")] == [
        "ok: safe.c is safe",
        "ok: unsafe.c is unsafe",
    ]


def test_a_smoketest_can_fail(tmp_path: Path) -> None:
    shutil.copytree(_ROOT / ".ci" / "archive", tmp_path / "cleave")
    (tmp_path / "cleave" / "cleave").write_text("#!/bin/bash\necho unknown\n")
    done = subprocess.run([str(tmp_path / "cleave" / "smoketest.sh")], capture_output=True, text=True, timeout=30)
    assert done.returncode == 1
    assert "WRONG: unsafe.c" in done.stdout


def _python(folder: Path, name: str, version: str) -> None:
    """One that only tells its version, and what it is asked to run."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f'#!/bin/bash\n[ "$1" = -I ] && echo {version} || echo "{name} $*"\n')
    (folder / name).chmod(0o755)


def _archive_says(archive: Path, path: Path) -> subprocess.CompletedProcess[str]:
    command = ["/bin/bash", str(archive / "cleave"), "--version"]
    return subprocess.run(command, env={"PATH": f"{path}:/usr/bin:/bin"}, capture_output=True, text=True, timeout=30)


def test_the_archive_takes_a_python_that_it_was_made_for(tmp_path: Path) -> None:
    shutil.copytree(_ROOT / ".ci" / "archive", tmp_path / "cleave")
    (tmp_path / "cleave" / "lib").mkdir()
    (tmp_path / "cleave" / "lib" / "pythons").write_text("3.88 3.99\n")
    _python(tmp_path / "bin", "python3", "3.99")
    assert _archive_says(tmp_path / "cleave", tmp_path / "bin").stdout == "python3 -P -m cleave.cli.main --version\n"
    _python(tmp_path / "bin", "python3", "3.77")
    done = _archive_says(tmp_path / "cleave", tmp_path / "bin")
    assert done.returncode == 1
    assert "needs Python 3.88 3.99, and python3 is 3.77" in done.stderr
    _python(tmp_path / "bin", "python3.88", "3.88")
    assert _archive_says(tmp_path / "cleave", tmp_path / "bin").stdout.startswith("python3.88 -P")


def test_an_archive_tells_its_pythons(tmp_path: Path) -> None:
    for name, tag in (("a", "py3-none-any"), ("b", "cp311-abi3-manylinux_2_17_x86_64")):
        (tmp_path / f"{name}-1.0.dist-info").mkdir()
        (tmp_path / f"{name}-1.0.dist-info" / "WHEEL").write_text(f"Wheel-Version: 1.0\nTag: {tag}\n")
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    subprocess.run([sys.executable, str(_ROOT / ".ci" / "more-pythons"), str(tmp_path), own], check=True, timeout=30)
    assert (tmp_path / "pythons").read_text() == f"{own}\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cleave-stub").write_text('#!/bin/bash\nprintf "%s\\n" "$@" > told\n')
    (tmp_path / "cleave-stub").chmod(0o755)
    for name in ("old.c", "new file.c", "gone.c"):
        (tmp_path / name).write_text("int main(void) { return 0; }\n")
    _git("init", "-q")
    _git("add", "old.c", "gone.c")
    _git("commit", "-qm", "one")
    (tmp_path / "gone.c").unlink()
    _git("add", "-A", "new file.c", "gone.c")
    _git("commit", "-qm", "two")
    return tmp_path


def _git(*arguments: str) -> None:
    subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *arguments], check=True)


def _told(folder: Path, **environment: str) -> list[str]:
    own = {**os.environ, "CLEAVE": str(folder / "cleave-stub"), **environment}
    subprocess.run([str(_SCRIPT)], env=own, cwd=folder, check=True, timeout=30)
    told = folder / "told"
    return told.read_text().splitlines() if told.exists() else []


_USUAL = ["--timelimit", "120s", "--fail-on", "unsafe", "--write", "sarif", "--out", "cleave-batch", "--"]


def test_the_action_verifies_what_changed(repository: Path) -> None:
    assert _told(repository, BASE="HEAD~1") == ["batch", "new file.c", *_USUAL]
    (repository / "told").unlink()
    assert _told(repository, BASE="HEAD") == []


def test_the_action_verifies_all_where_there_is_nothing_to_compare_with(repository: Path, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    _git("clone", "-q", "--depth", "1", repository.as_uri(), str(shallow))
    (shallow / "cleave-stub").symlink_to(repository / "cleave-stub")
    assert _told(shallow, BASE="0" * 40) == ["batch", "new file.c", "old.c", *_USUAL]


def test_the_action_takes_a_project_and_what_is_named(repository: Path) -> None:
    (repository / "cleave.toml").write_text("")
    assert _told(repository, OPTIONS="--check memory") == ["batch", *_USUAL, "--check", "memory"]
    assert _told(repository, FILES="a.c b.c", FAIL_ON="none")[:3] == ["batch", "a.c", "b.c"]


def test_the_action_and_the_hook_say_what_is_there() -> None:
    action = yaml.safe_load((_ROOT / "action.yml").read_text())
    steps = action["runs"]["steps"]
    (verify,) = [step for step in steps if step.get("name") == "verify"]
    used = set(re.findall(r"inputs\.([\w-]+)", str(action["runs"])))
    assert used == set(action["inputs"])
    assert set(verify["env"]) <= set(re.findall(r"\$\{(\w+)", _SCRIPT.read_text()))
    (hook,) = yaml.safe_load((_ROOT / ".pre-commit-hooks.yaml").read_text())
    extras = tomllib.loads((_ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert hook["additional_dependencies"] == [*extras["c"], *extras["sat"]]


def test_the_image_runs_as_a_user_without_rights() -> None:
    lines = [line.split() for line in (_ROOT / "Dockerfile").read_text().splitlines() if line.strip()]
    users = [line[1] for line in lines if line[0] == "USER"]
    assert users == ["cleave"]
    assert [line[0] for line in lines].index("ENTRYPOINT") > [line[0] for line in lines].index("USER")
