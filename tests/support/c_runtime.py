"""What programs that compute a checksum start and end with, and enough of a C library to run them.

Without ``EXPECTED`` a program prints its checksum; with it, a checksum that differs is a violation.
"""

PROLOGUE = """\
typedef __SIZE_TYPE__ size_t;
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void *memset(void *, int, size_t);
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void print_number(unsigned int);
void __VERIFIER_error(void);
static unsigned int checksum = 1;
static void note(unsigned long long value) {
  checksum = (checksum << 1 | checksum >> 31) ^ (unsigned int)value ^ (unsigned int)(value >> 32);
}
"""
EPILOGUE = """\
#ifdef EXPECTED
  if (checksum != EXPECTED) __VERIFIER_error();
#else
  print_number(checksum);
#endif
  return 0;
}
"""

# Enough of a C library to run without one: it would take a minute to build.
RUNTIME = r"""
typedef __SIZE_TYPE__ size_t;
static char heap[1 << 16];
static size_t used;
int main(void);
void *malloc(size_t size) { void *made = heap + used; used += (size + 15) & ~(size_t)15; return made; }
void *memset(void *to, int byte, size_t size) {
  for (size_t i = 0; i < size; i++) ((volatile char *)to)[i] = (char)byte;
  return to;
}
void *memcpy(void *to, const void *from, size_t size) {
  for (size_t i = 0; i < size; i++) ((volatile char *)to)[i] = ((const char *)from)[i];
  return to;
}
void *memmove(void *to, const void *from, size_t size) {
  if ((size_t)to <= (size_t)from) return memcpy(to, from, size);
  for (size_t i = size; i > 0; i--) ((volatile char *)to)[i - 1] = ((const char *)from)[i - 1];
  return to;
}
void *calloc(size_t count, size_t size) { return memset(malloc(count * size), 0, count * size); }
void *realloc(void *old, size_t size) { return old ? memcpy(malloc(size), old, size) : malloc(size); }
#ifdef __x86_64__
static void call(long number, long a, long b, long c) {
  long r;
  __asm__ volatile("syscall" : "=a"(r) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
}
enum { WRITE = 1, EXIT = 60 };
#else
static void call(long number, long a, long b, long c) {
  long r;
  __asm__ volatile("int $0x80" : "=a"(r) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
}
enum { WRITE = 4, EXIT = 1 };
typedef unsigned long long wide;
static wide divide(wide a, wide b, wide *rest) {
  wide quotient = 0;
  *rest = 0;
  for (int i = 63; i >= 0; i--) {
    *rest = *rest << 1 | (a >> i & 1);
    if (*rest >= b) { *rest -= b; quotient |= (wide)1 << i; }
  }
  return quotient;
}
static wide size(long long a) { return a < 0 ? -(wide)a : (wide)a; }
wide __udivdi3(wide a, wide b) { wide rest; return divide(a, b, &rest); }
wide __umoddi3(wide a, wide b) { wide rest; divide(a, b, &rest); return rest; }
long long __divdi3(long long a, long long b) {
  wide rest, found = divide(size(a), size(b), &rest);
  return (a < 0) != (b < 0) ? -found : found;
}
long long __moddi3(long long a, long long b) {
  wide rest;
  divide(size(a), size(b), &rest);
  return a < 0 ? -rest : rest;
}
#endif
void print_number(unsigned int number) {
  char text[16];
  int at = 16;
  text[--at] = '\n';
  do text[--at] = (char)('0' + number % 10); while (number /= 10);
  call(WRITE, 1, (long)(text + at), 16 - at);
}
void __attribute__((force_align_arg_pointer)) _start(void) { main(); call(EXIT, 0, 0, 0); }
"""
