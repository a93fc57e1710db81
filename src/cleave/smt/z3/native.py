"""Z3's C interface, bound with ctypes: no z3py objects, native pointers are plain integers.

    context = Context()
    sort = context.lib.Z3_mk_int_sort(context.pointer)

z3py wraps every node of every term in Python objects and asks for the error code after every call; translating terms
and instantiating templates would spend most of its time there. A call that fails here returns a null pointer (None),
which `Context.own` and `Context.keep` turn into an `InternalError` with Z3's message.

The library file is looked up in the installed `z3` package without importing it. It is the very file that z3py loads,
so that a process which uses both holds one copy.
"""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cleave.errors import InternalError

_TYPES: dict[str, Any] = {
    "v": None,
    "p": ctypes.c_void_p,
    "a": ctypes.POINTER(ctypes.c_void_p),
    "u": ctypes.c_uint,
    "i": ctypes.c_int,
    "q": ctypes.c_longlong,
    "b": ctypes.c_bool,
    "d": ctypes.c_double,
    "s": ctypes.c_char_p,
}

# "name: result arguments", one letter a type (see above); the context is the first argument of nearly all.
_SIGNATURES = """
Z3_mk_config: p
Z3_del_config: v p
Z3_mk_context_rc: p p
Z3_del_context: v p
Z3_set_error_handler: v pp
Z3_get_error_code: i p
Z3_get_error_msg: s pi
Z3_toggle_warning_messages: v b
Z3_global_param_set: v ss
Z3_inc_ref: v pp
Z3_dec_ref: v pp
Z3_ast_to_string: s pp
Z3_mk_string_symbol: p ps
Z3_get_symbol_string: s pp
Z3_get_symbol_kind: i pp
Z3_get_symbol_int: i pp
Z3_mk_bool_sort: p p
Z3_mk_int_sort: p p
Z3_mk_real_sort: p p
Z3_mk_bv_sort: p pu
Z3_mk_array_sort: p ppp
Z3_mk_uninterpreted_sort: p pp
Z3_mk_datatype_sort: p ppua
Z3_mk_constructor: p pppuaaa
Z3_del_constructor: v pp
Z3_mk_constructor_list: p pua
Z3_del_constructor_list: v pp
Z3_mk_datatypes: v puaaa
Z3_get_datatype_sort_constructor: p ppu
Z3_get_datatype_sort_recognizer: p ppu
Z3_get_datatype_sort_constructor_accessor: p ppuu
Z3_mk_const: p ppp
Z3_mk_func_decl: p ppuap
Z3_mk_fresh_func_decl: p psuap
Z3_mk_fresh_const: p psp
Z3_mk_app: p ppua
Z3_mk_true: p p
Z3_mk_false: p p
Z3_mk_numeral: p psp
Z3_mk_int64: p pqp
Z3_mk_bound: p pup
Z3_mk_pattern: p pua
Z3_mk_quantifier_const_ex: p pbuppuauauap
Z3_mk_not: p pp
Z3_mk_and: p pua
Z3_mk_or: p pua
Z3_mk_implies: p ppp
Z3_mk_ite: p pppp
Z3_mk_eq: p ppp
Z3_mk_distinct: p pua
Z3_mk_add: p pua
Z3_mk_sub: p pua
Z3_mk_unary_minus: p pp
Z3_mk_mul: p pua
Z3_mk_div: p ppp
Z3_mk_mod: p ppp
Z3_mk_le: p ppp
Z3_mk_lt: p ppp
Z3_mk_int2real: p pp
Z3_mk_real2int: p pp
Z3_mk_select: p ppp
Z3_mk_store: p pppp
Z3_mk_const_array: p ppp
Z3_mk_concat: p ppp
Z3_mk_extract: p puup
Z3_mk_zero_ext: p pup
Z3_mk_sign_ext: p pup
Z3_mk_bvnot: p pp
Z3_mk_bvneg: p pp
Z3_mk_bvand: p ppp
Z3_mk_bvor: p ppp
Z3_mk_bvxor: p ppp
Z3_mk_bvadd: p ppp
Z3_mk_bvsub: p ppp
Z3_mk_bvmul: p ppp
Z3_mk_bvudiv: p ppp
Z3_mk_bvurem: p ppp
Z3_mk_bvsdiv: p ppp
Z3_mk_bvsrem: p ppp
Z3_mk_bvsmod: p ppp
Z3_mk_bvshl: p ppp
Z3_mk_bvlshr: p ppp
Z3_mk_bvashr: p ppp
Z3_mk_bvult: p ppp
Z3_mk_bvule: p ppp
Z3_mk_bvslt: p ppp
Z3_mk_bvsle: p ppp
Z3_mk_bv2int: p ppb
Z3_mk_int2bv: p pup
Z3_substitute: p ppuaa
Z3_substitute_vars: p ppua
Z3_mk_params: p p
Z3_params_inc_ref: v pp
Z3_params_dec_ref: v pp
Z3_params_set_bool: v pppb
Z3_params_set_uint: v pppu
Z3_params_set_double: v pppd
Z3_mk_solver: p p
Z3_mk_simple_solver: p p
Z3_solver_inc_ref: v pp
Z3_solver_dec_ref: v pp
Z3_solver_set_params: v ppp
Z3_solver_push: v pp
Z3_solver_pop: v ppu
Z3_solver_assert: v ppp
Z3_solver_check_assumptions: i ppua
Z3_solver_interrupt: v pp
Z3_solver_get_model: p pp
Z3_solver_get_unsat_core: p pp
Z3_solver_get_trail: p pp
Z3_solver_get_reason_unknown: s pp
Z3_solver_get_statistics: p pp
Z3_ast_vector_inc_ref: v pp
Z3_ast_vector_dec_ref: v pp
Z3_ast_vector_size: u pp
Z3_ast_vector_get: p ppu
Z3_stats_inc_ref: v pp
Z3_stats_dec_ref: v pp
Z3_stats_size: u pp
Z3_stats_get_key: s ppu
Z3_stats_is_uint: b ppu
Z3_stats_get_uint_value: u ppu
Z3_stats_get_double_value: d ppu
Z3_model_inc_ref: v pp
Z3_model_dec_ref: v pp
Z3_model_eval: b pppba
Z3_model_get_const_interp: p ppp
Z3_model_get_func_interp: p ppp
Z3_func_interp_inc_ref: v pp
Z3_func_interp_dec_ref: v pp
Z3_func_interp_get_num_entries: u pp
Z3_func_interp_get_entry: p ppu
Z3_func_interp_get_else: p pp
Z3_func_entry_inc_ref: v pp
Z3_func_entry_dec_ref: v pp
Z3_func_entry_get_value: p pp
Z3_func_entry_get_arg: p ppu
Z3_get_ast_kind: u pp
Z3_get_bool_value: i pp
Z3_get_numeral_string: s pp
Z3_is_algebraic_number: b pp
Z3_get_app_decl: p pp
Z3_get_app_num_args: u pp
Z3_get_app_arg: p ppu
Z3_get_decl_kind: u pp
Z3_get_decl_name: p pp
Z3_get_index_value: u pp
Z3_is_as_array: b pp
Z3_get_as_array_func_decl: p pp
Z3_get_quantifier_body: p pp
Z3_is_lambda: b pp
Z3_is_quantifier_forall: b pp
Z3_get_quantifier_bound_sort: p ppu
Z3_get_quantifier_num_bound: u pp
Z3_get_array_sort_range: p pp
Z3_get_array_sort_domain: p pp
Z3_get_bv_sort_size: u pp
Z3_get_sort_kind: i pp
Z3_get_decl_func_decl_parameter: p ppu
Z3_get_decl_int_parameter: i ppu
Z3_get_sort: p pp
"""

