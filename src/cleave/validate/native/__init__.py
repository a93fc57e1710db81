"""Executes long executions again in machine code: `executions` claims, this decides, by a translation of its own."""
