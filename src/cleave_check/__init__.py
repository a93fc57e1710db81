"""Checks certificates of verdicts, without Cleave: it has its own reader of the ir, its own semantics and formulas.

    python -m cleave_check c.cleave [FILE ...]

Nothing here is imported from `cleave`, and nothing of an engine is needed to check what an engine found.
"""
