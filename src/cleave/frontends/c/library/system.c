/* The outside: system calls of <unistd.h> and its like, the environment, chance. They give any value within what they promise,
   store only where they are told to, and may fail; errno then says why. */

#include "model.h"

#include <sys/stat.h>
#include <sys/utsname.h>

/* --- files --- */

int open(const char *name, int flags, ...) { return __cleave_failed() ? -1 : __VERIFIER_nondet_int() & 0xfffff; }
int open64(const char *name, int flags, ...) { return __cleave_failed() ? -1 : __VERIFIER_nondet_int() & 0xfffff; }
int creat(const char *name, unsigned mode) { return __cleave_failed() ? -1 : __VERIFIER_nondet_int() & 0xfffff; }
int dup(int file) { return __cleave_failed() ? -1 : __VERIFIER_nondet_int() & 0xfffff; }
int dup2(int file, int to) { return __cleave_failed() ? -1 : to; }
int close(int file) { return __cleave_failed() ? -1 : 0; }
int access(const char *name, int how) { return __cleave_failed() ? -1 : 0; }
int unlink(const char *name) { return __cleave_failed() ? -1 : 0; }
int link(const char *from, const char *to) { return __cleave_failed() ? -1 : 0; }
int symlink(const char *from, const char *to) { return __cleave_failed() ? -1 : 0; }
int mkdir(const char *name, unsigned mode) { return __cleave_failed() ? -1 : 0; }
int rmdir(const char *name) { return __cleave_failed() ? -1 : 0; }
int chdir(const char *name) { return __cleave_failed() ? -1 : 0; }
int chmod(const char *name, unsigned mode) { return __cleave_failed() ? -1 : 0; }
int chown(const char *name, unsigned user, unsigned group) { return __cleave_failed() ? -1 : 0; }
int truncate(const char *name, long size) { return __cleave_failed() ? -1 : 0; }
int ftruncate(int file, long size) { return __cleave_failed() ? -1 : 0; }
int fsync(int file) { return __cleave_failed() ? -1 : 0; }
void sync(void) {}
int isatty(int file) { return __cleave_failed() ? 0 : 1; }

int pipe(int ends[2]) {
  if (__cleave_failed())
    return -1;
  ends[0] = __VERIFIER_nondet_int() & 0xfffff;
  ends[1] = __VERIFIER_nondet_int() & 0xfffff;
  return 0;
}

int pipe2(int ends[2], int flags) { return pipe(ends); }

long lseek(int file, long to, int from) {
  return __cleave_failed() ? -1 : (long)((unsigned long)__VERIFIER_nondet_long() >> 1);
}

/* At most ``size`` bytes, and nothing behind those that came. */
ssize_t read(int file, void *to, size_t size) {
  size_t got = __VERIFIER_nondet_size_t();
  if (got > size || got > ~(size_t)0 >> 1) {
    __cleave_fails();
    return -1;
  }
  for (size_t i = 0; i < got; i++)
    ((char *)to)[i] = __VERIFIER_nondet_char();
  return (ssize_t)got;
}

ssize_t pread(int file, void *to, size_t size, long at) { return read(file, to, size); }
ssize_t recv(int socket, void *to, size_t size, int flags) { return read(socket, to, size); }

ssize_t write(int file, const void *from, size_t size) {
  size_t done = __VERIFIER_nondet_size_t();
  __cleave_reads(from, size);
  if (done > size || done > ~(size_t)0 >> 1) {
    __cleave_fails();
    return -1;
  }
  return (ssize_t)done;
}

ssize_t pwrite(int file, const void *from, size_t size, long at) { return write(file, from, size); }
ssize_t send(int socket, const void *from, size_t size, int flags) { return write(socket, from, size); }

static int __cleave_status(struct stat *to) {
  if (__cleave_failed())
    return -1;
  __CPROVER_havoc_slice(to, sizeof *to);
  __VERIFIER_assume(to->st_size >= 0 && to->st_blksize > 0 && to->st_blocks >= 0 && to->st_nlink > 0);
  return 0;
}

