/* <stdio.h>: files are inputs. What is read is anything, every operation may fail, and errno then says why; that an
   operation succeeds does not mean that errno stays. */

#include "model.h"

typedef struct file FILE;

void free(void *);
void *realloc(void *, size_t);

extern FILE *stdin, *stdout, *stderr;

/* A file that is open is memory: who reads through a null pointer, or from a file that is closed, reads no memory. */
#define USE(FILE) __cleave_reads(FILE, 1)

static FILE *__cleave_opened(void) { return __cleave_failed() ? 0 : malloc(216); }

static void __cleave_closed(FILE *file) {
  USE(file);
  if (file != stdin && file != stdout && file != stderr)
    free(file);
}

FILE *fopen(const char *name, const char *mode) {
  READS_TEXT(name);
  READS_TEXT(mode);
  return __cleave_opened();
}

FILE *fopen64(const char *name, const char *mode) { return fopen(name, mode); }

FILE *fdopen(int file, const char *mode) {
  READS_TEXT(mode);
  return __cleave_opened();
}
FILE *tmpfile(void) { return __cleave_opened(); }
FILE *popen(const char *command, const char *mode) { return fopen(command, mode); }

FILE *freopen(const char *name, const char *mode, FILE *file) {
  USE(file);
  if (!__cleave_failed())
    return file;
  __cleave_closed(file);
  return 0;
}

int fclose(FILE *file) {
  __cleave_closed(file);
  return __cleave_failed() ? -1 : 0;
}

int pclose(FILE *file) {
  __cleave_closed(file);
  return __cleave_failed() ? -1 : __VERIFIER_nondet_int();
}

/* Of all files, if it is given none. */
int fflush(FILE *file) {
  if (file != 0)
    USE(file);
  return __cleave_failed() ? -1 : 0;
}

int fflush_unlocked(FILE *file) { return fflush(file); }
int fcloseall(void) { return 0; }
void rewind(FILE *file) { USE(file); }
void clearerr(FILE *file) { USE(file); }

int feof(FILE *file) {
  USE(file);
  return __VERIFIER_nondet_int();
}

int ferror(FILE *file) { return feof(file); }
int feof_unlocked(FILE *file) { return feof(file); }
int ferror_unlocked(FILE *file) { return feof(file); }

int fseek(FILE *file, long to, int from) {
  USE(file);
  return __cleave_failed() ? -1 : 0;
}

int fseeko(FILE *file, long to, int from) { return fseek(file, to, from); }

int fileno(FILE *file) {
  USE(file);
  return __cleave_failed() ? -1 : (__VERIFIER_nondet_int() & 0x7fffffff);
}

long ftell(FILE *file) {
  USE(file);
  return __cleave_failed() ? -1 : (long)((unsigned long)__VERIFIER_nondet_long() >> 1);
}

long ftello(FILE *file) { return ftell(file); }

int fgetpos(FILE *file, void *to) {
  USE(file);
  if (__cleave_failed())
    return -1;
  for (int i = 0; i < 16; i++)
    ((char *)to)[i] = __VERIFIER_nondet_char();
  return 0;
}

int fsetpos(FILE *file, const void *to) {
  USE(file);
  __cleave_reads(to, 16);
  return __cleave_failed() ? -1 : 0;
}

/* --- input --- */

int getchar(void) {
  if (__VERIFIER_nondet_bool())
    return (byte)__VERIFIER_nondet_char();
  if (__VERIFIER_nondet_bool())
    __cleave_fails();
  return -1;
}

int fgetc(FILE *file) {
  USE(file);
  return getchar();
}

int getc(FILE *file) { return fgetc(file); }
int _IO_getc(FILE *file) { return fgetc(file); }
int getc_unlocked(FILE *file) { return fgetc(file); }
int getchar_unlocked(void) { return getchar(); }

int ungetc(int c, FILE *file) {
  USE(file);
  return c == -1 || __VERIFIER_nondet_bool() ? -1 : (byte)c;
}

