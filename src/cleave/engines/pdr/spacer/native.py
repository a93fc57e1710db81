"""The part of Z3's C interface that SPACER needs, and that z3py wraps only in part.

    fixedpoint = native.Z3_mk_fixedpoint(context.pointer)
    native.Z3_fixedpoint_add_callback(context.pointer, fixedpoint, None, new_lemma, predecessor, unfold)

The functions come from the library file that `smt.z3.native` has loaded already: the wheel holds two copies, and
pointers of one mean nothing to the other. The long calls let other threads run meanwhile; the callbacks take the
lock back.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Mapping
from typing import Any

from cleave.errors import InternalError
from cleave.smt.z3.native import Context, Library, lib, library_path

INFINITY = 2**32 - 1
"""SPACER's number for the limit of all levels."""

NEW_LEMMA = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint)
EVENT = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

_SIGNATURES = """
Z3_mk_fixedpoint: p p
Z3_fixedpoint_inc_ref: v pp
Z3_fixedpoint_dec_ref: v pp
Z3_fixedpoint_register_relation: v ppp
Z3_fixedpoint_add_rule: v pppp
Z3_fixedpoint_query: i ppp
Z3_fixedpoint_get_answer: p pp
Z3_fixedpoint_get_reason_unknown: s pp
Z3_fixedpoint_get_num_levels: u ppp
Z3_fixedpoint_get_cover_delta: p ppip
Z3_fixedpoint_set_params: v ppp
Z3_fixedpoint_get_statistics: p pp
Z3_fixedpoint_add_callback: v pppppp
Z3_fixedpoint_add_cover: v ppipp
Z3_fixedpoint_to_string: s ppua
Z3_interrupt: v p
Z3_params_set_symbol: v pppp
Z3_mk_parser_context: p p
Z3_parser_context_inc_ref: v pp
Z3_parser_context_dec_ref: v pp
Z3_parser_context_add_sort: v ppp
Z3_parser_context_add_decl: v ppp
Z3_parser_context_from_string: p pps
Z3_set_ast_print_mode: v pi
Z3_simplify: p pp
Z3_get_ast_id: u pp
Z3_mk_solver_for_logic: p pp
Z3_solver_from_string: v pps
Z3_solver_check: i pp
Z3_model_get_num_consts: u pp
Z3_model_get_const_decl: p ppu
Z3_model_get_num_funcs: u pp
Z3_model_get_func_decl: p ppu
"""

_LONG = frozenset(
    {
        *("Z3_fixedpoint_query", "Z3_fixedpoint_get_answer", "Z3_fixedpoint_get_cover_delta", "Z3_fixedpoint_dec_ref"),
        *("Z3_solver_from_string", "Z3_solver_check"),
    }
)


def _load() -> Library:
    try:
        return Library(library_path(), _SIGNATURES, _LONG)
    except (OSError, AttributeError) as error:
        raise InternalError(f"this libz3 has no SPACER interface: {error}") from error


native = _load()

_PRINT_SMTLIB2_COMPLIANT = 2


