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
import subprocess
import tempfile
from pathlib import Path, PurePath
from time import monotonic

from cleave.errors import InputError, MissingExtraError, UnsupportedError
from cleave.frontends.c.clang.annotations import with_assertions
from cleave.frontends.c.clang.asynchronous import with_ends
from cleave.frontends.c.clang.library import HEADERS
from cleave.frontends.c.options import COptions
from cleave.frontends.c.properties.built_in import ASSERTIONS, DATA_RACE, ERROR_LABEL
from cleave.frontends.c.properties.registry import chosen

_log = logging.getLogger(__name__)

_TARGETS = {32: "x86-linux-gnu", 64: "x86_64-linux-gnu"}
_FLAGS = (
    *("-x", "c", "-O0", "-g", "-S", "-emit-llvm"),
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
    r"^(?P<file>[^\n:]+):(?P<line>\d+):(?P<column>\d+): (?:fatal )?error: (?P<message>.*)$", re.MULTILINE
)
_FOR_32_BIT = re.compile(rb"\btypedef\s+unsigned\s+int\s+size_t\s*;|^# \d+ \"[^\"\n]*/gnu/stubs-32\.h\"", re.MULTILINE)
_SECONDS = 120.0


def declares_32_bit(content: bytes) -> bool:
    """Whether preprocessed C was made for a 32-bit system."""
    return _FOR_32_BIT.search(content) is not None


def compile_c(file: str, content: bytes, options: COptions, *, scopes: bool = False) -> str:
    """The LLVM module in text form; what the compiler rejects is an `InputError` with the compiler's own words.
    ``scopes``: it tells where the blocks of locals begin and end."""
    if PurePath(file).suffix.lower() == ".i":
        content = _LINE_MARKER.sub(b"", content)
    content = _annotated(content, file, options)
    content = with_ends(content)
    name = file.replace("\\", "\\\\").replace('"', '\\"')
    marked = f'# 1 "{name}"\n'.encode() + content
    with tempfile.TemporaryDirectory(prefix="cleave-c-") as folder:
        # Not through standard input: the compiler would name the place of a copy of its own in messages.
        source, made = Path(folder, "input.c"), Path(folder, "output.ll")
        source.write_bytes(marked)
        command = [
            compiler(),
            "cc",
            "-target",
            _TARGETS[options.bits or 64],
            *_FLAGS,
            *(_SCOPES if scopes else ()),
            *_TOLERANT,
            *_paths(file, options),
            *_sanitizers(options),
        ]
        started = monotonic()
        try:
            whole = [*command, "-o", str(made), str(source)]
            _log.debug("%s", " ".join(whole))
            done = subprocess.run(whole, capture_output=True, timeout=_SECONDS, env=_environment())
        except subprocess.TimeoutExpired:
            raise InputError(f"the C compiler did not end within {_SECONDS:.0f} s", file=file) from None
        if done.returncode != 0 or not made.exists():
            raise _rejected(file, done.stderr.decode("utf-8", "replace"))
        _log.info("compiled %s for %d bit in %.1f s", file, options.bits or 64, monotonic() - started)
        return made.read_text("utf-8", "replace")


def _sanitizers(options: COptions) -> list[str]:
    """Given to the compiler behind its driver, which wants to link a library for them, and groups them."""
    names = dict.fromkeys(name for one in chosen(options.checks) for name in one.sanitizers)
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


def _environment() -> dict[str, str]:
    """Zig keeps a cache; where there is no home to keep it in, in the folder for temporary files."""
    environment = dict(os.environ)
    if "ZIG_GLOBAL_CACHE_DIR" not in environment and not os.access(os.path.expanduser("~"), os.W_OK):
        environment["ZIG_GLOBAL_CACHE_DIR"] = str(Path(tempfile.gettempdir(), "cleave-zig-cache"))
    return environment


def _paths(file: str, options: COptions) -> list[str]:
    """The file's own folder comes first, as it does when a compiler reads the file itself. Folders are given by their
    whole paths: the compiler takes a word that begins with ``@`` for the name of a file with more options."""
    flags = ["-iquote", os.path.abspath(os.path.dirname(file)), *_OTHER_VERIFIERS, *_INLINE]
    flags += [f"-D{define}" for define in options.defines]
    for folder in options.includes:
        flags += ["-I", os.path.abspath(folder)]
    flags += ["-idirafter", str(HEADERS)]
    return flags


def _rejected(file: str, said: str) -> InputError:
    """The compiler's first error with its place, and everything that it said."""
    place = _PLACE.search(said)
    if place is None:
        return InputError(f"the C compiler failed:\n{said.strip()}", file=file)
    return InputError(
        f"the C compiler says: {place['message']}\n{said.strip()}",
        file=place["file"],
        line=int(place["line"]),
        column=int(place["column"]),
    )
