"""A process that ends does not wait for a thread that the interpreter has frozen: found by signals to `cleave verify`,
where one in thirty never ended."""

from __future__ import annotations

import threading

from cleave.logic import terms
from cleave.logic.sorts import INT


def test_a_term_that_dies_when_the_interpreter_ends_needs_no_lock() -> None:
    term = terms.var("dies at the end", INT)
    (entry,) = (one for one in terms._table.values() if one() is term)
    with terms._removing:  # as a frozen thread does
        dying = threading.Thread(target=terms._forget, args=(entry, lambda: True), daemon=True)
        dying.start()
        dying.join(timeout=10)
        assert not dying.is_alive()
        waiting = threading.Thread(target=terms._forget, args=(entry, lambda: False), daemon=True)
        waiting.start()
        waiting.join(timeout=0.2)
        assert waiting.is_alive(), "at any other time it is removed with care"
    waiting.join(timeout=10)
    assert all(one() is not term for one in terms._table.values())
