/* Time: any, as long as it is one that the functions may tell. What a date is to a time follows rules that are not modelled. */

#include "model.h"

typedef long time_t;
struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
struct timeval {
  time_t tv_sec;
  long tv_usec;
};
struct tm {
  int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
  long tm_gmtoff;
  const char *tm_zone;
};

static long __cleave_now(void) { return (long)((unsigned long)__VERIFIER_nondet_long() >> 1); }

time_t time(time_t *to) {
  time_t now = __VERIFIER_nondet_bool() ? __cleave_now() : -1;
  if (to != 0)
    *to = now;
  return now;
}

long clock(void) { return __VERIFIER_nondet_bool() ? __cleave_now() : -1; }
double difftime(time_t late, time_t early) { return (double)late - (double)early; }

int gettimeofday(struct timeval *to, void *zone) {
  to->tv_sec = __cleave_now();
  to->tv_usec = __cleave_between(0, 999999);
  return 0;
}

int clock_gettime(int clock, struct timespec *to) {
  if (__cleave_failed())
    return -1;
  to->tv_sec = __cleave_now();
  to->tv_nsec = __cleave_between(0, 999999999);
  return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left) {
  if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec > 999999999) {
    ERRNO = INVALID;
    return -1;
  }
  if (__VERIFIER_nondet_bool())
    return 0;
  ERRNO = INTERRUPTED;
  if (left != 0) {
    left->tv_sec = __VERIFIER_nondet_long();
    left->tv_nsec = __cleave_between(0, 999999999);
    __VERIFIER_assume(0 <= left->tv_sec && left->tv_sec <= time->tv_sec);
  }
  return -1;
}

/* --- dates --- */

static int __cleave_part(int low, int high) {
  int number = __cleave_doubt_int("gmtime");
  __VERIFIER_assume(low <= number && number <= high);
  return number;
}

static void __cleave_fill(struct tm *to) {
  to->tm_sec = __cleave_part(0, 60);
  to->tm_min = __cleave_part(0, 59);
  to->tm_hour = __cleave_part(0, 23);
  to->tm_mday = __cleave_part(1, 31);
  to->tm_mon = __cleave_part(0, 11);
  to->tm_year = __cleave_doubt_int("gmtime");
  to->tm_wday = __cleave_part(0, 6);
  to->tm_yday = __cleave_part(0, 365);
  to->tm_isdst = __cleave_part(0, 1);
  to->tm_gmtoff = __cleave_doubt_int("gmtime");
  to->tm_zone = "";
}

static struct tm __cleave_shared_date;

struct tm *gmtime_r(const time_t *time, struct tm *to) {
  __cleave_reads(time, sizeof *time);
  if (__cleave_doubt_int("gmtime"))
    return 0;
  __cleave_fill(to);
  return to;
}

struct tm *localtime_r(const time_t *time, struct tm *to) { return gmtime_r(time, to); }
struct tm *gmtime(const time_t *time) { return gmtime_r(time, &__cleave_shared_date); }
struct tm *localtime(const time_t *time) { return gmtime_r(time, &__cleave_shared_date); }

/* The date becomes a usual one. */
time_t mktime(struct tm *date) {
  time_t found = (time_t)__cleave_doubt_size("mktime");
  if (found != -1)
    __cleave_fill(date);
  return found;
}

time_t timegm(struct tm *date) { return mktime(date); }

/* --- texts --- */

static char __cleave_shared_line[26];

static char *__cleave_line(char *to) {
  for (int i = 0; i < 24; i++) {
    to[i] = __cleave_doubt_char("asctime");
    __VERIFIER_assume(to[i] >= ' ');
  }
  to[24] = '\n';
  to[25] = 0;
  return to;
}

char *asctime_r(const struct tm *date, char *to) {
  __cleave_reads(date, sizeof *date);
  return __cleave_line(to);
}

char *ctime_r(const time_t *time, char *to) {
  __cleave_reads(time, sizeof *time);
  return __cleave_line(to);
}

char *asctime(const struct tm *date) { return asctime_r(date, __cleave_shared_line); }
char *ctime(const time_t *time) { return ctime_r(time, __cleave_shared_line); }

size_t strftime(char *to, size_t room, const char *format, const struct tm *date) {
  READS_TEXT(format);
  __cleave_reads(date, sizeof *date);
  size_t length = __cleave_doubt_size("strftime");
  if (length >= room)
    length = 0;
  for (size_t i = 0; i < (length == 0 ? room : length); i++)
    to[i] = __cleave_doubt_char("strftime");
  if (length > 0)
    to[length] = 0;
  return length;
}
