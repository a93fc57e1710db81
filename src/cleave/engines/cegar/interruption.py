"""How an engine that is interrupted in the middle of a computation gets out of it."""

from __future__ import annotations


class InterruptedSearchError(Exception):
    """Somebody asked the search to stop."""
