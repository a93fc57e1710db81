"""Becomes another program, which can do little: run as a script, by `running`, with the standard library alone.

    python -I -S confined.py 4711 4000000000 120 /home/me/src -- zig clang -        parent, bytes, seconds, folders

Whatever the program is made to do: it dies with the process that started it, has so much memory and processor time,
writes no file, and opens no socket. Where the kernel has Landlock (Linux 5.13), it reads nothing but what is below the
folders, and executes nothing but itself. Sockets are refused by a filter of system calls (seccomp).

A program that got all its limits here can't lift one of them again.
"""

import contextlib
import ctypes
import os
import resource
import signal
import struct
import sys
from typing import Any

_SET_DEATH_SIGNAL, _SET_SECCOMP, _SET_NO_NEW_PRIVILEGES = 1, 22, 38  # of prctl
_FILTER = 2  # a mode of seccomp
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # system calls, the same on every machine
_VERSION = 1  # a flag of the first
_BENEATH = 1  # a kind of rule
_EXECUTE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 2, 1 << 3
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1}  # that a version of Landlock knows
_DEVICES = (1 << 16) - 1  # from version 5 on
_TCP, _ABSTRACT_SOCKETS_AND_SIGNALS = 3, 3  # from versions 4 and 6 on
# The audit numbers of machines, and their numbers of the system calls that make sockets: socket, io_uring_setup.
_MACHINES = {"x86_64": (0xC000003E, (41, 425)), "aarch64": (0xC00000B7, (198, 425))}
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06  # instructions of a filter
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000 | 1  # the last one as EPERM

_library = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    parent, memory, seconds = map(int, sys.argv[1:4])
    folders, command = sys.argv[4 : sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1 :]
    confine(command[0], parent, memory, seconds, folders)
    os.execv(command[0], command)


def confine(program: str, parent: int, memory: int, seconds: int, folders: list[str]) -> None:
    """This process, for good. Other systems than Linux have limits on memory and time alone."""
    on_linux = sys.platform == "linux"
    if on_linux:
        _library.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died before this one could ask to die with it
        os._exit(1)
    for limit, wanted in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        most = resource.getrlimit(limit)[1]
        value = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(limit, (value, value))
    if on_linux:
        _library.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        _confine_files(program, folders)
        _refuse_sockets()


def _confine_files(program: str, folders: list[str]) -> None:
    """Nothing where there is no Landlock."""
    version = _library.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    if version < 1:
        return
    rights = _FILE_RIGHTS.get(version, _FILE_RIGHTS[3] if version == 4 else _DEVICES)
    asked = struct.pack("=QQQ", rights, _TCP, _ABSTRACT_SOCKETS_AND_SIGNALS)[
        : 8 if version < 4 else 16 if version < 6 else 24
    ]
    rules = _library.syscall(_CREATE_RULESET, asked, ctypes.c_size_t(len(asked)), ctypes.c_uint32(0))
    if rules < 0:
        return
    _allow(rules, program, _EXECUTE | _READ_FILE)
    for folder in folders:
        _allow(rules, folder, _READ_FILE | _READ_FOLDER)
    _library.syscall(_RESTRICT_SELF, rules, ctypes.c_uint32(0))
    os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    """What is not there can't be read either."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    rule = struct.pack("=Qi", rights, place)
    _library.syscall(_ADD_RULE, rules, _BENEATH, rule, ctypes.c_uint32(0))
    os.close(place)


def _refuse_sockets() -> None:
    if os.uname().machine not in _MACHINES:
        return
    machine, calls = _MACHINES[os.uname().machine]
    steps: list[tuple[int, int, int, int]] = [(_LOAD, 0, 0, 4), (_JUMP_IF_EQUAL, 1, 0, machine), (_RETURN, 0, 0, _KILL)]
    steps.append((_LOAD, 0, 0, 0))
    for call in calls:
        steps += [(_JUMP_IF_EQUAL, 0, 1, call), (_RETURN, 0, 0, _REFUSE)]
    steps.append((_RETURN, 0, 0, _ALLOW))
    packed = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program: Any = struct.pack("@HP", len(steps), ctypes.addressof(packed))
    _library.prctl(_SET_SECCOMP, _FILTER, program, 0, 0)


if __name__ == "__main__":
    main()
