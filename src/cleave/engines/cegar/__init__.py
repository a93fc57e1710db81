"""Counterexample-guided predicate abstraction of a transition system, in one process or in many."""
