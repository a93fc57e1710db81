"""What the compiler can't do, whatever the program says, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from time import monotonic, sleep

import pytest

from cleave.errors import InputError
from cleave.frontends.c.clang import confined, running
from cleave.frontends.c.clang.compile import compile_c, compiler
from cleave.frontends.c.clang.running import run_compiler
from cleave.frontends.c.options import COptions
from cleave.frontends.limits import ReadingLimits
from cleave.verdict import Reason, StoppedError
from support.processes import children

_HAS_LANDLOCK = confined._library.syscall(confined._CREATE_RULESET, None, 0, confined._VERSION) > 0
_needs_landlock = pytest.mark.skipif(not _HAS_LANDLOCK, reason="this kernel has no Landlock")
_FOLDER = Path(confined.__file__).parent
_BOMB = (
    b"#define A0 x\n" + b"".join(b"#define A%d A%d+A%d\n" % (n + 1, n, n) for n in range(60)) + b"int x; int y = A60;"
)


def in_python(code: str, seconds: int = 10, folders: str = "/") -> subprocess.CompletedProcess[str]:
    """What Python says of some code, after it was confined as the compiler is."""
    confine = f"confined.confine('/nothing', os.getppid(), 1_000_000_000, {seconds}, ['{folders}'])"
    whole = f"import os, sys, socket; sys.path.insert(0, {str(_FOLDER)!r}); import confined; {confine}\n{code}"
    return subprocess.run([sys.executable, "-I", "-S", "-c", whole], capture_output=True, text=True, check=False)


def gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def _is_compiling(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().startswith(compiler().encode())
    except OSError:
        return False


def test_headers_of_the_program_and_of_given_folders_are_read(tmp_path: Path) -> None:
    for name in ("own", "given"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.h").write_text(f"int {name};")
    (tmp_path / "own" / "below").mkdir()
    (tmp_path / "own" / "below" / "b.h").write_text("#include <stdint.h>\nint32_t below;")
    text = b'#include "own.h"\n#include "below/b.h"\n#include <given.h>\nint all(void) { return own + below + given; }'
    options = COptions(includes=(str(tmp_path / "given"),))
    assert "define i32 @all" in compile_c(str(tmp_path / "own" / "x.c"), text, options)


@_needs_landlock
@pytest.mark.parametrize("path", ["{0}/secret.h", "../secret.h", "link.h", "/dev/zero", "/proc/self/environ"])
def test_other_files_are_not_read(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.h").write_text("password")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "link.h").symlink_to(tmp_path / "secret.h")
    with pytest.raises(InputError, match="given with -I") as refused:
        compile_c(str(tmp_path / "own" / "x.c"), f'#include "{path.format(tmp_path)}"\n'.encode(), COptions())
    assert "password" not in str(refused.value)
    assert len(str(refused.value)) < 600


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("socket.socket()", "PermissionError"),
        ("socket.socket(socket.AF_UNIX)", "PermissionError"),
        ("open({file!r}, 'w').write('x' * 10_000)", "Error"),
        ("bytearray(2_000_000_000)", "MemoryError"),
        ("os.execv('/bin/true', ['true'])", "PermissionError"),
    ],
)
def test_there_is_no_network_no_file_to_write_and_little_memory(tmp_path: Path, code: str, said: str) -> None:
    if "exec" in code and not _HAS_LANDLOCK:
        pytest.skip("this kernel has no Landlock")
    done = in_python(f"print('confined', flush=True)\n{code.format(file=str(tmp_path / 'made'))}\nprint('done')")
    assert done.stdout == "confined\n"
    assert said in done.stderr or done.returncode == -signal.SIGXFSZ
    assert not (tmp_path / "made").exists() or not (tmp_path / "made").read_bytes()


def test_processor_time_has_a_limit() -> None:
    assert in_python("while True: pass", seconds=1).returncode in (-signal.SIGXCPU, -signal.SIGKILL)


def test_output_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "OUTPUT_BYTES", 100_000)
    before = set(children(os.getpid()))  # of other tests
    text = b'#define S "' + b"x" * 1000 + b'"\n' + _BOMB.replace(b"A0 x", b"A0 S")
    ran = run_compiler([compiler(), "clang", "-E", "-x", "c", "-"], text, [], ReadingLimits(end=monotonic() + 20))
    assert ran.is_too_long
    assert set(children(os.getpid())) <= before


def test_a_macro_that_grows_and_grows_ends_at_the_time_limit() -> None:
    started, before = monotonic(), set(children(os.getpid()))
    with pytest.raises(StoppedError) as stopped:
        compile_c("x.c", _BOMB, COptions(), limits=ReadingLimits(end=started + 0.5))
    assert stopped.value.reason is Reason.TIMEOUT
    assert monotonic() - started < 1.5
    assert set(children(os.getpid())) <= before


def test_a_macro_that_grows_and_grows_ends_at_the_memory_limit() -> None:
    with pytest.raises(StoppedError) as stopped:
        compile_c("x.c", _BOMB, COptions(), limits=ReadingLimits(memory_mb=400))
    assert stopped.value.reason is Reason.MEMORY
    assert "x.c" in stopped.value.detail


def test_somebody_asks_to_stop() -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    with pytest.raises(StoppedError) as stopped:
        compile_c("x.c", _BOMB, COptions(), limits=ReadingLimits(stop=stop))
    assert stopped.value.reason is Reason.INTERRUPTED


def test_the_compiler_dies_with_a_process_that_is_killed() -> None:
    code = "from cleave.frontends.c.clang.compile import *\n"
    code += f"compile_c('x.c', {_BOMB!r}, COptions())"
    parent = subprocess.Popen([sys.executable, "-c", code])
    deadline = monotonic() + 20
    while not (found := [one for one in children(parent.pid) if _is_compiling(one)]) and monotonic() < deadline:
        sleep(0.02)
    parent.kill()
    parent.wait()
    while not all(map(gone, found)) and monotonic() < deadline:
        sleep(0.02)
    assert found
    assert all(map(gone, found))


def test_a_crash_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TMPDIR", "HOME", "XDG_CACHE_HOME"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(name, str(tmp_path / name))
    with pytest.raises(InputError, match="crashed"):
        compile_c("x.c", b"int x = " + b"!" * 300_000 + b"1;", COptions())
    compile_c("x.c", b"int x;", COptions())
    assert [path for path in tmp_path.rglob("*") if path.parent != tmp_path] == []


def test_the_environment_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other.h").write_text("int other;")
    monkeypatch.setenv("CPATH", str(tmp_path))
    with pytest.raises(InputError, match="file not found"):
        compile_c("x.c", b"#include <other.h>\n", COptions())


def test_messages_are_cut_to_the_first_error() -> None:
    text = b"int main(void) {\n  return 0\n}\n" + b"int int int;\n" * 30
    with pytest.raises(InputError) as refused:
        compile_c("x.c", text, COptions())
    assert str(refused.value).startswith("x.c:2:11: the C compiler says: expected ';' after return statement (and ")
    assert len(str(refused.value).splitlines()) == 3