class _SortedDisjunctions:
    """Z3's own order of disjunctions, which `smt.z3.native` turns off, while SPACER works: there it is worth having. Of
    11 problems with three strategies, the same were solved or more, with between 0.3 and 1.3 times the cost. The option
    is one of the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0

    def begin(self) -> None:
        with self._lock:
            self._users += 1
            lib.Z3_global_param_set(_SORT_DISJUNCTIONS, b"true")

    def end(self) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                lib.Z3_global_param_set(_SORT_DISJUNCTIONS, b"false")


_SORT_DISJUNCTIONS = b"rewriter.sort_disjunctions"
SORTED_DISJUNCTIONS = _SortedDisjunctions()


class Fixedpoint:
    """One fixedpoint object in a context of its own; belongs to one thread. `close` frees it before its context."""

    def __init__(self, context: Context, options: Mapping[str, bool | int | str]) -> None:
        self.context = context
        made = native.Z3_mk_fixedpoint(context.pointer)
        if made is None:
            raise context.error()
        self.pointer: int = made
        native.Z3_fixedpoint_inc_ref(context.pointer, made)
        native.Z3_set_ast_print_mode(context.pointer, _PRINT_SMTLIB2_COMPLIANT)
        self._set(options)
        self._callbacks: tuple[Any, ...] = ()
        self._meter = lib.Z3_mk_simple_solver(context.pointer)
        lib.Z3_solver_inc_ref(context.pointer, self._meter)
        self._cost = 0

    def _set(self, options: Mapping[str, bool | int | str]) -> None:
        """Once, before anything else: setting options later drops the callbacks, and inside of one it crashes."""
        pointer = self.context.pointer
        params = lib.Z3_mk_params(pointer)
        lib.Z3_params_inc_ref(pointer, params)
        for name, value in options.items():
            symbol = self.context.symbol(name)
            if isinstance(value, bool):
                lib.Z3_params_set_bool(pointer, params, symbol, value)
            elif isinstance(value, int):
                lib.Z3_params_set_uint(pointer, params, symbol, value)
            else:
                native.Z3_params_set_symbol(pointer, params, symbol, self.context.symbol(value))
        native.Z3_fixedpoint_set_params(pointer, self.pointer, params)
        complaint = self.context.error_message()
        lib.Z3_params_dec_ref(pointer, params)
        if complaint:
            raise InternalError(f"Z3 refuses an option: {complaint}")

    def on_events(self, new_lemma: Any, predecessor: Any, unfold: Any) -> None:
        """Functions of no argument but `new_lemma`, which takes the native lemma and its level. None may raise."""
        self._callbacks = (
            NEW_LEMMA(lambda _state, lemma, level: new_lemma(lemma, level)),
            EVENT(lambda _state: predecessor()),
            EVENT(lambda _state: unfold()),
        )
        # Not through ctypes.cast, which would tie all that the callbacks know into a cycle of garbage.
        native.Z3_fixedpoint_add_callback(self.context.pointer, self.pointer, None, *self._callbacks)
        self.context.check()

    def query(self, goal: int) -> int:
        """1: the goal can be derived; -1: it can't; 0: see `Context.error_message`, or the reason."""
        return int(native.Z3_fixedpoint_query(self.context.pointer, self.pointer, goal))

    def reason(self) -> str:
        """Why there is no answer. Z3 says "ok" where it gives up without one, on nonlinear arithmetic for example."""
        reason = native.Z3_fixedpoint_get_reason_unknown(self.context.pointer, self.pointer) or b""
        return "it ended without an answer" if reason == b"ok" else reason.decode("utf-8", "replace")

    def cost(self) -> int:
        """Z3's count of work in this context, unwound from its 32 bits. Read through a solver that is otherwise unused:
        its statistics are short, and allowed in callbacks."""
        pointer = self.context.pointer
        statistics = lib.Z3_solver_get_statistics(pointer, self._meter)
        if statistics is None:
            return self._cost
        lib.Z3_stats_inc_ref(pointer, statistics)
        for place in range(lib.Z3_stats_size(pointer, statistics)):
            if lib.Z3_stats_get_key(pointer, statistics, place) == b"rlimit count":
                count = lib.Z3_stats_get_uint_value(pointer, statistics, place)
                difference = (count - self._cost) % 2**32
                if difference < 2**31:  # else it went back: Z3 does that when a limit of work was hit
                    self._cost += difference
        lib.Z3_stats_dec_ref(pointer, statistics)
        return self._cost

    def forget_error(self) -> None:
        """A complaint left by the last call of a callback would make the whole query fail: a call that succeeds."""
        lib.Z3_mk_true(self.context.pointer)

    def close(self) -> None:
        if self.pointer and self.context.usable():
            lib.Z3_solver_dec_ref(self.context.pointer, self._meter)
            native.Z3_fixedpoint_dec_ref(self.context.pointer, self.pointer)
        self.pointer = 0
        self._callbacks = ()
