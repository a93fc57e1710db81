"""The journal of a run: what its coordinator saw, in order, kept on disk before anything is done about it."""
