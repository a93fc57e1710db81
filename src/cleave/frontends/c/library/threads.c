/* POSIX threads as programs see them: linked where a program calls one of these functions and does not define it.
   `threads.py` gives every call a copy of its own, so that no two locks are confused.

   Waiting is an assumption in an atomic block: an execution in which it fails is one in which the thread was not yet
   scheduled. Where deadlocks are looked for, a thread that has to wait may also say that it does so for ever, and stop;
   an execution in which what it waits for happens after all does not exist. When all threads that have not ended have
   stopped, that is a deadlock.

   Objects have the layout of glibc, as far as static initialisers and preprocessed files depend on it: a lock is the int
   at offset 0, the kind of a mutex is where glibc has it. */

typedef unsigned long thread;

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
_Bool __VERIFIER_nondet_bool(void);
unsigned long __VERIFIER_nondet_ulong(void);
int __cleave_self(void);
void __cleave_join(thread);

void __cleave_deadlock(void);

extern void *__cleave_results[];

enum { RECURSIVE = 1, ERROR_CHECK = 2, KINDS = 3, PERMISSION = 1, NO_THREAD = 3, AGAIN = 11, BUSY = 16, INVALID = 22, DEADLOCK = 35, TIMED_OUT = 110 };
enum { C11_BUSY = 1, C11_ERROR = 2, C11_TIMED_OUT = 4 };
enum { KEYS = 64, THREADS = 128, ROUNDS = 4 };

struct mutex {
  int lock; /* 0: free; else the number of its owner plus one, or just one where nobody asks for the owner */
  int count;
  int awaited; /* by a thread that has stopped, here and below */
#if __SIZEOF_POINTER__ == 8
  unsigned users;
#endif
  int kind;
};

struct condition {
  unsigned waiting;
  unsigned signals; /* for those that wait, never more than them */
  int awaited;
};

struct barrier {
  unsigned needed;
  unsigned arrived;
  unsigned round;
  int awaited;
};

/* --- waiting, in an atomic block --- */

#ifdef CLEAVE_DEADLOCK

static unsigned running = 1; /* threads that have been started and have not ended */
static unsigned stopped;
static _Bool has_ended[THREADS];
static _Bool is_awaited[THREADS];

/* NOTE says what a thread that stops waits for. */
#define WAIT_FOR(CONDITION, NOTE)                                                                                      \
  if (__VERIFIER_nondet_bool()) {                                                                                      \
    __VERIFIER_assume(!(CONDITION));                                                                                   \
    NOTE;                                                                                                              \
    stopped++;                                                                                                         \
    if (stopped == running)                                                                                            \
      __cleave_deadlock();                                                                                             \
    __VERIFIER_atomic_end();                                                                                           \
    __VERIFIER_assume(0);                                                                                              \
  }                                                                                                                    \
  __VERIFIER_assume(CONDITION)

/* What happens now must not be what a thread that has stopped waits for. */
#define HAPPENS(AWAITED) __VERIFIER_assume(!(AWAITED))

void __cleave_starting(void) {
  __VERIFIER_atomic_begin();
  running++;
  __VERIFIER_atomic_end();
}

void __cleave_ending(void) {
  int me = __cleave_self();
  __VERIFIER_atomic_begin();
  HAPPENS(is_awaited[me]);
  has_ended[me] = 1;
  running--;
  if (running != 0 && stopped == running)
    __cleave_deadlock();
  __VERIFIER_atomic_end();
}

#define WAIT_FOR_THREAD(ID)                                                                                            \
  __VERIFIER_atomic_begin();                                                                                           \
  WAIT_FOR(ID < THREADS && has_ended[ID], is_awaited[ID % THREADS] = 1);                                               \
  __VERIFIER_atomic_end();                                                                                             \
  __cleave_join(ID)

/* What pthread_join is where nobody wants to know what the thread returned. */
void __cleave_await(thread id) {
  WAIT_FOR_THREAD(id);
}

#else
#define WAIT_FOR(CONDITION, NOTE) __VERIFIER_assume(CONDITION)
#define HAPPENS(AWAITED)
#define WAIT_FOR_THREAD(ID) __cleave_join(ID)
#endif

