"""An engine's review of a run: the work of each worker, and the state of each part of the search."""
