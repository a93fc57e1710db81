"""SPACER, Z3's engine for Horn clauses: stopped, stepped and given lemmas from outside."""
