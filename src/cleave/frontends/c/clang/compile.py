"""C to LLVM's text form, by the Clang inside the ``ziglang`` wheel.

    compile_c("x.c", b"int main(void) { return 0; }", COptions())        '; ModuleID = …  define i32 @main() …'

No optimisation runs: -O0 keeps C's meaning. Debug information gives lines and names. The content is given to the
compiler with a line marker, so messages, ``__FILE__`` and debug information name the file as the user did, wherever
the content came from. Line markers inside a preprocessed file (``.i``) are blanked: its lines are the lines that the
user sees.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import re
import signal
from pathlib import Path, PurePath
from time import monotonic

from cleave.errors import InputError, MissingExtraError, UnsupportedError
from cleave.frontends.c.clang.annotations import with_assertions
from cleave.frontends.c.clang.asynchronous import with_ends
from cleave.frontends.c.clang.library import FOLDER, HEADERS, PREFIX
from cleave.frontends.c.clang.running import CPU_SECONDS, MEMORY_MB, Ran, run_compiler
from cleave.frontends.c.options import COptions
from cleave.frontends.c.properties.built_in import (
    ARRAY_BOUNDS,
    ARRAY_LENGTHS,
    ASSERTIONS,
    DATA_RACE,
    ERROR_LABEL,
    MEMORY,
)
from cleave.frontends.c.properties.registry import DEFAULT, chosen
from cleave.frontends.limits import NO_LIMITS, ReadingLimits
from cleave.verdict import Reason, StoppedError

_log = logging.getLogger(__name__)

# The systems that programs are compiled for, each with the minor version of its C library.
_TARGETS = {32: ("i386-unknown-linux5.10.0-gnu2.34.0", 34), 64: ("x86_64-unknown-linux5.10.0-gnu2.31.0", 31)}
_SYSTEM_HEADERS = (
    *("include", "libc/include/x86-linux-gnu", "libc/include/generic-glibc"),
    *("libc/include/x86-linux-any", "libc/include/any-linux-any"),
)
_FLAGS = (
    *("-x", "c", "-O0", "-g", "-gdwarf-4", "-S", "-emit-llvm", "-fPIC"),
    *("--no-default-config", "-nostdinc", "-fno-spell-checking", "-fno-crash-diagnostics"),
    *("-fno-discard-value-names", "-fno-sanitize=all", "-fno-stack-protector", "-fno-builtin", "-ffp-contract=off"),
    *("-Xclang", "-disable-O0-optnone", "-D__NO_CTYPE", "-U_FORTIFY_SOURCE"),
)
_SCOPES = ("-Xclang", "-fsanitize-address-use-after-scope")
# Old C is accepted as compilers of its time did.
_TOLERANT = (
    "-w",
    "-Wno-error=implicit-function-declaration",
    "-Wno-implicit-function-declaration",
    "-Wno-implicit-int",
    "-Wno-incompatible-pointer-types",
    "-Wno-int-conversion",
    "-Wno-return-mismatch",
    "-Wno-incompatible-function-pointer-types",
)
# Types and a size that CBMC has built in, and a function of ESBMC that is given a variable.
_OTHER_VERIFIERS = (
    "-D__ESBMC_init_object(object)=__CPROVER_havoc_slice(&(object),sizeof(object))",
    "-D__CPROVER_size_t=__SIZE_TYPE__",
    "-D__CPROVER_ssize_t=__PTRDIFF_TYPE__",
    "-D__CPROVER_bool=_Bool",
    "-D__CPROVER_thread_local=_Thread_local",
    "-D__CPROVER_constant_infinity_uint=0x100000",  # the size of arrays without end
)
# A function that is only ``inline`` would have no body without optimisation: C wants another definition somewhere.
_INLINE = ("-Dinline=", "-D__inline=", "-D__inline__=")
_LINE_MARKER = re.compile(rb'^#[ \t]*(?:line[ \t]+)?\d+[ \t]+".*$', re.MULTILINE)
_PLACE = re.compile(
    r"^(?P<file>[^\n]+?):(?P<line>\d+):(?P<column>\d+): (?:fatal )?error: (?P<message>.*)$", re.MULTILINE
)
_ERROR = re.compile(r"^(?:zig|clang): error: (?P<message>.*)$|^(?:LLVM|fatal) (?i:error): (?P<crash>.*)$", re.MULTILINE)
_OUT_OF_MEMORY = re.compile(r"out of memory|bad_alloc|allocation failed", re.IGNORECASE)
_MESSAGE_CHARACTERS = 300
_FOR_32_BIT = re.compile(rb"\btypedef\s+unsigned\s+int\s+size_t\s*;|^# \d+ \"[^\"\n]*/gnu/stubs-32\.h\"", re.MULTILINE)


def declares_32_bit(content: bytes) -> bool:
    """Whether preprocessed C was made for a 32-bit system."""
    may_be = b"size_t" in content or b"stubs-32" in content  # far quicker, on a long line
    return may_be and _FOR_32_BIT.search(content) is not None


def compile_c(
    file: str, content: bytes, options: COptions, *, scopes: bool = False, limits: ReadingLimits = NO_LIMITS
) -> str:
    """The LLVM module in text form; what the compiler rejects is an `InputError` with the compiler's own words.
    ``scopes``: it tells where the blocks of locals begin and end."""
    if PurePath(file).suffix.lower() == ".i":
        content = _LINE_MARKER.sub(b"", content)
    content = _annotated(content, file, options)
    content = with_ends(content)
    name = file.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    target, minor = _TARGETS[options.bits or 64]
    home = Path(compiler()).parent
    system = [str(home / "lib" / folder) for folder in _SYSTEM_HEADERS]
    command = [
        *(compiler(), "clang", "-target", target, f"-D__GLIBC_MINOR__={minor}"),
        *(word for folder in system for word in ("-isystem", folder)),
        *_FLAGS,
        *(_SCOPES if scopes else ()),
        *_TOLERANT,
        *_flags(file, options),
        *_sanitizers(options),
        "-fdebug-compilation-dir=.",  # names in #line stay as they are
        *("-o", "-", "-"),
    ]
    _log.debug("%s", " ".join(command))
    started = monotonic()
    ran = run_compiler(command, f'# 1 "{name}"\n'.encode() + content, readable_folders(file, options), limits)
    if ran.code != 0 or ran.is_too_long or not ran.output:
        raise _rejected(file, content, ran, limits)
    _log.info("compiled %s for %d bit in %.1f s", file, options.bits or 64, monotonic() - started)
    return ran.output.decode("utf-8", "replace")


def _sanitizers(options: COptions) -> list[str]:
    """Given to the compiler behind its driver, which wants to link a library for them, and groups them."""
    names = dict.fromkeys(name for one in chosen(options.checks) for name in one.sanitizers)
    if not options.array_bounds or {MEMORY, DEFAULT}.isdisjoint(options.checks or (DEFAULT,)):
        names.pop(ARRAY_BOUNDS, None)
        names.pop(ARRAY_LENGTHS, None)
    return ["-Xclang", f"-fsanitize={','.join(names)}"] if names else []


def _annotated(content: bytes, file: str, options: COptions) -> bytes:
    """With the assertions in comments, if they are to be checked. What they read is no access of the program."""
    wanted = {one.name for one in chosen(options.checks)}
    if wanted.isdisjoint((ASSERTIONS, ERROR_LABEL)):
        return content
    made = with_assertions(content, file)
    if made != content and DATA_RACE in wanted:
        told = "assertions in comments and data races can't be checked together: use --check with one of them"
        raise UnsupportedError(told, file=file)
    return made


def compiler() -> str:
    found = importlib.util.find_spec("ziglang")
    if found is None or found.origin is None:
        raise MissingExtraError("reading C needs Clang", "c")
    return str(Path(found.origin).with_name("zig"))


def readable_folders(file: str, options: COptions) -> list[str]:
    """By their whole paths. Nothing else is read for a program, whatever it includes or names as its source."""
    return [*_folders(file, options), str(HEADERS), str(Path(compiler()).parent)]


def _folders(file: str, options: COptions) -> list[str]:
    """Where headers of the program may be, by their whole paths: the compiler takes a word that begins with ``@`` for
    the name of a file with more options. The file's own folder comes first, as it does when a compiler reads the file
    itself."""
    return [os.path.abspath(folder) for folder in (os.path.dirname(file), *options.includes)]


def _flags(file: str, options: COptions) -> list[str]:
    own, *others = _folders(file, options)
    flags = ["-iquote", own, *_OTHER_VERIFIERS, *_INLINE]
    flags += [f"-D{define}" for define in options.defines]
    for folder in others:
        flags += ["-I", folder]
    flags += ["-idirafter", str(HEADERS), f"-fdebug-prefix-map={FOLDER}/={PREFIX}"]
    return flags


def _rejected(file: str, content: bytes, ran: Ran, limits: ReadingLimits) -> InputError | StoppedError:
    """The compiler's first error, with its place."""
    place = _PLACE.search(ran.said)
    if place is not None and ran.code >= 0:
        more = len(_PLACE.findall(ran.said)) - 1
        also = f" (and {more} more error{'s' if more > 1 else ''})" if more else ""
        hint = "; headers are read from the program's folder and below those given with -I" * _is_outside(place)
        line, lines = int(place["line"]), content.splitlines()
        return InputError(
            f"the C compiler says: {place['message'][:_MESSAGE_CHARACTERS]}{hint}{also}",
            file=place["file"],
            line=line,
            column=int(place["column"]),
            source_line=_shown(lines[line - 1]) if place["file"] == file and 0 < line <= len(lines) else None,
        )
    if ran.is_too_long:
        return InputError("what the C compiler makes of the program is too long", file=file)
    if _OUT_OF_MEMORY.search(ran.said):
        return StoppedError(
            Reason.MEMORY, f"the C compiler needs more than {limits.memory_mb or MEMORY_MB} MB for {file}"
        )
    if ran.code == -signal.SIGXCPU or ran.code == -signal.SIGKILL:
        return InputError(f"the C compiler did not end within {CPU_SECONDS} s of processor time", file=file)
    if ran.code < 0:
        why = "nested too deeply for it" + f", or it needs more than {limits.memory_mb} MB" * (limits.memory_mb > 0)
        name = signal.Signals(-ran.code).name
        return InputError(f"the C compiler crashed ({name}): perhaps the program is {why}", file=file)
    said = _ERROR.search(ran.said)
    words = (said["message"] or said["crash"]) if said is not None else ran.said.strip().partition("\n")[0]
    return InputError(f"the C compiler failed: {words[:_MESSAGE_CHARACTERS]}", file=file)


def _is_outside(place: re.Match[str]) -> bool:
    return "Permission denied" in place["message"] or "Operation not permitted" in place["message"]


def _shown(line: bytes) -> str:
    return line.decode("utf-8", "replace").expandtabs(1)
