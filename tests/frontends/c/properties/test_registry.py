"""The table of properties: Cleave's own, and one of another package, which appears wherever properties do."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cleave.cli.main import main
from cleave.errors import UsageError
from cleave.frontends.c.properties import registry
from cleave.frontends.c.properties.built_in import BUILT_IN

PLUGINS = Path(__file__).parents[3] / "support" / "plugins"
CALLS = """
char *gets(char *to);
int __VERIFIER_nondet_int(void);
int main(void) {
    char line[8];
    if (__VERIFIER_nondet_int() == 7)
        gets(line);
    return 0;
}
"""


@pytest.fixture
def banned(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if the toy package was installed."""
    monkeypatch.syspath_prepend(str(PLUGINS))
    registry.properties.cache_clear()
    yield
    registry.properties.cache_clear()


def test_names_are_unique() -> None:
    names = [name for one in BUILT_IN for name in {one.name, *one.aliases}]
    assert len(names) == len(set(names))
    assert registry.DEFAULT not in names


def test_each_says_what_it_is() -> None:
    for one in BUILT_IN:
        assert one.summary.endswith(".")
        assert one.help.endswith(".")
        assert not one.formulas or one.competition


def test_chosen_ones_are_in_the_order_of_the_table() -> None:
    names = [one.name for one in registry.chosen(("no-deadlock", "data-race", "reach", "assertions"))]
    assert names == [one.name for one in BUILT_IN if one.name in names]
    assert set(names) == {"assertions", "data-race", "deadlock"}


def test_the_default_can_be_extended() -> None:
    usual = {one.name for one in registry.chosen(None)}
    assert {one.name for one in registry.chosen(("default", "deadlock"))} == usual | {"deadlock"}
    assert "deadlock" not in usual


def test_an_unknown_name_is_an_error_that_lists_the_others() -> None:
    with pytest.raises(UsageError, match=r"'speed' is no property .* assertions, "):
        registry.chosen(("assertions", "speed"))


# --- one of another package -----------------------------------------------------------------------------------------


def verified(tmp_path: Path, source: str, *options: str) -> int:
    file = tmp_path / "a.c"
    file.write_text(source, encoding="utf-8")
    return main(["verify", "--workers=1", "--quiet", str(file), *options])


@pytest.mark.usefixtures("banned")
def test_it_is_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["verify", "--help"])
    assert "banned" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["verify", "--help-all"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "banned: a function is called that nobody should call" in shown


@pytest.mark.usefixtures("banned")
@pytest.mark.parametrize("name", ["banned", "no-banned-calls", "assertions,banned"])
def test_it_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    log = tmp_path / "log.sarif"
    assert verified(tmp_path, CALLS, "--check", name, "--sarif", str(log)) == 10
    out = capsys.readouterr().out.splitlines()
    checked = "assertions, banned" if "," in name else "banned"
    assert out[1] == f"  checked: {checked}"
    assert "gets is called in main" in out[2]
    run = json.loads(log.read_text())["runs"][0]
    result = run["results"][0]
    assert result["ruleId"] == "banned"
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert (rule["id"], rule["help"]["text"]) == ("banned", "Use fgets and strlcpy.")


@pytest.mark.usefixtures("banned")
def test_its_number_is_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = CALLS.replace("gets(line);", "{ gets(line); gets(line); }").replace("== 7", "== 7 && line[0] == 1")
    assert verified(tmp_path, source, "--check", "banned", "--json") == 10
    found = json.loads(capsys.readouterr().out)
    assert found["checked"] == {"banned": 2}
    assert found["trace"]["check"] == {"property": "banned", "number": 1, "competition": "no-banned-calls"}


@pytest.mark.usefixtures("banned")
def test_a_property_file_states_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rule = tmp_path / "own.prp"
    rule.write_text("CHECK( init(main()), LTL(G ! call(gets())) )", encoding="utf-8")
    assert verified(tmp_path, CALLS, "--property-file", str(rule)) == 10
    assert "checked: banned" in capsys.readouterr().out


@pytest.mark.usefixtures("banned")
def test_a_message_tells_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = "char *strcpy(char *to, const char *from); int main(void) { char *none = 0; strcpy(none, 0); return 0; }"
    assert verified(tmp_path, source, "--check", "banned") == 10
    assert "strcpy to address 0" in capsys.readouterr().out


@pytest.mark.usefixtures("banned")
def test_it_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = CALLS.replace("== 7", "!= 7 && 0")
    assert verified(tmp_path, source, "--check", "banned") == 0
    assert capsys.readouterr().out.startswith("safe")


def test_without_the_package_it_is_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verified(tmp_path, CALLS, "--check", "banned") == 1
    assert "'banned' is no property" in capsys.readouterr().err


@pytest.mark.usefixtures("banned")
def test_a_name_can_be_taken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = importlib.import_module("toy_property")
    monkeypatch.setattr(toy, "BANNED", replace(toy.BANNED, name="deadlock"))
    with pytest.raises(UsageError, match="deadlock, whose name is taken"):
        registry.properties()
