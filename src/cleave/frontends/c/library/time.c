/* Time: any, as long as it is one that the functions may tell. */

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

long __VERIFIER_nondet_long(void);
int __VERIFIER_nondet_int(void);
char __VERIFIER_nondet_char(void);
void __VERIFIER_assume(int);

static int __cleave_between(int low, int high) {
  int number = __VERIFIER_nondet_int();
  __VERIFIER_assume(low <= number && number <= high);
  return number;
}

static long __cleave_now(void) {
  long now = __VERIFIER_nondet_long();
  __VERIFIER_assume(now >= 0);
  return now;
}

time_t time(time_t *to) {
  time_t now = __cleave_now();
  if (to != 0)
    *to = now;
  return now;
}

int gettimeofday(struct timeval *to, void *zone) {
  to->tv_sec = __cleave_now();
  to->tv_usec = __cleave_between(0, 999999);
  return 0;
}

int clock_gettime(int clock, struct timespec *to) {
  to->tv_sec = __cleave_now();
  to->tv_nsec = __cleave_between(0, 999999999);
  return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left) {
  return time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec > 999999999 ? -1 : 0;
}

static struct tm __cleave_date;

struct tm *gmtime_r(const time_t *time, struct tm *to) {
  to->tm_sec = __cleave_between(0, 60);
  to->tm_min = __cleave_between(0, 59);
  to->tm_hour = __cleave_between(0, 23);
  to->tm_mday = __cleave_between(1, 31);
  to->tm_mon = __cleave_between(0, 11);
  to->tm_year = __VERIFIER_nondet_int();
  to->tm_wday = __cleave_between(0, 6);
  to->tm_yday = __cleave_between(0, 365);
  to->tm_isdst = __cleave_between(0, 1);
  return to;
}

struct tm *localtime_r(const time_t *time, struct tm *to) { return gmtime_r(time, to); }
struct tm *gmtime(const time_t *time) { return gmtime_r(time, &__cleave_date); }
struct tm *localtime(const time_t *time) { return gmtime_r(time, &__cleave_date); }
time_t mktime(struct tm *date) { return __VERIFIER_nondet_long(); }
time_t timegm(struct tm *date) { return __VERIFIER_nondet_long(); }

static char __cleave_text[26];

char *asctime_r(const struct tm *date, char *to) {
  for (int i = 0; i < 24; i++) {
    to[i] = __VERIFIER_nondet_char();
    __VERIFIER_assume(to[i] >= ' ');
  }
  to[24] = '\n';
  to[25] = 0;
  return to;
}

char *ctime_r(const time_t *time, char *to) { return asctime_r(0, to); }
char *asctime(const struct tm *date) { return asctime_r(date, __cleave_text); }
char *ctime(const time_t *time) { return asctime_r(0, __cleave_text); }
