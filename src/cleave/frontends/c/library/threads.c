/* POSIX threads as programs see them: linked where a program calls one of these functions and does not define it.
   `threads.py` gives every call a copy of its own, so that no two locks are confused.

   Waiting is an assumption in an atomic block: an execution in which it fails is one in which the thread was not yet
   scheduled. Objects have the layout of glibc, as far as static initialisers and preprocessed files depend on it: a
   lock is the int at offset 0, the kind of a mutex is where glibc has it. */

typedef unsigned long thread;

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
int __cleave_self(void);
void __cleave_join(thread);

extern void *__cleave_results[];

enum { RECURSIVE = 1, ERROR_CHECK = 2, KINDS = 3, PERMISSION = 1, AGAIN = 11, BUSY = 16, INVALID = 22, DEADLOCK = 35, TIMED_OUT = 110 };
enum { KEYS = 64, THREADS = 128, ROUNDS = 4 };

struct mutex {
  int lock; /* 0: free; else the number of its owner plus one, or just one where nobody asks for the owner */
  int count;
  int owner;
#if __SIZEOF_POINTER__ == 8
  unsigned users;
#endif
  int kind;
};

struct condition {
  unsigned waiting;
  unsigned signals; /* for those that wait, never more than them */
};

struct barrier {
  unsigned needed;
  unsigned arrived;
  unsigned round;
};

/* --- threads --- */

int pthread_join(thread id, void **result) {
  __cleave_join(id);
  if (result != 0)
    *result = __cleave_results[id];
  return 0;
}

int thrd_join(thread id, int *result) {
  __cleave_join(id);
  if (result != 0)
    *result = *(int *)&__cleave_results[id];
  return 0;
}

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
  mutex->kind = 0;
  if (attributes != 0)
    mutex->kind = *attributes & KINDS;
  return 0;
}

int mtx_init(struct mutex *mutex, int type) {
  mutex->lock = 0;
  mutex->count = 0;
  mutex->kind = type & RECURSIVE;
  return 0;
}

