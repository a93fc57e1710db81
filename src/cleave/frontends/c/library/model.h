/* What the files of this library share: values that nobody knows, errno, and how to say that something is not exact. */

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ssize_t;
typedef unsigned char byte;

/* Any value: input, or a choice that C leaves open. */
_Bool __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
long __VERIFIER_nondet_long(void);
size_t __VERIFIER_nondet_size_t(void);
unsigned long long __VERIFIER_nondet_ulonglong(void);
void __VERIFIER_assume(int);
void __CPROVER_havoc_slice(void *, size_t); /* any values there; the size is a constant */

/* Any value, where the function of that name has rules that are not followed here: a violation that depends on the value
   is not known to be one. */
int __cleave_doubt_int(const char *function);
char __cleave_doubt_char(const char *function);
size_t __cleave_doubt_size(const char *function);
double __cleave_doubt_double(const char *function);

/* What C demands of arguments; these check it where memory is checked. */
void __cleave_reads(const void *, size_t);                 /* so many bytes can be read */
void __cleave_apart(const void *, const void *, size_t, size_t); /* so many bytes here and so many there, no overlap */
void __cleave_require(int condition, const char *message); /* else a violation, said so */

/* A text is read; of what is in it nothing depends on here, only its first byte is looked at. */
#define READS_TEXT(TEXT) __cleave_reads(TEXT, 1)

void *malloc(size_t);

int *__errno_location(void);
#define ERRNO (*__errno_location())
enum { NO_ENTRY = 2, INTERRUPTED = 4, NO_MEMORY = 12, INVALID = 22, OUT_OF_DOMAIN = 33, OUT_OF_RANGE = 34, BAD_TEXT = 84 };

/* Something went wrong outside of the program. */
static inline void __cleave_fails(void) { ERRNO = 1 + (__VERIFIER_nondet_int() & 127); }

/* A choice of the outside: whether an operation fails. */
static inline _Bool __cleave_failed(void) {
  if (__VERIFIER_nondet_bool())
    return 0;
  __cleave_fails();
  return 1;
}

static inline int __cleave_between(int low, int high) {
  int number = __VERIFIER_nondet_int();
  __VERIFIER_assume(low <= number && number <= high);
  return number;
}