int stat(const char *name, struct stat *to) { return __cleave_status(to); }
int lstat(const char *name, struct stat *to) { return __cleave_status(to); }
int fstat(int file, struct stat *to) { return __cleave_status(to); }
int __xstat(int version, const char *name, struct stat *to) { return __cleave_status(to); }
int __lxstat(int version, const char *name, struct stat *to) { return __cleave_status(to); }
int __fxstat(int version, int file, struct stat *to) { return __cleave_status(to); }

static char *__cleave_text(char *to, size_t room) {
  size_t i = 0;
  while (i + 1 < room && __VERIFIER_nondet_bool()) {
    to[i] = __VERIFIER_nondet_char();
    if (to[i] == 0)
      return to;
    i++;
  }
  to[i] = 0;
  return to;
}

char *getcwd(char *to, size_t room) {
  if (room == 0 || __cleave_failed())
    return 0;
  if (to == 0)
    to = malloc(room);
  return to == 0 ? 0 : __cleave_text(to, room);
}

ssize_t readlink(const char *name, char *to, size_t room) { return read(0, to, room); }

int gethostname(char *to, size_t room) {
  if (room == 0 || __cleave_failed())
    return -1;
  __cleave_text(to, room);
  return 0;
}

int uname(struct utsname *to) {
  if (__cleave_failed())
    return -1;
  __CPROVER_havoc_slice(to, sizeof *to);
  to->sysname[64] = to->nodename[64] = to->release[64] = to->version[64] = to->machine[64] = 0;
  return 0;
}

/* --- processes --- */

static int __cleave_process;

int getpid(void) {
  if (__cleave_process == 0)
    __cleave_process = 1 + (__VERIFIER_nondet_int() & 0x3fffff);
  return __cleave_process;
}

int getppid(void) { return __VERIFIER_nondet_int() & 0x3fffff; }
unsigned getuid(void) { return __VERIFIER_nondet_uint(); }
unsigned geteuid(void) { return __VERIFIER_nondet_uint(); }
unsigned getgid(void) { return __VERIFIER_nondet_uint(); }
unsigned getegid(void) { return __VERIFIER_nondet_uint(); }
int getpagesize(void) { return 4096; }
long sysconf(int name) { return __VERIFIER_nondet_long(); }
int system(const char *command) { return __VERIFIER_nondet_int(); }

/* --- the environment --- */

/* What a name stands for may change between two calls. */
char *getenv(const char *name) {
  READS_TEXT(name);
  size_t length = __VERIFIER_nondet_size_t() >> 8;
  if (__VERIFIER_nondet_bool())
    return 0;
  char *text = malloc(length + 1);
  __VERIFIER_assume(text != 0 && text[length] == 0);
  return text;
}

char *secure_getenv(const char *name) { return getenv(name); }
int setenv(const char *name, const char *value, int always) { return __cleave_failed() ? -1 : 0; }
int unsetenv(const char *name) { return __cleave_failed() ? -1 : 0; }

/* --- memory --- */

void *aligned_alloc(size_t alignment, size_t size);

int posix_memalign(void **to, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
    return INVALID;
  void *made = aligned_alloc(alignment, size);
  if (made == 0)
    return NO_MEMORY;
  *to = made;
  return 0;
}

/* --- chance --- */

int rand(void) { return __VERIFIER_nondet_int() & 0x7fffffff; }
int rand_r(unsigned *seed) {
  *seed = __VERIFIER_nondet_uint();
  return rand();
}
void srand(unsigned seed) {}
long random(void) { return rand(); }
void srandom(unsigned seed) {}
long lrand48(void) { return rand(); }
long mrand48(void) { return __VERIFIER_nondet_int(); }
void srand48(long seed) {}

double drand48(void) { return (double)(__VERIFIER_nondet_ulonglong() >> 16) / 0x1p48; }
