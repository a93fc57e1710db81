"""The control path of an execution, all that an engine has to tell about a violation: what `ir.path` defines.

    proc main() -> () { b0: call f() -> ()  assert e  return }
    proc f() -> ()    { fb: return }

    (Enter("main"), Visit("b0"), Enter("f"), Visit("fb"), Leave())      # and then the assertion fails, in b0

For `Property.ASSERTIONS` the violation comes after the path's last step and before the next `Enter` or `Visit`: at an
assertion, at the checked requires of a call, or at the checked ensures of a procedure that returns. Trailing `Leave`
steps may be left out. For `Property.END_REACHABLE` a path ends with the entry's `Leave`.
"""

from __future__ import annotations

from cleave.ir.path import Enter, Leave, Path, PathStep, Visit

__all__ = ["Enter", "IllegalPathError", "Leave", "Path", "PathStep", "Visit"]


class IllegalPathError(Exception):
    """A path takes a step that the program does not allow; the message says which."""