#define LOCK(NAME)                                                                                                     \
  int NAME(struct mutex *mutex) {                                                                                      \
    int result = 0;                                                                                                    \
    __VERIFIER_atomic_begin();                                                                                         \
    int kind = mutex->kind;                                                                                            \
    if (kind == 0) {                                                                                                   \
      __VERIFIER_assume(mutex->lock == 0);                                                                             \
      mutex->lock = 1;                                                                                                 \
    } else {                                                                                                           \
      int me = __cleave_self() + 1;                                                                                    \
      if (mutex->lock == me && kind == RECURSIVE) {                                                                    \
        mutex->count++;                                                                                                \
      } else if (mutex->lock == me && kind == ERROR_CHECK) {                                                           \
        result = DEADLOCK;                                                                                             \
      } else {                                                                                                         \
        __VERIFIER_assume(mutex->lock == 0);                                                                           \
        mutex->lock = me;                                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
    __VERIFIER_atomic_end();                                                                                           \
    return result;                                                                                                     \
  }

#define TRY_LOCK(NAME, TAKEN)                                                                                          \
  int NAME(struct mutex *mutex) {                                                                                      \
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

#define UNLOCK(NAME)                                                                                                   \
  int NAME(struct mutex *mutex) {                                                                                      \
    int result = 0;                                                                                                    \
    __VERIFIER_atomic_begin();                                                                                         \
    int kind = mutex->kind;                                                                                            \
    if (kind == 0) {                                                                                                   \
      mutex->lock = 0;                                                                                                 \
    } else if ((kind == RECURSIVE || kind == ERROR_CHECK) && mutex->lock != __cleave_self() + 1) {                     \
      result = PERMISSION;                                                                                             \
    } else if (kind == RECURSIVE && mutex->count != 0) {                                                               \
      mutex->count--;                                                                                                  \
    } else {                                                                                                           \
      mutex->lock = 0;                                                                                                 \
    }                                                                                                                  \
    __VERIFIER_atomic_end();                                                                                           \
    return result;                                                                                                     \
  }

LOCK(pthread_mutex_lock)
LOCK(mtx_lock)
TRY_LOCK(pthread_mutex_trylock, BUSY)
TRY_LOCK(mtx_trylock, 1)
UNLOCK(pthread_mutex_unlock)
UNLOCK(mtx_unlock)

int pthread_mutex_timedlock(struct mutex *mutex, const void *until) {
  int result = 0;
  __VERIFIER_atomic_begin();
  int me = mutex->kind == 0 ? 1 : __cleave_self() + 1;
  if (mutex->lock == 0)
    mutex->lock = me;
  else if (mutex->kind == RECURSIVE && mutex->lock == me)
    mutex->count++;
  else
    result = TIMED_OUT;
  __VERIFIER_atomic_end();
  return result;
}

/* --- condition variables: a thread that waits goes on after a signal that was sent while it waited, never without --- */

#define COND_INIT(NAME, PARAMETERS)                                                                                    \
  int NAME PARAMETERS {                                                                                                \
    condition->waiting = 0;                                                                                            \
    condition->signals = 0;                                                                                            \
    return 0;                                                                                                          \
  }

#define WAIT(NAME)                                                                                                     \
  int NAME(struct condition *condition, struct mutex *mutex) {                                                         \
    __VERIFIER_atomic_begin();                                                                                         \
    int owner = mutex->lock;                                                                                           \
    mutex->lock = 0;                                                                                                   \
    condition->waiting++;                                                                                              \
    __VERIFIER_atomic_end();                                                                                           \
    __VERIFIER_atomic_begin();                                                                                         \
    __VERIFIER_assume(condition->signals != 0);                                                                        \
    __VERIFIER_assume(mutex->lock == 0);                                                                               \
    condition->signals--;                                                                                              \
    condition->waiting--;                                                                                              \
    mutex->lock = owner;                                                                                               \
    __VERIFIER_atomic_end();                                                                                           \
    return 0;                                                                                                          \
  }

#define SIGNAL(NAME)                                                                                                   \
  int NAME(struct condition *condition) {                                                                              \
    __VERIFIER_atomic_begin();                                                                                         \
    if (condition->signals < condition->waiting)                                                                       \
      condition->signals++;                                                                                            \
    __VERIFIER_atomic_end();                                                                                           \
    return 0;                                                                                                          \
  }

#define BROADCAST(NAME)                                                                                                \
  int NAME(struct condition *condition) {                                                                              \
    __VERIFIER_atomic_begin();                                                                                         \
    condition->signals = condition->waiting;                                                                           \
    __VERIFIER_atomic_end();                                                                                           \
    return 0;                                                                                                          \
  }

COND_INIT(pthread_cond_init, (struct condition *condition, const void *attributes))
COND_INIT(cnd_init, (struct condition *condition))
WAIT(pthread_cond_wait)
WAIT(cnd_wait)
SIGNAL(pthread_cond_signal)
SIGNAL(cnd_signal)
BROADCAST(pthread_cond_broadcast)
BROADCAST(cnd_broadcast)

int pthread_cond_timedwait(struct condition *condition, struct mutex *mutex, const void *until) {
  int result = 0;
  __VERIFIER_atomic_begin();
  int owner = mutex->lock;
  mutex->lock = 0;
  condition->waiting++;
  __VERIFIER_atomic_end();
  __VERIFIER_atomic_begin();
  __VERIFIER_assume(mutex->lock == 0);
  if (condition->signals != 0)
    condition->signals--;
  else
    result = TIMED_OUT;
  condition->waiting--;
  mutex->lock = owner;
  __VERIFIER_atomic_end();
  return result;
}

/* --- read-write locks: the number of readers, or -1 --- */

int pthread_rwlock_init(int *lock, const void *attributes) {
  *lock = 0;
  return 0;
}

int pthread_rwlock_rdlock(int *lock) {
  __VERIFIER_atomic_begin();
  __VERIFIER_assume(*lock >= 0);
  *lock += 1;
  __VERIFIER_atomic_end();
  return 0;
}

int pthread_rwlock_wrlock(int *lock) {
  __VERIFIER_atomic_begin();
  __VERIFIER_assume(*lock == 0);
  *lock = -1;
  __VERIFIER_atomic_end();
  return 0;
}

int pthread_rwlock_tryrdlock(int *lock) {
  int result = 0;
  __VERIFIER_atomic_begin();
  if (*lock >= 0)
    *lock += 1;
  else
    result = BUSY;
  __VERIFIER_atomic_end();
  return result;
}

int pthread_rwlock_trywrlock(int *lock) {
  int result = 0;
  __VERIFIER_atomic_begin();
  if (*lock == 0)
    *lock = -1;
  else
    result = BUSY;
  __VERIFIER_atomic_end();
  return result;
}

int pthread_rwlock_unlock(int *lock) {
  __VERIFIER_atomic_begin();
  *lock = *lock > 0 ? *lock - 1 : 0;
  __VERIFIER_atomic_end();
  return 0;
}

/* --- spin locks --- */

int pthread_spin_init(int *lock, int shared) {
  *lock = 0;
  return 0;
}

int pthread_spin_lock(int *lock) {
  __VERIFIER_atomic_begin();
  __VERIFIER_assume(*lock == 0);
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
  *lock = 0;
  return 0;
}

/* --- barriers --- */

int pthread_barrier_init(struct barrier *barrier, const void *attributes, unsigned count) {
  if (count == 0)
    return INVALID;
  barrier->needed = count;
  barrier->arrived = 0;
  barrier->round = 0;
  return 0;
}

int pthread_barrier_wait(struct barrier *barrier) {
  int is_last = 0;
  __VERIFIER_atomic_begin();
  unsigned round = barrier->round;
  if (barrier->arrived + 1 == barrier->needed) {
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
  __VERIFIER_assume(barrier->round != round);
  __VERIFIER_atomic_end();
  return 0;
}

/* --- semaphores --- */

int sem_init(unsigned *semaphore, int shared, unsigned value) {
  *semaphore = value;
  return 0;
}

int sem_wait(unsigned *semaphore) {
  __VERIFIER_atomic_begin();
  __VERIFIER_assume(*semaphore != 0);
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

int sem_post(unsigned *semaphore) {
  __VERIFIER_atomic_begin();
  *semaphore += 1;
  __VERIFIER_atomic_end();
  return 0;
}

int sem_getvalue(unsigned *semaphore, int *value) {
  *value = (int)*semaphore;
  return 0;
}

/* --- once: 0, 1 while the routine runs, 2 --- */

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
      *control = 2;                                                                                                    \
    } else {                                                                                                           \
      __VERIFIER_atomic_begin();                                                                                       \
      __VERIFIER_assume(*control == 2);                                                                                \
      __VERIFIER_atomic_end();                                                                                         \
    }                                                                                                                  \
    return (RETURNED)0;                                                                                                \
  }

ONCE(pthread_once, int)

/* --- values of threads --- */

static unsigned next_key;
static void *values[KEYS * THREADS];
static void (*destructors[KEYS])(void *);

int pthread_key_create(unsigned *key, void (*destructor)(void *)) {
  __VERIFIER_atomic_begin();
  unsigned given = next_key;
  next_key = given + 1;
  __VERIFIER_atomic_end();
  if (given >= KEYS)
    return AGAIN;
  destructors[given] = destructor;
  *key = given;
  return 0;
}

int pthread_setspecific(unsigned key, const void *value) {
  values[key * THREADS + __cleave_self()] = (void *)value;
  return 0;
}

void *pthread_getspecific(unsigned key) {
  return values[key * THREADS + __cleave_self()];
}

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
