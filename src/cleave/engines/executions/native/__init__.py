"""Executions in machine code: the program becomes C of Cleave's own, which runs a hundred times as fast as Python.

    run_natively(program, "main", seed=None, ...)          # Ended() | Failed(inputs, jumps) | None

The result is a claim. `validate.native` executes the program again, by a translation of its own.
"""
