/* Small programs that read memory which was never set, or do not: `support.c_programs` reads them one by one. */
// never_set: unsafe
int main(void) { int x; return x; }
// set_at_once: safe
int main(void) { int x = 3; return x; }
// set_on_one_way: unsafe
int main(void) { int x; if (nondet_int()) x = 1; return x; }
// set_on_both_ways: safe
int main(void) { int x; if (nondet_int()) x = 1; else x = 2; return x; }
// set_if_used: safe
int main(void) { int x, c = nondet_int(); if (c) x = 1; if (c) return x; return 0; }
// used_if_not_set: unsafe
int main(void) { int x, c = nondet_int(); if (c) x = 1; if (!c) return x; return 0; }
// switch_without_default: unsafe
int main(void) { int x; switch (nondet_int()) { case 0: x = 1; break; case 1: x = 2; break; } return x; }
// switch_with_default: safe
int main(void) { int x; switch (nondet_int()) { case 0: x = 1; break; default: x = 2; } return x; }
// loop_may_not_run: unsafe
int main(void) { int x, n = nondet_int(); for (int i = 0; i < n && i < 3; i++) x = i; return x; }
// loop_runs: safe
int main(void) { int x; for (int i = 0; i < 3; i++) x = i; return x; }
// declared_in_a_loop: unsafe
int main(void) { int s = 0; for (int i = 0; i < 2; i++) { int x; if (i == 0) x = 1; s += x; } return s; }
// set_in_each_round: safe
int main(void) { int s = 0; for (int i = 0; i < 2; i++) { int x; x = i; s += x; } return s; }
// element: unsafe
int main(void) { int a[3]; a[0] = a[1] = 1; int i = nondet_int(); if (i < 0 || i > 2) return 0; return a[i]; }
// elements_that_are_set: safe
int main(void) { int a[3]; a[0] = a[1] = 1; int i = nondet_int(); if (i < 0 || i > 1) return 0; return a[i]; }
// rest_of_an_initialiser: safe
int main(void) { int a[3] = {1}; return a[2]; }
// member: unsafe
struct s { int a, b; }; int main(void) { struct s v; v.a = 1; return v.b; }
// member_that_is_set: safe
struct s { int a, b; }; int main(void) { struct s v; v.a = 1; return v.a; }
// copied_member: unsafe
struct s { int a, b; }; int main(void) { struct s v, w; v.a = 1; w = v; return w.b; }
// copied_and_not_read: safe
struct s { int a, b; }; int main(void) { struct s v, w; v.a = 1; w = v; return w.a; }
// passed_by_value: unknown
struct s { int a; char b; }; static int f(struct s v) { return v.a; } int main(void) { struct s v; v.a = 1; return f(v); }
// passed_and_read: unknown
struct s { int a; char b; }; static int f(struct s v) { return v.b; } int main(void) { struct s v; v.a = 1; return f(v); }
// passed_whole: safe
struct s { int a; char b; }; static int f(struct s v) { return v.b; } int main(void) { struct s v; v.a = 1; v.b = 2; return f(v); }
// bit_fields: safe
struct s { unsigned a : 3, b : 5; }; int main(void) { struct s v; v.a = 1; v.b = 2; return v.a; }
// heap: unsafe
int main(void) { int *p = malloc(8); if (!p) return 0; p[0] = 1; int x = p[1]; free(p); return x; }
// heap_that_is_set: safe
int main(void) { int *p = malloc(8); if (!p) return 0; p[0] = 1; int x = p[0]; free(p); return x; }
// heap_in_a_loop: unsafe
int main(void) { for (int i = 0; i < 2; i++) { int *p = malloc(4); if (!p) return 0; if (!i) *p = 1; int x = *p; free(p); } return 0; }
// zeroed: safe
int main(void) { int *p = calloc(2, 4); if (!p) return 0; int x = p[1]; free(p); return x; }
// filled: safe
int main(void) { int a[4]; memset(a, 0, sizeof a); return a[3]; }
// filled_in_part: unsafe
int main(void) { int a[4]; memset(a, 0, 8); return a[3]; }
// realloc_keeps: safe
int main(void) { int *p = malloc(4); if (!p) return 0; *p = 1; int *q = realloc(p, 8); if (!q) { free(p); return 0; } int x = *q; free(q); return x; }
// realloc_adds: unsafe
int main(void) { int *p = malloc(4); if (!p) return 0; *p = 1; int *q = realloc(p, 8); if (!q) { free(p); return 0; } int x = q[1]; free(q); return x; }
// through_a_pointer: unsafe
static int get(int *p) { return *p; } int main(void) { int x; return get(&x); }
// set_through_a_pointer: safe
static void set(int *p) { *p = 1; } int main(void) { int x; set(&x); return x; }
// set_sometimes_by_a_function: unsafe
static void set(int *p) { if (nondet_int()) *p = 1; } int main(void) { int x; set(&x); return x; }
// global: safe
int x; static int a[3]; int main(void) { return x + a[2]; }
// address_only: safe
static int *keep; int main(void) { int x; keep = &x; return keep != 0; }
// recursion: unsafe
static int f(int n) { int x; if (n == 0) x = 1; else x = f(n - 1); int y; if (n) y = x; return y; } int main(void) { return f(2); }
// recursion_that_sets: safe
static int f(int n) { int x; if (n == 0) x = 1; else x = f(n - 1); return x; } int main(void) { return f(2); }
// copied_bytes: unsafe
int main(void) { char a[4], b[4]; a[0] = 1; memcpy(b, a, 4); return b[1]; }
// copied_text: safe
int main(void) { char b[8]; strcpy(b, "abc"); return b[3]; }
// behind_the_text: unsafe
int main(void) { char b[8]; strcpy(b, "abc"); return b[4]; }
// union_of_both: safe
int main(void) { union { int i; char c[4]; } u; u.i = 1; return u.c[2]; }
// union_in_part: unsafe
int main(void) { union { int i; char c[4]; } u; u.c[0] = 1; int i = u.i; return i; }
// dereferenced: unsafe
int main(void) { int *p; return *p; }
