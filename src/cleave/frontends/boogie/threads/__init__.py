"""Concurrent Boogie, Corral's and Ultimate's, as the thread statements of the ir.

In the order in which a program passes through them: `starting` (while a body is lowered), then `finish`: `forks`,
`contracts`, `atomicity`, `thread_locals`, `symbols` and the entry.
"""
