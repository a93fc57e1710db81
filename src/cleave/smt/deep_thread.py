"""Threads with a deep stack, for solvers that recurse on deep terms."""

from __future__ import annotations

import threading
from collections.abc import Callable

STACK_BYTES = 512 * 1024 * 1024
_STACK_SIZE = threading.Lock()
"""Held while the size of stacks, which is a setting of the process, is another one."""


def deep_thread(work: Callable[[], None], name: str) -> threading.Thread:
    """Starts it."""
    thread = threading.Thread(target=work, name=name, daemon=True)
    with _STACK_SIZE:
        before = threading.stack_size(STACK_BYTES)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    return thread