# The calls that may run long let other threads run meanwhile; the rest are so short that releasing the GIL would cost
# more than the call.
_LONG = frozenset({"Z3_solver_check_assumptions", "Z3_del_context", "Z3_solver_pop"})


class Library:
    """The functions of libz3 under their own names."""

    def __init__(self, path: Path, signatures: str, long: frozenset[str]) -> None:
        quick, waiting = ctypes.PyDLL(str(path)), ctypes.CDLL(str(path))
        for line in signatures.split("\n"):
            name, _, letters = line.partition(": ")
            if not name:
                continue
            function = (waiting if name in long else quick)[name]
            result, _, arguments = letters.partition(" ")
            function.restype = _TYPES[result]
            function.argtypes = [_TYPES[letter] for letter in arguments]
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{name} is not bound")


def library_path() -> Path:
    spec = importlib.util.find_spec("z3")
    for place in (spec.submodule_search_locations or []) if spec is not None else []:
        folder = Path(place, "lib")
        versioned = sorted(folder.glob("libz3.so.*"))  # z3py tries these first
        for path in (*versioned, folder / "libz3.so", folder / "libz3.dylib", folder / "libz3.dll"):
            if path.is_file():
                return path
    raise InternalError("the z3-solver package is not installed, or holds no library")


def _load() -> Library:
    try:
        found = Library(library_path(), _SIGNATURES, _LONG)
    except (OSError, AttributeError) as error:
        raise InternalError(f"libz3 can't be used: {error}") from error
    found.Z3_toggle_warning_messages(False)  # they would go to standard error, past every caller
    # Disjunctions keep the order in which they were written: relevancy-based case splits take them from left to right.
    # Sorted by Z3, one SDV driver (mp_removecheck_0) takes over 60 s instead of one. The option is process-wide.
    found.Z3_global_param_set(b"rewriter.sort_disjunctions", b"false")
    return found


