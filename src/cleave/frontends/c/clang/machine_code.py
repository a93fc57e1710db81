"""Compiles C that Cleave wrote, without a C library, and runs it with limits.

    with built(source, check) as run:
        run(b"7\\n", seconds=10)          # Executed(code, output)

The program is a process of its own that has no system calls but to read its input, to get memory, to write its output
and to end. It ends with this call, or with this process. `C_RUNTIME` is what such a program begins with.
"""

from __future__ import annotations

import contextlib
import os
import platform
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

from cleave.errors import CleaveError, UnsupportedError
from cleave.frontends.c.clang.compile import compiler
from cleave.frontends.c.clang.passing import passing_folder

_LIMITED = Path(__file__).with_name("limited.py")
_COMPILER_SECONDS, _COMPILER_BYTES, _FILE_BYTES = 60, 4_000_000_000, 200_000_000
_MEMORY_BYTES = 2_000_000_000
_POLL_SECONDS = 0.02
_FLAGS = (
    *("-x", "c", "-w", "-O1", "-ffreestanding", "-nostdlib", "-static", "-fno-stack-protector", "-fno-builtin"),
    *("-fno-sanitize=all", "-fwrapv", "-fno-strict-aliasing", "-fno-crash-diagnostics"),
)

C_RUNTIME = """\
typedef unsigned long u64;
typedef unsigned __int128 u128;
typedef __int128 i128;
static long system_call(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}
static char out_buffer[65536];
static u64 out_used;
static void flush(void) {
  for (u64 done = 0; done < out_used;) {
    long wrote = system_call(1, 1, (long)(out_buffer + done), out_used - done, 0, 0, 0);
    if (wrote <= 0) break;
    done += wrote;
  }
  out_used = 0;
}
static void put(char letter) {
  if (out_used == sizeof out_buffer) flush();
  out_buffer[out_used++] = letter;
}
static void text(const char *letters) { while (*letters) put(*letters++); }
static void number(u128 value) {
  char digits[40]; int count = 0;
  do { digits[count++] = "0123456789abcdef"[(int)(value & 15)]; value >>= 4; } while (value);
  while (count) put(digits[--count]);
}
__attribute__((noreturn)) static void leave(int code) {
  flush();
  for (;;) system_call(231, code, 0, 0, 0, 0, 0);
}
static void *memory(u64 bytes) {  /* cleared, and never given back */
  static char *next; static u64 left;
  bytes = (bytes + 15) & ~15ul;
  if (bytes > left) {
    u64 size = bytes > (1ul << 22) ? bytes : 1ul << 22;
    long at = system_call(9, 0, size, 3, 0x22, -1, 0);
    if (at < 0 && at > -4096) { text("memory\\n"); leave(3); }
    next = (char *)at; left = size;
  }
  void *found = next;
  next += bytes; left -= bytes;
  return found;
}
static u64 input_number(void) {  /* hexadecimal, up to any other letter */
  static char letters[65536]; static long have, at;
  u64 value = 0;
  for (;;) {
    if (at == have) {
      have = system_call(0, 0, (long)letters, sizeof letters, 0, 0, 0); at = 0;
      if (have <= 0) { have = 0; return value; }
    }
    char letter = letters[at++];
    if (letter >= '0' && letter <= '9') value = value << 4 | (letter - '0');
    else if (letter >= 'a' && letter <= 'f') value = value << 4 | (letter - 'a' + 10);
    else return value;
  }
}
"""


class Executed(NamedTuple):
    """``code`` is negative where a signal ended it: out of time, or out of stack."""

    code: int
    output: bytes


class Run(Protocol):
    def __call__(self, given: bytes, *, seconds: int) -> Executed: ...


@contextmanager
def built(source: str, check: Callable[[], None]) -> Iterator[Run]:
    """Raises `MissingExtraError` where there is no compiler, and what ``check``, called often, raises."""
    if platform.machine() != "x86_64" or sys.platform != "linux":
        raise UnsupportedError("machine code is made for Linux on x86-64 only")
    with passing_folder() as folder:
        program = f"{folder}/program"
        environment = {"ZIG_LOCAL_CACHE_DIR": folder, "ZIG_GLOBAL_CACHE_DIR": folder, "HOME": folder, "PATH": ""}
        command = [compiler(), "cc", *_FLAGS, "-o", program, "-"]
        limits = (_COMPILER_BYTES * 4, _COMPILER_SECONDS, _FILE_BYTES)
        compiled = _run(command, source.encode(), limits, environment, check)
        if compiled.code or not os.path.exists(program):
            said = compiled.output.decode("utf-8", "replace").strip().splitlines()
            raise CleaveError(f"machine code can't be made: {said[0] if said else f'code {compiled.code}'}")

        def run(given: bytes, *, seconds: int) -> Executed:
            return _run([program], given, (_MEMORY_BYTES, seconds, 0), {}, check)

        yield run


def _run(
    command: Sequence[str],
    given: bytes,
    limits: tuple[int, int, int],
    environment: dict[str, str],
    check: Callable[[], None],
) -> Executed:
    about = [str(os.getpid()), *map(str, limits), "--"]
    with tempfile.TemporaryFile() as text:
        text.write(given)
        text.seek(0)
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_LIMITED), *about, *command],
            stdin=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            process_group=0,
        )
        try:
            while True:
                check()
                try:
                    found, _ = process.communicate(timeout=_POLL_SECONDS)
                    return Executed(process.returncode, found)
                except subprocess.TimeoutExpired:
                    continue
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