/* At most ``size`` - 1 bytes, up to the end of a line or of the file, and a 0; bytes that are 0 may be among them. What an
   error leaves in memory is not determined. */
char *fgets(char *to, int size, FILE *file) {
  USE(file);
  if (size <= 0)
    return 0;
  int i = 0;
  while (i < size - 1 && __VERIFIER_nondet_bool()) {
    to[i] = __VERIFIER_nondet_char();
    if (to[i++] == '\n')
      break;
  }
  if (i == 0 && size > 1) {
    if (__VERIFIER_nondet_bool())
      __cleave_fails();
    return 0;
  }
  if (__cleave_failed())
    return 0;
  to[i] = 0;
  return to;
}

char *fgets_unlocked(char *to, int size, FILE *file) { return fgets(to, size, file); }

/* As long as it likes: what is too long for its buffer is a violation of the caller. */
char *gets(char *to) {
  size_t length = __VERIFIER_nondet_size_t();
  if (__VERIFIER_nondet_bool())
    return 0;
  for (size_t i = 0; i < length; i++) {
    to[i] = __VERIFIER_nondet_char();
    __VERIFIER_assume(to[i] != '\n');
  }
  to[length] = 0;
  return to;
}

size_t fread(void *to, size_t size, size_t count, FILE *file) {
  size_t got = __VERIFIER_nondet_size_t(), rest = __VERIFIER_nondet_size_t();
  USE(file);
  if (size == 0 || count == 0)
    return 0;
  __VERIFIER_assume(got <= count && rest < size && (got < count || rest == 0));
  for (size_t i = 0; i < got * size + rest; i++)
    ((char *)to)[i] = __VERIFIER_nondet_char();
  if (got < count && __VERIFIER_nondet_bool())
    __cleave_fails();
  return got;
}

size_t fread_unlocked(void *to, size_t size, size_t count, FILE *file) { return fread(to, size, count, file); }

ssize_t getdelim(char **line, size_t *room, int end, FILE *file) {
  size_t length = __VERIFIER_nondet_size_t() >> 2;
  USE(file);
  if (length == 0) {
    if (__VERIFIER_nondet_bool())
      __cleave_fails();
    return -1;
  }
  if (*line == 0 || *room <= length) {
    char *made = realloc(*line, length + 1);
    if (made == 0) {
      ERRNO = NO_MEMORY;
      return -1;
    }
    *line = made;
    *room = length + 1;
  }
  for (size_t i = 0; i < length; i++) {
    char c = __VERIFIER_nondet_char();
    __VERIFIER_assume(i + 1 == length || c != (char)end);
    (*line)[i] = c;
  }
  (*line)[length] = 0;
  return (ssize_t)length;
}

ssize_t getline(char **line, size_t *room, FILE *file) { return getdelim(line, room, '\n', file); }

/* --- output --- */

int putchar(int c) { return __cleave_failed() ? -1 : (byte)c; }

int fputc(int c, FILE *file) {
  USE(file);
  return putchar(c);
}

int putc(int c, FILE *file) { return fputc(c, file); }
int _IO_putc(int c, FILE *file) { return fputc(c, file); }
int putchar_unlocked(int c) { return putchar(c); }
int fputs(const char *text, FILE *file) { return __cleave_failed() ? -1 : (__VERIFIER_nondet_int() & 0x7fffffff); }
int puts(const char *text) { return __cleave_failed() ? -1 : (__VERIFIER_nondet_int() & 0x7fffffff); }

int remove(const char *name) {
  READS_TEXT(name);
  return __cleave_failed() ? -1 : 0;
}

int rename(const char *from, const char *to) {
  READS_TEXT(from);
  READS_TEXT(to);
  return __cleave_failed() ? -1 : 0;
}

size_t fwrite(const void *from, size_t size, size_t count, FILE *file) {
  size_t done = __VERIFIER_nondet_size_t();
  USE(file);
  if (size == 0 || count == 0)
    return 0;
  __cleave_reads(from, size * count);
  __VERIFIER_assume(done <= count);
  if (done < count)
    __cleave_fails();
  return done;
}
