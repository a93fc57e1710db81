/* Signals that a program sends to itself, or waits for. That one comes from outside at another moment is not considered,
   and results say so. What the default is for signals that stop a process does nothing: another process may let it go on. */

#include "model.h"

#include <signal.h>

typedef void handler(int);
typedef void informed(int, siginfo_t *, void *);
typedef unsigned long long set;
#define DEFAULT ((handler *)0)
#define IGNORE ((handler *)1)
#define WRONG ((handler *)-1)
#define BIT(NUMBER) (1ull << ((NUMBER)-1))
#define NEVER_BLOCKED (BIT(SIGKILL) | BIT(SIGSTOP))

void _Exit(int);
int getpid(void);
void __cleave_limit(const char *what);

enum { SIGNALS = 65, AGAIN = 11, NO_PROCESS = 3 };

static handler *__cleave_handlers[SIGNALS];
static int __cleave_ways[SIGNALS];   /* flags of sigaction */
static set __cleave_masks[SIGNALS];  /* blocked while the handler runs, too */
static set __cleave_blocked, __cleave_pending;

static _Bool __cleave_is_harmless(int number) {
  return number == SIGCHLD || number == SIGCONT || number == SIGURG || number == SIGWINCH || number == SIGSTOP ||
         number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* The handler runs, or what happens without one. */
static void __cleave_deliver(int number) {
  handler *with = __cleave_handlers[number];
  int ways = __cleave_ways[number];
  set before = __cleave_blocked;
  if (with == IGNORE)
    return;
  if (with == DEFAULT) {
    if (!__cleave_is_harmless(number))
      _Exit(1);
    return;
  }
  __cleave_blocked |= __cleave_masks[number] | (ways & SA_NODEFER ? 0 : BIT(number));
  if (ways & SA_RESETHAND)
    __cleave_handlers[number] = DEFAULT;
  if (ways & SA_SIGINFO) {
    siginfo_t about;
    char context[1024];
    __CPROVER_havoc_slice(&about, sizeof about);
    about.si_signo = number;
    ((informed *)with)(number, &about, context);
  } else {
    with(number);
  }
  __cleave_blocked = before;
}

/* What waited and is not blocked any more; of several signals any may be the first. */
static void __cleave_catch_up(void) {
  set ready;
  while ((ready = __cleave_pending & ~__cleave_blocked) != 0) {
    int number = __builtin_ctzll(ready) + 1;
    if (ready & (ready - 1)) {
      number = __cleave_between(1, SIGNALS - 1);
      __VERIFIER_assume((ready & BIT(number)) != 0);
    }
    __cleave_pending &= ~BIT(number);
    __cleave_deliver(number);
  }
}

/* One from outside, or from a timer, that does something. */
static void __cleave_arrive(void) {
  int number = __cleave_between(1, SIGNALS - 1);
  handler *with = __cleave_handlers[number];
  __VERIFIER_assume((__cleave_blocked & BIT(number)) == 0 && with != IGNORE);
  __VERIFIER_assume(with != DEFAULT || !__cleave_is_harmless(number));
  __cleave_deliver(number);
}

static _Bool __cleave_is_wrong(int number) {
  if (number >= 1 && number < SIGNALS)
    return 0;
  ERRNO = INVALID;
  return 1;
}

/* --- what a signal does --- */

static handler *__cleave_install(int number, handler *with, int ways) {
  if (__cleave_is_wrong(number))
    return WRONG;
  if (number == SIGKILL || number == SIGSTOP) {
    ERRNO = INVALID;
    return WRONG;
  }
  handler *before = __cleave_handlers[number];
  __cleave_handlers[number] = with;
  __cleave_ways[number] = ways;
  __cleave_masks[number] = 0;
  return before;
}

handler *signal(int number, handler *with) { return __cleave_install(number, with, SA_RESTART); }
handler *bsd_signal(int number, handler *with) { return signal(number, with); }
handler *sysv_signal(int number, handler *with) { return __cleave_install(number, with, SA_RESETHAND | SA_NODEFER); }
handler *__sysv_signal(int number, handler *with) { return sysv_signal(number, with); }

handler *sigset(int number, handler *with) {
  set before = __cleave_blocked;
  if (__cleave_is_wrong(number))
    return WRONG;
  if (with == (handler *)2) {
    handler *found = __cleave_handlers[number];
    __cleave_blocked |= BIT(number) & ~NEVER_BLOCKED;
    return before & BIT(number) ? (handler *)2 : found;
  }
  handler *found = signal(number, with);
  __cleave_blocked &= ~BIT(number);
  __cleave_catch_up();
  return before & BIT(number) ? (handler *)2 : found;
}

int sigignore(int number) { return signal(number, IGNORE) == WRONG ? -1 : 0; }
int siginterrupt(int number, int interrupts) { return __cleave_is_wrong(number) ? -1 : 0; }

static set __cleave_bits(const sigset_t *from) {
  return sizeof(long) == 8 ? from->__val[0] : from->__val[0] | (set)from->__val[1] << 32;
}

static void __cleave_set_bits(sigset_t *to, set bits) {
  to->__val[0] = (unsigned long)bits;
  if (sizeof(long) != 8)
    to->__val[1] = (unsigned long)(bits >> 32);
}

int sigaction(int number, const struct sigaction *to, struct sigaction *from) {
  if (__cleave_is_wrong(number))
    return -1;
  if (to != 0 && (number == SIGKILL || number == SIGSTOP)) {
    ERRNO = INVALID;
    return -1;
  }
  handler *before = __cleave_handlers[number];
  int ways = __cleave_ways[number];
  set mask = __cleave_masks[number];
  if (to != 0) {
    handler *with = to->sa_handler;
    int chosen = to->sa_flags;
    set blocked = __cleave_bits(&to->sa_mask);
    __cleave_handlers[number] = with;
    __cleave_ways[number] = chosen;
    __cleave_masks[number] = blocked & ~NEVER_BLOCKED;
  }
  if (from != 0) {
    from->sa_handler = before;
    from->sa_flags = ways;
    __cleave_set_bits(&from->sa_mask, mask);
  }
  return 0;
}

/* --- sets of signals --- */

int sigemptyset(sigset_t *to) {
  __cleave_set_bits(to, 0);
  return 0;
}

int sigfillset(sigset_t *to) {
  __cleave_set_bits(to, ~0ull & ~(3ull << 31)); /* two are the C library's own */
  return 0;
}

int sigaddset(sigset_t *to, int number) {
  if (__cleave_is_wrong(number))
    return -1;
  __cleave_set_bits(to, __cleave_bits(to) | BIT(number));
  return 0;
}

int sigdelset(sigset_t *to, int number) {
  if (__cleave_is_wrong(number))
    return -1;
  __cleave_set_bits(to, __cleave_bits(to) & ~BIT(number));
  return 0;
}

int sigismember(const sigset_t *of, int number) {
  return __cleave_is_wrong(number) ? -1 : (__cleave_bits(of) & BIT(number)) != 0;
}

static int __cleave_block(int how, const sigset_t *with, sigset_t *from) {
  set before = __cleave_blocked;
  if (with != 0) {
    set bits = __cleave_bits(with) & ~NEVER_BLOCKED;
    if (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
      return INVALID;
    __cleave_blocked = how == SIG_BLOCK ? before | bits : how == SIG_UNBLOCK ? before & ~bits : bits;
  }
  if (from != 0)
    __cleave_set_bits(from, before);
  __cleave_catch_up();
  return 0;
}

int sigprocmask(int how, const sigset_t *with, sigset_t *from) {
  int failed = __cleave_block(how, with, from);
  if (failed != 0)
    ERRNO = failed;
  return failed != 0 ? -1 : 0;
}

int pthread_sigmask(int how, const sigset_t *with, sigset_t *from) { return __cleave_block(how, with, from); }

int sigpending(sigset_t *to) {
  __cleave_set_bits(to, __cleave_pending);
  return 0;
}

int sighold(int number) {
  if (__cleave_is_wrong(number))
    return -1;
  __cleave_blocked |= BIT(number) & ~NEVER_BLOCKED;
  return 0;
}

int sigrelse(int number) {
  if (__cleave_is_wrong(number))
    return -1;
  __cleave_blocked &= ~BIT(number);
  __cleave_catch_up();
  return 0;
}

/* --- sending --- */

/* While a signal is blocked, as it is while its handler runs, it waits. */
int raise(int number) {
  if (number == 0)
    return 0;
  if (__cleave_is_wrong(number))
    return -1;
  if (__cleave_blocked & BIT(number)) {
    if (__cleave_handlers[number] != IGNORE)
      __cleave_pending |= BIT(number);
    return 0;
  }
  __cleave_deliver(number);
  __cleave_catch_up();
  return 0;
}

int gsignal(int number) { return raise(number); }

/* Of other processes nothing is known, nor who is in a group. */
int kill(int process, int number) {
  if (number < 0 || number >= SIGNALS) {
    ERRNO = INVALID;
    return -1;
  }
  if (process > 0 && process == getpid())
    return raise(number);
  if (__cleave_failed())
    return -1;
  return process == 0 || (process < 0 && __VERIFIER_nondet_bool()) ? raise(number) : 0;
}

int killpg(int group, int number) { return kill(group == 0 ? 0 : -group, number); }
int sigqueue(int process, int number, const union sigval value) { return kill(process, number); }

/* --- waiting; what a timer sends comes at once, or when the program waits for it --- */

static int __cleave_interrupted(void) {
  ERRNO = INTERRUPTED;
  return -1;
}

int pause(void) {
  __cleave_arrive();
  return __cleave_interrupted();
}

int sigsuspend(const sigset_t *with) {
  set before = __cleave_blocked;
  __cleave_blocked = __cleave_bits(with) & ~NEVER_BLOCKED;
  if (__cleave_pending & ~__cleave_blocked)
    __cleave_catch_up();
  else
    __cleave_arrive();
  __cleave_blocked = before;
  __cleave_catch_up();
  return __cleave_interrupted();
}

int sigwait(const sigset_t *of, int *found) {
  int number = __cleave_between(1, SIGNALS - 1);
  __VERIFIER_assume((__cleave_bits(of) & BIT(number)) != 0);
  __cleave_pending &= ~BIT(number);
  *found = number;
  return 0;
}

int sigwaitinfo(const sigset_t *of, siginfo_t *about) {
  int number;
  if (__VERIFIER_nondet_bool()) {
    __cleave_arrive();
    return __cleave_interrupted();
  }
  sigwait(of, &number);
  if (about != 0) {
    __CPROVER_havoc_slice(about, sizeof *about);
    about->si_signo = number;
  }
  return number;
}

int sigtimedwait(const sigset_t *of, siginfo_t *about, const struct timespec *time) {
  if (__VERIFIER_nondet_bool()) {
    ERRNO = AGAIN;
    return -1;
  }
  return sigwaitinfo(of, about);
}

unsigned alarm(unsigned seconds) {
  if (seconds != 0 && __VERIFIER_nondet_bool())
    raise(SIGALRM);
  return __VERIFIER_nondet_uint();
}

unsigned ualarm(unsigned first, unsigned then) { return alarm(first); }

void abort(void) {
  __cleave_blocked &= ~BIT(SIGABRT);
  raise(SIGABRT);
  _Exit(1);
}
