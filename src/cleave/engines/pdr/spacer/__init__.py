"""SPACER, Z3's engine for Horn clauses: stopped, stepped and told lemmas from outside."""
