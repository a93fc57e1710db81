"""What may be submitted: nothing that makes a job read files of the server."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave.errors import CleaveError, InputError, UsageError
from cleave.web.fields import arguments, chosen
from cleave.web.includes import check_includes, outside
from cleave.web.settings import Settings
from cleave.web.uploads import programs, received, safe_name

HARMLESS = (
    "#include <stdio.h>\n",
    "#include <sys/types.h> // of the library\n",
    '#include "own.h"\n',
    "int include = 1; int embed; /* we include it */\n",
    "int dependency;\n",
)
REFUSED = (
    '#include "/etc/passwd"\n',
    '#include "../../secret.h"\n',
    '#include "other.h"\n',
    "#include </etc/passwd>\n",
    "#include <../../../etc/passwd>\n",
    "#include <a/../../b>\n",
    '#define F "/etc/passwd"\n#include F\n',
    "#define F </etc/passwd>\n#include F\n",
    '# /* x */ include "/etc/passwd"\n',
    '#/*\n*/include "/etc/passwd"\n',
    '#inc\\\nlude "/etc/passwd"\n',
    '#inc\\ \t\nlude "/etc/passwd"\n',
    '%:include "/etc/passwd"\n',
    '??=include "/etc/passwd"\n',
    '#inc??/\nlude "/etc/passwd"\n',
    '#include_next "/etc/passwd"\n',
    '#import "/etc/passwd"\n',
    '#__include_macros "/etc/passwd"\n',
    'char s[] = {\n#embed "/etc/passwd"\n};\n',
    "char s[] = {\n#embed </etc/passwd>\n};\n",
    '#if __has_include("/etc/passwd")\n#endif\n',
    '#if __has_embed("/etc/passwd")\n#endif\n',
    '__asm__(".incbin \\"/etc/passwd\\"");\n',
    '#pragma GCC dependency "/etc/passwd"\n',
    '_Pragma("GCC dependency \\"/etc/passwd\\"")\n',
    'char *s = R"(/*)";\n#include "/etc/passwd"\nchar *t = R"(*/)";\n',
    '//\\\n\n#include "/etc/passwd"\n',
)


@pytest.mark.parametrize("text", HARMLESS)
def test_library_headers_and_submitted_files_may_be_included(text: str) -> None:
    check_includes("a.c", text.encode(), {"a.c", "own.h"})


@pytest.mark.parametrize("text", REFUSED)
def test_nothing_else_may(text: str) -> None:
    with pytest.raises(InputError, match="submitted"):
        check_includes("a.c", text.encode(), {"a.c", "own.h"})
    with pytest.raises(InputError):
        received([("a.c", b""), ("own.h", text.encode())], Settings(folder=Path(), jobs_folder=Path()))


def test_what_the_compiler_read_is_looked_at(tmp_path: Path) -> None:
    listed = f"input.o: {tmp_path}/a.c \\\n  {tmp_path}/with\\ space.h"
    assert outside(listed, [tmp_path], tmp_path) is None
    assert outside(f"{listed} /etc/passwd", [tmp_path], tmp_path) == "/etc/passwd"
    (tmp_path / "link.h").symlink_to("/etc/passwd")
    assert outside("input.o: link.h", [tmp_path], tmp_path) == "/etc/passwd"


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("/etc/passwd.c", "passwd.c"),
        ("..\\..\\x.c", "x.c"),
        ("a\x00b\n.c", "a_b_.c"),
        ("@x.c", "_@x.c"),
        ("--engine=x.c", "_--engine=x.c"),
        ("\u202egnp.c", "_gnp.c"),
        ("é" * 200 + ".c", "é" * 74 + ".c"),
    ],
)
def test_names_are_made_safe(given: str, made: str) -> None:
    assert safe_name(given) == made


@pytest.mark.parametrize("given", ["x.py", "x", "", "x.so", "job.json", "/"])
def test_other_files_are_refused(given: str) -> None:
    with pytest.raises(UsageError):
        safe_name(given)


TASK = (
    "format_version: '2.0'\ninput_files: {input}\nproperties:\n  - property_file: {prop}\n    expected_verdict: true\n"
)


@pytest.mark.parametrize(
    ("input", "prop", "fine"),
    [
        ("'a.c'", "../properties/unreach-call.prp", True),
        ("'a.c'", "own.prp", True),
        ("'/etc/passwd'", "own.prp", False),
        ("'../a.c'", "own.prp", False),
        ("['a.c', 'b.c']", "own.prp", False),
        ("'a.c'", "/etc/passwd", False),
        ("'a.c'", "../../x.prp", False),
        ("'a.c'", "../properties/../../x.prp", False),
    ],
)
def test_a_task_names_only_what_was_submitted(input: str, prop: str, fine: bool) -> None:
    files = {"t.yml": TASK.format(input=input, prop=prop).encode(), "a.c": b"", "own.prp": b""}
    if fine:
        assert programs(files, together=False) == [("t.yml",)]
    else:
        with pytest.raises(InputError):
            programs(files, together=False)


def test_c_files_are_one_program_if_wanted() -> None:
    files = {"a.c": b"", "b.c": b"", "x.h": b"", "p.bpl": b""}
    assert programs(files, together=True) == [("a.c", "b.c"), ("p.bpl",)]
    assert programs(files, together=False) == [("a.c",), ("b.c",), ("p.bpl",)]


SETTINGS = Settings(folder=Path(), jobs_folder=Path(), timelimit=60.0, workers=4, memory_mb=1000)


def test_options_become_words_that_are_never_files() -> None:
    told = chosen({"engine": "threads", "unwind": 3, "check": ["memory", "leaks"], "entry": "-x /etc/passwd"}, SETTINGS)
    words = arguments(told)
    assert all(word.startswith("--") for word in words)
    assert {"--engine=threads", "--unwind=3", "--check=memory,leaks", "--entry=-x /etc/passwd"} <= set(words)


@pytest.mark.parametrize(
    "given",
    [
        {"includes": "/etc"},
        {"-I": "/etc"},
        {"property_file": "/etc/passwd"},
        {"witness": "/tmp/x"},
        {"journal": "/tmp"},
        {"on": "ray"},
        {"timelimit": "61"},
        {"timelimit": "nan"},
        {"workers": "5"},
        {"workers": "²"},
        {"memlimit": "1001"},
        {"engine": "nothing"},
        {"unwind": "0"},
        {"unwind": {"a": 1}},
        {"entry": "a\nb"},
        {"entry": "a" * 2000},
    ],
)
def test_other_options_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(CleaveError):
        chosen(given, SETTINGS)


def test_options_of_several_words_and_switches_become_words_of_a_command(settings: Settings) -> None:
    given = {"trust": "f,g", "malloc_may_fail": "no", "loop_bound": "8", "only": ["division.1"], "cooperative": True}
    assert arguments(chosen(given, settings))[:6] == [
        *("--trust=f", "--trust=g", "--no-malloc-may-fail", "--loop-bound=8", "--only=division.1", "--cooperative")
    ]


@pytest.mark.parametrize(("name", "value"), [("trust", "-I"), ("trust", "f,/"), ("loop_bound", "-1"), ("only", "x")])
def test_values_that_do_not_fit_are_refused(settings: Settings, name: str, value: str) -> None:
    with pytest.raises(UsageError, match=f"^{name}: "):
        chosen({name: value}, settings)
