"""Runs the program under many schedules, as a test would, before and between formulas: what a formula of all schedules
finds late, because it takes many contexts or many iterations, may be found so in a moment. A violation is a schedule to
be replayed. If none is found, nothing is claimed.

    probe(program, "main", seed=0, steps=100_000)         # Schedule(contexts, values, successors) or None; steps taken
"""
