"""The front end for clauses is chosen by a file's ending."""

from __future__ import annotations

import pytest

from cleave.frontends.clauses import holds_clauses, read_clauses
from support.horn_reading import verdict

FILES = {
    "a.smt2": "(set-logic HORN)(declare-fun P (Int) Bool)(assert (P 0))(assert (forall ((x Int)) (=> (P x) (< x 0))))",
    "a.PL": "false :- p(X), X >= 0. p(0).",
    "b.pl": "start(pc(a)). error(pc(a)).",
    "a.mcmt": """(define-state-type s ((x Int))) (define-transition-system T s (= x 0) (= x' x)) (query T (< x 0))""",
    "a.aag": "aag 0 0 0 1 0\n1\n",
    "a.aig": "aig 0 0 0 1 0\n1\n",
    "a.btor2": "1 sort bitvec 1\n2 one 1\n3 bad 2\n",
    "a.vmt": "(define-fun s () Bool (! true :init true)) (define-fun p () Bool (! false :invar-property 0))",
}


@pytest.mark.parametrize("file", FILES)
def test_each_ending(file: str) -> None:
    assert holds_clauses(file)
    assert verdict(read_clauses(file, FILES[file].encode())) == "unsafe"


@pytest.mark.parametrize("file", ["a.c", "a.bpl", "pl", "a.smv", "a"])
def test_other_files(file: str) -> None:
    assert not holds_clauses(file)