/* --- cancelling: only in programs that call pthread_cancel; a thread sees it where it waits, sleeps or asks --- */

#ifdef CLEAVE_CANCEL

void pthread_exit(void *);

static _Bool is_cancelled[THREADS];
static _Bool ignores_it[THREADS];

#define IS_CANCELLED (is_cancelled[__cleave_self()] && !ignores_it[__cleave_self()])

int pthread_cancel(thread id) {
  is_cancelled[id % THREADS] = 1;
  return 0;
}

void pthread_testcancel(void) {
  if (IS_CANCELLED) {
    ignores_it[__cleave_self()] = 1; /* what cleans up is not cancelled again */
    pthread_exit((void *)-1);
  }
}

#define CANCELLATION_POINT(RETURNED, NAME, PARAMETERS)                                                                 \
  RETURNED NAME PARAMETERS {                                                                                           \
    pthread_testcancel();                                                                                              \
    return 0;                                                                                                          \
  }

CANCELLATION_POINT(unsigned, sleep, (unsigned seconds))
CANCELLATION_POINT(int, usleep, (unsigned microseconds))

#else
#define IS_CANCELLED 0
#define pthread_testcancel()
#endif

int pthread_setcancelstate(int state, int *before) {
  int old = __VERIFIER_nondet_bool();
#ifdef CLEAVE_CANCEL
  old = ignores_it[__cleave_self()];
  ignores_it[__cleave_self()] = state != 0;
#endif
  if (before != 0)
    *before = old;
  return 0;
}

/* Cancelling at any time is refused; it does not matter where nobody cancels. */
int pthread_setcanceltype(int type, int *before) {
  if (before != 0)
    *before = __VERIFIER_nondet_bool();
  return 0;
}

/* --- threads --- */

/* Only in programs that detach threads: what POSIX says nothing about may succeed or fail. */
#ifdef CLEAVE_DETACH

_Bool __cleave_gone[THREADS]; /* joined or detached */

static int used_again(void) {
  return __VERIFIER_nondet_bool() ? 0 : __VERIFIER_nondet_bool() ? NO_THREAD : INVALID;
}

#define UNLESS_GONE(ID)                                                                                                \
  if (__cleave_gone[ID % THREADS])                                                                                     \
  return used_again()
#define GOES(ID) __cleave_gone[ID % THREADS] = 1

int pthread_detach(thread id) {
  UNLESS_GONE(id);
  GOES(id);
  return 0;
}

int thrd_detach(thread id) {
  if (__cleave_gone[id % THREADS])
    return __VERIFIER_nondet_bool() ? 0 : C11_ERROR;
  GOES(id);
  return 0;
}

#else
#define UNLESS_GONE(ID)
#define GOES(ID)
#endif

int pthread_join(thread id, void **result) {
  pthread_testcancel();
  UNLESS_GONE(id);
  WAIT_FOR_THREAD(id);
  GOES(id);
  if (result != 0)
    *result = __cleave_results[id];
  return 0;
}

int thrd_join(thread id, int *result) {
  UNLESS_GONE(id);
  WAIT_FOR_THREAD(id);
  GOES(id);
  if (result != 0)
    *result = *(int *)&__cleave_results[id];
  return 0;
}

/* They may give up, also where the thread has ended. */
#define TRY_JOIN(NAME, PARAMETERS, GIVEN_UP)                                                                           \
  int NAME PARAMETERS {                                                                                                \
    if (__VERIFIER_nondet_bool())                                                                                      \
      return GIVEN_UP;                                                                                                 \
    __cleave_join(id);                                                                                                 \
    if (result != 0)                                                                                                   \
      *result = __cleave_results[id];                                                                                  \
    return 0;                                                                                                          \
  }

TRY_JOIN(pthread_tryjoin_np, (thread id, void **result), BUSY)
TRY_JOIN(pthread_timedjoin_np, (thread id, void **result, const void *until), TIMED_OUT)