lib = _load()


class Context:
    """One Z3 context, with manual reference counts, freed with the last Python object that refers to it.

    What `own` counts lives as long as the context; what `keep` counts must be released.
    """

    pointer: int = 0

    def __init__(self) -> None:
        config = lib.Z3_mk_config()
        pointer = lib.Z3_mk_context_rc(config)
        lib.Z3_del_config(config)
        if pointer is None:
            raise InternalError("Z3 made no context")
        self.pointer = pointer
        lib.Z3_set_error_handler(pointer, None)  # the default one ends the process
        self._owned: list[int] = []
        self.checks = 0  # that all solvers of the context have made

    def usable(self, _ending: Callable[[], bool] = sys.is_finalizing) -> bool:
        """Whether there is anything to release into. Asked by objects of the context when they die: that may be later
        than the context (in a cycle of garbage), or so late that modules are gone (hence the default argument)."""
        return not _ending() and bool(self.pointer)

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Frees all memory now; for when everything that was made in the context is released and won't be used."""
        if not self.usable():  # a process that ends frees its memory faster
            return
        pointer, self.pointer = self.pointer, 0
        # Z3 deletes a context that still has counted nodes in quadratic time.
        for ast in reversed(self._owned):
            lib.Z3_dec_ref(pointer, ast)
        lib.Z3_del_context(pointer)

    def own(self, ast: int | None) -> int:
        """Counts a reference to what the last call returned, for the life of the context."""
        kept = self.keep(ast)
        self._owned.append(kept)
        return kept

    def keep(self, ast: int | None) -> int:
        """Counts a reference to what the last call returned, until it is released."""
        if ast is None:
            raise self.error()
        lib.Z3_inc_ref(self.pointer, ast)
        return ast

    def release(self, ast: int) -> None:
        lib.Z3_dec_ref(self.pointer, ast)

    def error(self) -> InternalError:
        """What the last call complained about."""
        return InternalError(f"Z3: {self.error_message() or 'a call failed'}")

    def error_message(self) -> str:
        """The same as text; empty if the last call was well."""
        code = lib.Z3_get_error_code(self.pointer)
        return text(lib.Z3_get_error_msg(self.pointer, code)) if code else ""

    def check(self) -> None:
        """Raises if the last call, one without a result, failed."""
        if lib.Z3_get_error_code(self.pointer):
            raise self.error()

    def symbol(self, name: str) -> int | None:
        """Symbols are never freed: the context needs no count of them. The empty one is the null pointer."""
        encoded = name.encode("utf-8", "surrogatepass")
        if b"\0" in encoded:
            raise InternalError(f"a name with a null character: {name!r}")
        made: int | None = lib.Z3_mk_string_symbol(self.pointer, encoded)
        return made


def array(pointers: list[int]) -> Any:
    """The pointers as a C array."""
    return (ctypes.c_void_p * len(pointers))(*pointers)


def text(encoded: bytes | None) -> str:
    return (encoded or b"").decode("utf-8", "replace")
