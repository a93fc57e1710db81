"""Context-bounded analysis of programs with threads."""