/* What attributes of a thread are does not matter: any value. */
#define ATTRIBUTE(NAME, TYPE)                                                                                          \
  int NAME(const void *attributes, TYPE *value) {                                                                      \
    *value = (TYPE)__VERIFIER_nondet_ulong();                                                                          \
    return 0;                                                                                                          \
  }

ATTRIBUTE(pthread_attr_getdetachstate, int)
ATTRIBUTE(pthread_attr_getinheritsched, int)
ATTRIBUTE(pthread_attr_getschedpolicy, int)
ATTRIBUTE(pthread_attr_getscope, int)
ATTRIBUTE(pthread_attr_getstacksize, thread)
ATTRIBUTE(pthread_attr_getguardsize, thread)

int pthread_equal(thread a, thread b) {
  return a == b;
}

int thrd_equal(thread a, thread b) {
  return a == b;
}

/* --- mutexes --- */

int pthread_mutexattr_init(int *attributes) {
  *attributes = 0;
  return 0;
}

int pthread_mutexattr_settype(int *attributes, int kind) {
  *attributes = kind;
  return 0;
}

int pthread_mutexattr_gettype(const int *attributes, int *kind) {
  *kind = *attributes;
  return 0;
}

int pthread_mutex_init(struct mutex *mutex, const int *attributes) {
  mutex->lock = 0;
  mutex->count = 0;
  mutex->awaited = 0;
  mutex->kind = 0;
  if (attributes != 0)
    mutex->kind = *attributes & KINDS;
  return 0;
}

int mtx_init(struct mutex *mutex, int type) {
  mutex->lock = 0;
  mutex->count = 0;
  mutex->awaited = 0;
  mutex->kind = type & RECURSIVE;
  return 0;
}

