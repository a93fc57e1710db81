/* Functions of <math.h> that only look at numbers or move them; the operators in here become calls of float.c. */

double fabs(double x) { return __builtin_fabs(x); }
float fabsf(float x) { return __builtin_fabsf(x); }
double floor(double x) { return __builtin_floor(x); }
float floorf(float x) { return __builtin_floorf(x); }
double ceil(double x) { return __builtin_ceil(x); }
float ceilf(float x) { return __builtin_ceilf(x); }
double trunc(double x) { return __builtin_trunc(x); }
float truncf(float x) { return __builtin_truncf(x); }
double copysign(double x, double y) { return __builtin_copysign(x, y); }
float copysignf(float x, float y) { return __builtin_copysignf(x, y); }
double fmin(double x, double y) { return x != x ? y : y < x ? y : x; }
float fminf(float x, float y) { return x != x ? y : y < x ? y : x; }
double fmax(double x, double y) { return x != x ? y : x < y ? y : x; }
float fmaxf(float x, float y) { return x != x ? y : x < y ? y : x; }
double fdim(double x, double y) { return x <= y ? 0 : x - y; }
float fdimf(float x, float y) { return x <= y ? 0 : x - y; }

int isnan(double x) { return x != x; }
int __isnan(double x) { return x != x; }
int __isnanf(float x) { return x != x; }
int isinf(double x) { return x == __builtin_inf() ? 1 : x == -__builtin_inf() ? -1 : 0; }
int __isinf(double x) { return x == __builtin_inf() ? 1 : x == -__builtin_inf() ? -1 : 0; }
int __isinff(float x) { return x == __builtin_inff() ? 1 : x == -__builtin_inff() ? -1 : 0; }
int finite(double x) { return x - x == 0; }
int __finite(double x) { return x - x == 0; }
int __finitef(float x) { return x - x == 0; }
int __signbit(double x) {
  union { double number; unsigned long long bits; } u;
  u.number = x;
  return (int)(u.bits >> 63);
}
int __signbitf(float x) {
  union { float number; unsigned int bits; } u;
  u.number = x;
  return (int)(u.bits >> 31);
}
