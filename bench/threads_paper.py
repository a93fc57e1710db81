"""The experiments of the paper's Table 2: programs, bounds, whether there is a violation, and how large its formulas
were."""

from __future__ import annotations

from dataclasses import dataclass

_FOLDER = "pthread/svcomp19/pthread-complex"
PROGRAMS = {
    "bounded_buffer": f"{_FOLDER}/bounded_buffer.i",
    "elimination_stack": f"{_FOLDER}/elimination_backoff_stack.i",
    "safestack": f"{_FOLDER}/safestack_relacy.i",
    "workstealing_queue": f"{_FOLDER}/workstealqueue_mutex-1.i",
}


@dataclass(frozen=True, slots=True)
class Experiment:
    """``clauses`` (millions) and ``seconds`` (with 1, 2, 4 and 8 cores) are the paper's, of MiniSat."""

    program: str
    unwind: int
    contexts: int
    expected: str = "unknown"
    clauses: float = 0.0
    seconds: tuple[int, ...] = ()
    is_usual: bool = False


# The paper unwinds the work-stealing queue four times, for a loop over four items that constants decide here.
TABLE = (
    Experiment("bounded_buffer", 2, 5, "unsafe", 19.65, (280, 312, 180, 140), is_usual=True),
    Experiment("bounded_buffer", 2, 6, "unsafe", 24.64, (842, 955, 584, 352)),
    Experiment("bounded_buffer", 3, 4, "safe", 25.85, (1063, 703, 472, 397)),
    Experiment("bounded_buffer", 3, 5, "unsafe", 34.57, (1052, 570, 1214, 706)),
    Experiment("elimination_stack", 1, 4, "safe", 24.28, (407, 360, 291, 293), is_usual=True),
    Experiment("elimination_stack", 1, 5, "safe", 32.53, (7440, 5041, 2965, 2019)),
    Experiment("elimination_stack", 1, 6, "safe", 40.79, (95518, 69826, 50601, 34278)),
    Experiment("safestack", 3, 4, "safe", 16.80, (685, 547, 482, 366), is_usual=True),
    Experiment("safestack", 3, 5, "safe", 22.60, (2607, 1060, 964, 949)),
    Experiment("safestack", 3, 6, "safe", 28.41, (14988, 10088, 6528, 4374)),
    Experiment("workstealing_queue", 2, 4, "safe", 62.16, (1239, 930, 830, 929)),
    Experiment("workstealing_queue", 2, 5, "safe", 78.41, (4545, 4361, 3391, 2637)),
    Experiment("workstealing_queue", 2, 6, "unsafe", 94.69, (1598, 1104, 1887, 499), is_usual=True),
)
