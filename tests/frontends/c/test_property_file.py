"""Property files: what they mean, and the words for those that are not checked."""

from __future__ import annotations

import pytest

from cleave.errors import InputError, UnsupportedError
from cleave.frontends.c.property_file import properties_of, read_properties


@pytest.mark.parametrize(
    ("formula", "name"),
    [
        ("LTL(G ! call(reach_error()))", "assertions"),
        ("LTL(G ! call(__VERIFIER_error()))", "assertions"),
        ("LTL(G ! label(ERROR))", "error-label"),
        ("LTL(G ! data-race)", "data-race"),
        ("LTL( G !data-race )", "data-race"),
        ("LTL(G ! deadlock)", "deadlock"),
    ],
)
def test_known(formula: str, name: str) -> None:
    assert read_properties("p.prp", f"CHECK( init(main()), {formula} )\n\n".encode()) == (name,)


def test_every_check_of_a_file_counts() -> None:
    text = b"CHECK( init(main()), LTL(G ! deadlock) )\n\nCHECK( init(main()), LTL(G ! data-race) )\n"
    assert read_properties("p.prp", text) == ("deadlock", "data-race")


def test_one_that_is_not_checked_is_not_left_out() -> None:
    text = b"CHECK( init(main()), LTL(G ! deadlock) )\nCHECK( init(main()), LTL(F end) )\n"
    with pytest.raises(UnsupportedError, match="termination is not checked yet"):
        read_properties("p.prp", text)


def test_comments_are_left_out() -> None:
    text = b"// about threads\nCHECK( init(main()), LTL(G ! deadlock) )\n"
    assert read_properties("p.prp", text) == ("deadlock",)


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("LTL(F end)", "termination"),
    ],
)
def test_not_checked(formula: str, told: str) -> None:
    with pytest.raises(UnsupportedError, match=rf"p\.prp: {told} .*is not checked yet; what can be checked is"):
        read_properties("p.prp", f"CHECK( init(main()), {formula} )".encode())


@pytest.mark.parametrize("formula", ["LTL(G ! call(other()))", "LTL(G ! data-race) && LTL(F x)"])
def test_unknown(formula: str) -> None:
    with pytest.raises(UnsupportedError, match="this property can't be checked"):
        read_properties("p.prp", f"CHECK( init(main()), {formula} )".encode())


def test_other_entry() -> None:
    with pytest.raises(UnsupportedError, match="this property can't be checked"):
        read_properties("p.prp", b"CHECK( init(start()), LTL(G ! data-race) )")


@pytest.mark.parametrize("text", [b"", b"int main(void);", b"CHECK(", b"CHECK( init(main()) )", b"// nothing"])
def test_no_property(text: bytes) -> None:
    with pytest.raises(InputError, match="a property expected"):
        read_properties("p.prp", text)


def test_no_text() -> None:
    with pytest.raises(InputError):
        read_properties("p.prp", b"\xff\xfe")


def test_of_a_task() -> None:
    assert properties_of("../properties/no-data-race.prp", None) == ("data-race",)
    assert properties_of("own.prp", b"CHECK( init(main()), LTL(G ! deadlock) )") == ("deadlock",)
    assert properties_of("own.prp", None) == ()
    assert properties_of("termination.prp", b"CHECK( init(main()), LTL(F end) )") == ()