#define LOCK(NAME)                                                                                                     \
  int NAME(struct mutex *mutex) {                                                                                      \
    int result = 0;                                                                                                    \
    __VERIFIER_atomic_begin();                                                                                         \
    int kind = mutex->kind;                                                                                            \
    if (kind == 0) {                                                                                                   \
      WAIT_FOR(mutex->lock == 0, mutex->awaited = 1);                                                                  \
      mutex->lock = 1;                                                                                                 \
    } else {                                                                                                           \
      int me = __cleave_self() + 1;                                                                                    \
      if (mutex->lock == me && kind == RECURSIVE) {                                                                    \
        mutex->count++;                                                                                                \
      } else if (mutex->lock == me && kind == ERROR_CHECK) {                                                           \
        result = DEADLOCK;                                                                                             \
      } else {                                                                                                         \
        WAIT_FOR(mutex->lock == 0, mutex->awaited = 1);                                                                \
        mutex->lock = me;                                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
    __VERIFIER_atomic_end();                                                                                           \
    return result;                                                                                                     \
  }

#define UNLOCK(NAME)                                                                                                   \
  int NAME(struct mutex *mutex) {                                                                                      \
    int result = 0;                                                                                                    \
    __VERIFIER_atomic_begin();                                                                                         \
    int kind = mutex->kind;                                                                                            \
    if (kind == 0) {                                                                                                   \
      HAPPENS(mutex->awaited);                                                                                         \
      mutex->lock = 0;                                                                                                 \
    } else if ((kind == RECURSIVE || kind == ERROR_CHECK) && mutex->lock != __cleave_self() + 1) {                     \
      result = PERMISSION;                                                                                             \
    } else if (kind == RECURSIVE && mutex->count != 0) {                                                               \
      mutex->count--;                                                                                                  \
    } else {                                                                                                           \
      HAPPENS(mutex->awaited);                                                                                         \
      mutex->lock = 0;                                                                                                 \
    }                                                                                                                  \
    __VERIFIER_atomic_end();                                                                                           \
    return result;                                                                                                     \
  }

LOCK(pthread_mutex_lock)
LOCK(mtx_lock)
UNLOCK(pthread_mutex_unlock)
UNLOCK(mtx_unlock)

/* Those with a time limit give up exactly if they would have to wait. */
#define TRY_LOCK(NAME, PARAMETERS, TAKEN)                                                                              \
  int NAME PARAMETERS {                                                                                                \
    int result = 0;                                                                                                    \
    __VERIFIER_atomic_begin();                                                                                         \
    int me = mutex->kind == 0 ? 1 : __cleave_self() + 1;                                                               \
    if (mutex->lock == 0)                                                                                              \
      mutex->lock = me;                                                                                                \
    else if (mutex->kind == RECURSIVE && mutex->lock == me)                                                            \
      mutex->count++;                                                                                                  \
    else                                                                                                               \
      result = TAKEN;                                                                                                  \
    __VERIFIER_atomic_end();                                                                                           \
    return result;                                                                                                     \
  }

TRY_LOCK(pthread_mutex_trylock, (struct mutex *mutex), BUSY)
TRY_LOCK(pthread_mutex_timedlock, (struct mutex *mutex, const void *until), TIMED_OUT)
TRY_LOCK(pthread_mutex_clocklock, (struct mutex *mutex, int clock, const void *until), TIMED_OUT)
TRY_LOCK(mtx_trylock, (struct mutex *mutex), C11_BUSY)
TRY_LOCK(mtx_timedlock, (struct mutex *mutex, const void *until), C11_TIMED_OUT)

/* --- condition variables --- */

/* A thread that waits may go on without a signal, unless the user excludes that. Then signals make no difference to what
   can happen, except that a thread which never gets one may wait for ever: only deadlocks need them. */

#if defined CLEAVE_DEADLOCK || defined CLEAVE_NO_SPURIOUS_WAKEUPS

#ifdef CLEAVE_NO_SPURIOUS_WAKEUPS
#define WAKES_UP 0
#else
#define WAKES_UP __VERIFIER_nondet_bool()
#endif

#define RESET_CONDITION                                                                                                \
  condition->waiting = 0;                                                                                              \
  condition->signals = 0;                                                                                              \
  condition->awaited = 0

/* A signal is for a thread that waits when it is sent, never for one that comes later. So nobody begins to wait as long
   as a signal has not been received; nothing is lost, since receiving it is a step that can follow at once. */
#define BEGIN_TO_WAIT                                                                                                  \
  __VERIFIER_atomic_begin();                                                                                           \
  int owner = mutex->lock;                                                                                             \
  HAPPENS(mutex->awaited);                                                                                             \
  __VERIFIER_assume(condition->signals == 0);                                                                          \
  mutex->lock = 0;                                                                                                     \
  condition->waiting++;                                                                                                \
  __VERIFIER_atomic_end()

/* Whoever leaves without a signal takes one all the same if there are as many as threads that wait. */
#define STOP_TO_WAIT(EARLY)                                                                                            \
  condition->waiting--;                                                                                                \
  if (!(EARLY) || condition->signals > condition->waiting)                                                             \
    condition->signals--

#define RECEIVE_SIGNAL                                                                                                 \
  __VERIFIER_atomic_begin();                                                                                           \
  _Bool early = WAKES_UP || IS_CANCELLED;                                                                              \
  if (!early) {                                                                                                        \
    WAIT_FOR(condition->signals != 0, condition->awaited = 1);                                                         \
  }                                                                                                                    \
  STOP_TO_WAIT(early);                                                                                                 \
  __VERIFIER_atomic_end()

#define RECEIVE_SIGNAL_IN_TIME(LATE)                                                                                   \
  __VERIFIER_atomic_begin();                                                                                           \
  _Bool early = __VERIFIER_nondet_bool();                                                                              \
  __VERIFIER_assume(early || condition->signals != 0);                                                                 \
  STOP_TO_WAIT(early);                                                                                                 \
  if (early && !WAKES_UP)                                                                                              \
    result = LATE;                                                                                                     \
  __VERIFIER_atomic_end()

#define SEND_SIGNAL                                                                                                    \
  __VERIFIER_atomic_begin();                                                                                           \
  if (condition->signals < condition->waiting) {                                                                       \
    HAPPENS(condition->awaited);                                                                                       \
    condition->signals++;                                                                                              \
  }                                                                                                                    \
  __VERIFIER_atomic_end()

#define SEND_SIGNALS                                                                                                   \
  __VERIFIER_atomic_begin();                                                                                           \
  HAPPENS(condition->awaited);                                                                                         \
  condition->signals = condition->waiting;                                                                             \
  __VERIFIER_atomic_end()

#else

#define RESET_CONDITION
#define BEGIN_TO_WAIT                                                                                                  \
  __VERIFIER_atomic_begin();                                                                                           \
  int owner = mutex->lock;                                                                                             \
  mutex->lock = 0;                                                                                                     \
  __VERIFIER_atomic_end()
#define RECEIVE_SIGNAL
#define RECEIVE_SIGNAL_IN_TIME(LATE) result = __VERIFIER_nondet_bool() ? LATE : 0
#define SEND_SIGNAL
#define SEND_SIGNALS

#endif

#define LOCK_AGAIN                                                                                                     \
  __VERIFIER_atomic_begin();                                                                                           \
  WAIT_FOR(mutex->lock == 0, mutex->awaited = 1);                                                                      \
  mutex->lock = owner;                                                                                                 \
  __VERIFIER_atomic_end()

#define ON_CONDITION(NAME, PARAMETERS, ACTION)                                                                         \
  int NAME PARAMETERS {                                                                                                \
    ACTION;                                                                                                            \
    return 0;                                                                                                          \
  }

ON_CONDITION(pthread_cond_init, (struct condition *condition, const void *attributes), RESET_CONDITION)
ON_CONDITION(cnd_init, (struct condition *condition), RESET_CONDITION)
ON_CONDITION(pthread_cond_signal, (struct condition *condition), SEND_SIGNAL)
ON_CONDITION(cnd_signal, (struct condition *condition), SEND_SIGNAL)
ON_CONDITION(pthread_cond_broadcast, (struct condition *condition), SEND_SIGNALS)
ON_CONDITION(cnd_broadcast, (struct condition *condition), SEND_SIGNALS)

#define WAIT(NAME)                                                                                                     \
  int NAME(struct condition *condition, struct mutex *mutex) {                                                         \
    BEGIN_TO_WAIT;                                                                                                     \
    RECEIVE_SIGNAL;                                                                                                    \
    LOCK_AGAIN;                                                                                                        \
    pthread_testcancel();                                                                                              \
    return 0;                                                                                                          \
  }

WAIT(pthread_cond_wait)
WAIT(cnd_wait)

#define TIMED_WAIT(NAME, PARAMETERS, LATE)                                                                             \
  int NAME PARAMETERS {                                                                                                \
    int result = 0;                                                                                                    \
    BEGIN_TO_WAIT;                                                                                                     \
    RECEIVE_SIGNAL_IN_TIME(LATE);                                                                                      \
    LOCK_AGAIN;                                                                                                        \
    pthread_testcancel();                                                                                              \
    return result;                                                                                                     \
  }

TIMED_WAIT(pthread_cond_timedwait, (struct condition *condition, struct mutex *mutex, const void *until), TIMED_OUT)
TIMED_WAIT(pthread_cond_clockwait, (struct condition *condition, struct mutex *mutex, int clock, const void *until), TIMED_OUT)
TIMED_WAIT(cnd_timedwait, (struct condition *condition, struct mutex *mutex, const void *until), C11_TIMED_OUT)
/* --- read-write locks: the number of readers, or -1; and whether a thread that has stopped awaits it --- */

int pthread_rwlock_init(int *lock, const void *attributes) {
  lock[0] = 0;
  lock[1] = 0;
  return 0;
}

int pthread_rwlock_rdlock(int *lock) {
  __VERIFIER_atomic_begin();
  WAIT_FOR(*lock >= 0, lock[1] = 1);
  *lock += 1;
  __VERIFIER_atomic_end();
  return 0;
}

int pthread_rwlock_wrlock(int *lock) {
  __VERIFIER_atomic_begin();
  WAIT_FOR(*lock == 0, lock[1] = 1);
  *lock = -1;
  __VERIFIER_atomic_end();
  return 0;
}

#define TRY_RWLOCK(NAME, PARAMETERS, IS_FREE, CHANGE, TAKEN)                                                           \
  int NAME PARAMETERS {                                                                                                \
    int result = 0;                                                                                                    \
    __VERIFIER_atomic_begin();                                                                                         \
    if (IS_FREE)                                                                                                       \
      CHANGE;                                                                                                          \
    else                                                                                                               \
      result = TAKEN;                                                                                                  \
    __VERIFIER_atomic_end();                                                                                           \
    return result;                                                                                                     \
  }

TRY_RWLOCK(pthread_rwlock_tryrdlock, (int *lock), *lock >= 0, *lock += 1, BUSY)
TRY_RWLOCK(pthread_rwlock_trywrlock, (int *lock), *lock == 0, *lock = -1, BUSY)
TRY_RWLOCK(pthread_rwlock_timedrdlock, (int *lock, const void *until), *lock >= 0, *lock += 1, TIMED_OUT)
TRY_RWLOCK(pthread_rwlock_timedwrlock, (int *lock, const void *until), *lock == 0, *lock = -1, TIMED_OUT)

int pthread_rwlock_unlock(int *lock) {
  __VERIFIER_atomic_begin();
  *lock = *lock > 0 ? *lock - 1 : 0;
  HAPPENS(*lock == 0 && lock[1]);
  __VERIFIER_atomic_end();
  return 0;
}

/* --- spin locks: 1 if it is taken, 2 if a thread that has stopped awaits it, too --- */

int pthread_spin_init(int *lock, int shared) {
  *lock = 0;
  return 0;
}

int pthread_spin_lock(int *lock) {
  __VERIFIER_atomic_begin();
  WAIT_FOR(*lock == 0, *lock = 2);
  *lock = 1;
  __VERIFIER_atomic_end();
  return 0;
}

int pthread_spin_trylock(int *lock) {
  int result = 0;
  __VERIFIER_atomic_begin();
  if (*lock == 0)
    *lock = 1;
  else
    result = BUSY;
  __VERIFIER_atomic_end();
  return result;
}

int pthread_spin_unlock(int *lock) {
  __VERIFIER_atomic_begin();
  HAPPENS(*lock == 2);
  *lock = 0;
  __VERIFIER_atomic_end();
  return 0;
}

/* --- barriers --- */

int pthread_barrier_init(struct barrier *barrier, const void *attributes, unsigned count) {
  if (count == 0)
    return INVALID;
  barrier->needed = count;
  barrier->arrived = 0;
  barrier->round = 0;
  barrier->awaited = 0;
  return 0;
}

int pthread_barrier_wait(struct barrier *barrier) {
  int is_last = 0;
  __VERIFIER_atomic_begin();
  unsigned round = barrier->round;
  if (barrier->arrived + 1 == barrier->needed) {
    HAPPENS(barrier->awaited);
    barrier->arrived = 0;
    barrier->round = round + 1;
    is_last = 1;
  } else {
    barrier->arrived++;
  }
  __VERIFIER_atomic_end();
  if (is_last)
    return -1;
  __VERIFIER_atomic_begin();
  WAIT_FOR(barrier->round != round, barrier->awaited = 1);
  __VERIFIER_atomic_end();
  return 0;
}

/* --- semaphores: the value, and whether a thread that has stopped awaits it --- */

int sem_init(unsigned *semaphore, int shared, unsigned value) {
  semaphore[0] = value;
  semaphore[1] = 0;
  return 0;
}

int sem_wait(unsigned *semaphore) {
  pthread_testcancel();
  __VERIFIER_atomic_begin();
  WAIT_FOR(*semaphore != 0, semaphore[1] = 1);
  *semaphore -= 1;
  __VERIFIER_atomic_end();
  return 0;
}

#define SEM_TRY_WAIT(NAME, PARAMETERS)                                                                                 \
  int NAME PARAMETERS {                                                                                                \
    int result = -1;                                                                                                   \
    __VERIFIER_atomic_begin();                                                                                         \
    if (*semaphore != 0) {                                                                                             \
      *semaphore -= 1;                                                                                                 \
      result = 0;                                                                                                      \
    }                                                                                                                  \
    __VERIFIER_atomic_end();                                                                                           \
    return result;                                                                                                     \
  }

SEM_TRY_WAIT(sem_trywait, (unsigned *semaphore))
SEM_TRY_WAIT(sem_timedwait, (unsigned *semaphore, const void *until))
SEM_TRY_WAIT(sem_clockwait, (unsigned *semaphore, int clock, const void *until))

int sem_post(unsigned *semaphore) {
  __VERIFIER_atomic_begin();
  HAPPENS(semaphore[1]);
  *semaphore += 1;
  __VERIFIER_atomic_end();
  return 0;
}

int sem_getvalue(unsigned *semaphore, int *value) {
  *value = (int)*semaphore;
  return 0;
}

/* --- once: 0, 1 while the routine runs (3 if a thread that has stopped awaits its end), 2 --- */

#define ONCE(NAME, RETURNED)                                                                                           \
  RETURNED NAME(int *control, void (*routine)(void)) {                                                                 \
    int before;                                                                                                        \
    __VERIFIER_atomic_begin();                                                                                         \
    before = *control;                                                                                                 \
    if (before == 0)                                                                                                   \
      *control = 1;                                                                                                    \
    __VERIFIER_atomic_end();                                                                                           \
    if (before == 0) {                                                                                                 \
      routine();                                                                                                       \
      __VERIFIER_atomic_begin();                                                                                       \
      HAPPENS(*control == 3);                                                                                          \
      *control = 2;                                                                                                    \
      __VERIFIER_atomic_end();                                                                                         \
    } else {                                                                                                           \
      __VERIFIER_atomic_begin();                                                                                       \
      WAIT_FOR(*control == 2, *control = 3);                                                                           \
      __VERIFIER_atomic_end();                                                                                         \
    }                                                                                                                  \
    return (RETURNED)0;                                                                                                \
  }

ONCE(pthread_once, int)
ONCE(call_once, void)

/* --- values of threads --- */

static unsigned next_key;
static void *values[KEYS * THREADS];
static void (*destructors[KEYS])(void *);

#define KEY_CREATE(NAME, FULL)                                                                                         \
  int NAME(unsigned *key, void (*destructor)(void *)) {                                                                \
    __VERIFIER_atomic_begin();                                                                                         \
    unsigned given = next_key;                                                                                         \
    next_key = given + 1;                                                                                              \
    __VERIFIER_atomic_end();                                                                                           \
    if (given >= KEYS)                                                                                                 \
      return FULL;                                                                                                     \
    destructors[given] = destructor;                                                                                   \
    *key = given;                                                                                                      \
    return 0;                                                                                                          \
  }

#define SET_SPECIFIC(NAME)                                                                                             \
  int NAME(unsigned key, const void *value) {                                                                          \
    values[key * THREADS + __cleave_self()] = (void *)value;                                                           \
    return 0;                                                                                                          \
  }

#define GET_SPECIFIC(NAME)                                                                                             \
  void *NAME(unsigned key) {                                                                                           \
    return values[key * THREADS + __cleave_self()];                                                                    \
  }

KEY_CREATE(pthread_key_create, AGAIN)
KEY_CREATE(tss_create, C11_ERROR)
SET_SPECIFIC(pthread_setspecific)
SET_SPECIFIC(tss_set)
GET_SPECIFIC(pthread_getspecific)
GET_SPECIFIC(tss_get)

/* Called when a thread ends. */
void __cleave_run_destructors(void) {
  int again = 1;
  for (int round = 0; again && round < ROUNDS; round++) {
    again = 0;
    for (unsigned key = 0; key < next_key; key++) {
      void *value = values[key * THREADS + __cleave_self()];
      void (*destructor)(void *) = destructors[key];
      if (value != 0 && destructor != 0) {
        values[key * THREADS + __cleave_self()] = 0;
        destructor(value);
        again = 1;
      }
    }
  }
}
