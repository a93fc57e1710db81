"""What an engine tells of a run: who did what, and what became of the parts of the search."""
