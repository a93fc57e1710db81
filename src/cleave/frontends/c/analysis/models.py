"""What functions without a body mean: one kind for each name.

    malloc: ALLOCATE        __VERIFIER_assume: ASSUME       llvm.memcpy.p0.p0.i64: COPY        printf: IGNORED

A function that the program defines itself is used as it is, except those that the verification tasks of SV-COMP fix the
meaning of (`ALWAYS`). A function without a body that has no other kind is `OUTSIDE`: see `outside`.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import cache

from cleave.frontends.c.llvm import module as l


class Kind(Enum):
    VIOLATION = auto()  # being called violates the property
    ASSERT = auto()  # the first argument must hold
    ASSUME = auto()  # executions where the first argument is false do not exist
    STOP = auto()  # the execution ends without a violation
    NONDET = auto()  # any value of the result's type
    DOUBT = auto()  # __cleave_doubt_…(function): any value, where the function has rules that are not modelled
    LIMIT = auto()  # __cleave_limit(what): the models end here
    OUTSIDE = auto()  # may do to the memory that it can reach whatever C allows
    ALLOCATE = auto()  # malloc(size)
    ALLOCATE_ALIGNED = auto()  # aligned_alloc(alignment, size)
    ALLOCATE_ZERO = auto()  # calloc(count, size)
    ALLOCATE_ONE_ZERO = auto()  # kzalloc(size, flags)
    REALLOCATE = auto()  # realloc(pointer, size)
    COPY = auto()  # memcpy(to, from, size), memmove
    FILL = auto()  # memset(to, byte, size)
    ZERO = auto()  # bzero(to, size)
    SCAN = auto()  # __cleave_scan(pointer, size, index, count): any values there, if index < count
    HAVOC = auto()  # __CPROVER_havoc_slice(pointer, size): any values there
    FREE = auto()  # free(pointer)
    READ = auto()  # __cleave_reads(pointer, size): so many bytes are read, and nothing comes of it
    APART = auto()  # __cleave_apart(to, from, room, size): these may not overlap
    REQUIRE = auto()  # __cleave_require(condition, text): a rule of C's about arguments; the text says what is wrong
    SCOPE_BEGIN = auto()  # llvm.lifetime.start(pointer): a local is there from now on
    SCOPE_END = auto()
    RESTORE = auto()  # llvm.stackrestore(saved): arrays of variable length are there no longer
    NOTHING = auto()  # has no effect that the model knows
    IGNORED = auto()  # output, mostly: no effect; the result follows rules that are not modelled
    FIRST = auto()  # gives back its first argument
    COMPUTE = auto()  # an LLVM intrinsic that only computes
    SUCCESS = auto()  # no effect that the model knows, and 0
    SPAWN = auto()  # __cleave_spawn(function, arguments…): the new thread's number
    JOIN = auto()  # __cleave_join(thread)
    SELF = auto()  # the number of the thread that calls
    ATOMIC_BEGIN = auto()
    ATOMIC_END = auto()
    REFUSED_THREADS = auto()
    REFUSED_FLOAT = auto()
    REFUSED_VARIADIC = auto()
    REFUSED_JUMP = auto()
    REFUSED_ROUNDING = auto()
    REFUSED_VERIFIER = auto()  # functions that another verifier has built in


ERROR_FUNCTIONS = frozenset(("reach_error", "__VERIFIER_error"))
ALWAYS = ERROR_FUNCTIONS | {"__assert_fail", "__VERIFIER_atomic_begin", "__VERIFIER_atomic_end"}

_NAMES: dict[Kind, str] = {
    Kind.VIOLATION: "reach_error __VERIFIER_error __assert_fail __assert __assert_rtn __assert2 _assert __assert_func"
    " __VERIFIER_fail __CPROVER_unreachable assert_failed __cleave_deadlock",
    Kind.ASSERT: "__VERIFIER_assert __CPROVER_assert __ESBMC_assert assert sassert _ESBMC_assert",
    Kind.ASSUME: "__VERIFIER_assume __CPROVER_assume __ESBMC_assume __builtin_assume assume _ESBMC_assume"
    " assume_abort_if_not llvm.assume",
    Kind.STOP: "abort exit _exit _Exit quick_exit llvm.trap llvm.ubsantrap llvm.debugtrap __builtin_unreachable"
    " __pthread_unwind_next",
    Kind.ALLOCATE: "malloc __builtin_alloca alloca valloc xmalloc _Znwm kmalloc __kmalloc",
    Kind.ALLOCATE_ALIGNED: "aligned_alloc memalign",
    Kind.ALLOCATE_ZERO: "calloc",
    Kind.ALLOCATE_ONE_ZERO: "kzalloc",
    Kind.REALLOCATE: "realloc",
    Kind.SCAN: "__cleave_scan __cleave_scan_of_text",
    Kind.HAVOC: "__CPROVER_havoc_slice",
    Kind.COPY: "memcpy memmove __memcpy_chk __memmove_chk __builtin_memcpy __builtin_memmove",
    Kind.FILL: "memset __memset_chk __builtin_memset",
    Kind.ZERO: "bzero",
    Kind.FREE: "free cfree kfree",
    Kind.READ: "__cleave_reads",
    Kind.APART: "__cleave_apart",
    Kind.REQUIRE: "__cleave_require",
    Kind.NOTHING: "llvm.donothing setbuf setvbuf __CPROVER_fence __CPROVER_allocated_memory"
    " __cleave_annotation_begin __cleave_annotation_end",
    Kind.ATOMIC_BEGIN: "__VERIFIER_atomic_begin __CPROVER_atomic_begin __ESBMC_atomic_begin",
    Kind.ATOMIC_END: "__VERIFIER_atomic_end __CPROVER_atomic_end __ESBMC_atomic_end",
    Kind.LIMIT: "__cleave_limit",
    Kind.SPAWN: "__cleave_spawn",
    Kind.JOIN: "__cleave_join",
    Kind.SELF: "__cleave_self pthread_self thrd_current",
    Kind.SUCCESS: "pthread_setname_np pthread_key_delete pthread_testcancel pthread_yield"
    " sched_yield thrd_yield thrd_sleep pthread_setconcurrency pthread_setschedparam pthread_setschedprio"
    " pthread_atfork sem_destroy sem_close sem_unlink mtx_destroy cnd_destroy tss_delete __ESBMC_yield",
    Kind.IGNORED: "printf fprintf dprintf __printf_chk __fprintf_chk vprintf vfprintf vdprintf puts putchar fputs fputc"
    " putc perror fflush sleep usleep srand srandom srand48 printk syslog __CPROVER_printf",
    Kind.FIRST: "llvm.threadlocal.address llvm.expect llvm.ptr.annotation llvm.launder.invariant.group"
    " llvm.strip.invariant.group __builtin_expect",
    Kind.REFUSED_ROUNDING: "fesetround",
    Kind.REFUSED_JUMP: "setjmp _setjmp __sigsetjmp sigsetjmp longjmp siglongjmp _longjmp fork vfork llvm.eh.sjlj.setjmp"
    " llvm.eh.sjlj.longjmp",
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}

# Of threads, and of no importance to what is verified: without a model.
_NO_MATTER = r"pthread_(kill|sig|getschedparam|getcpuclockid|\w+_np$)"
# The first that matches decides.
_PATTERNS: tuple[tuple[re.Pattern[str], Kind], ...] = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (r"__cleave_doubt_", Kind.DOUBT),
        (r"llvm\.(memcpy|memmove)\.", Kind.COPY),
        (r"llvm\.memset\.", Kind.FILL),
        (r"llvm\.lifetime\.start", Kind.SCOPE_BEGIN),
        (r"llvm\.lifetime\.end", Kind.SCOPE_END),
        (r"llvm\.stackrestore", Kind.RESTORE),
        (r"llvm\.(dbg|prefetch|invariant|experimental\.noalias|var\.annotation)", Kind.NOTHING),
        (r"llvm\.(stacksave|frameaddress|returnaddress|readcyclecounter)", Kind.NONDET),
        (r"llvm\.objectsize", Kind.IGNORED),
        (r"llvm\.(expect|threadlocal\.address|ptr\.annotation|ssa\.copy)", Kind.FIRST),
        (r"llvm\.va_|llvm\.va_(start|end|copy)", Kind.REFUSED_VARIADIC),
        (
            r"llvm\.(s|u)(add|sub|mul)\.with\.overflow|llvm\.(ctpop|ctlz|cttz|bswap|bitreverse|abs|fshl|fshr|is\.constant"
            r"|smax|smin|umax|umin|sadd\.sat|uadd\.sat|ssub\.sat|usub\.sat|cleave)\.",
            Kind.COMPUTE,
        ),
        (r"llvm\.", Kind.REFUSED_FLOAT),
        (r"(__VERIFIER_|__CPROVER_|__ESBMC_|__SMACK_)?_?nondet(_|$)|.*_nondet(_|$)|nondet|nd(_\w+)?$", Kind.NONDET),
        (r"__CPROVER_|__ESBMC_|__SMACK_", Kind.REFUSED_VERIFIER),
        (r"pthread_(mutex|cond|rwlock|spin|barrier)_destroy$", Kind.SUCCESS),
        (r"pthread_(attr|mutexattr|condattr|rwlockattr|barrierattr)_(init|destroy|set\w+)$", Kind.SUCCESS),
        (
            rf"(?!{_NO_MATTER})pthread_|sem_(init|wait|post|trywait|destroy|getvalue)$|thrd_|mtx_|cnd_|tss_",
            Kind.REFUSED_THREADS,
        ),
    )
)


def kind_of(name: str, module: l.Module) -> Kind | None:
    """The kind of a call to ``name``; None if it has a body to use."""
    function = module.functions.get(name)
    if function is not None and function.blocks and name not in ALWAYS:
        return None
    if name in module.trusted:
        return Kind.NONDET
    return _kind_without_body(name)


@cache
def _kind_without_body(name: str) -> Kind:
    known = _KINDS.get(name)
    if known is not None:
        return known
    return next((kind for pattern, kind in _PATTERNS if pattern.match(name)), Kind.OUTSIDE)


NUMBERS = frozenset((Kind.COMPUTE, Kind.SELF, Kind.SPAWN, Kind.SUCCESS, Kind.DOUBT))  # what they return is no address
ALLOCATIONS = frozenset(
    (Kind.ALLOCATE, Kind.ALLOCATE_ALIGNED, Kind.ALLOCATE_ZERO, Kind.ALLOCATE_ONE_ZERO, Kind.REALLOCATE)
)
TOUCHING = ALLOCATIONS | {Kind.COPY, Kind.FILL, Kind.ZERO, Kind.HAVOC, Kind.SCAN}
