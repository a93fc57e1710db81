/* Small programs about memory safety, half of them violating: `support.c_programs` reads them one by one. None depends
   on whether malloc fails; inputs come from nondet_int. */
// index_past_the_end: unsafe
int main(void) { int a[10]; int i = nondet_int(); if (i < 0 || i > 10) return 0; a[i] = 1; return 0; }
// index_inside: safe
int main(void) { int a[10]; int i = nondet_int(); if (i < 0 || i > 9) return 0; a[i] = 1; return a[i]; }
// index_negative: unsafe
int g[8];
int main(void) { int i = nondet_int(); if (i > 7 || i < -1) return 0; return g[i]; }
// index_masked: safe
int g[8];
int main(void) { unsigned i = nondet_int(); return g[i & 7] + g[i % 8] + g[(i >> 3) & 3]; }
// loop_one_too_far: unsafe
int main(void) { int a[4]; for (int i = 0; i <= 4; i++) a[i] = i; return 0; }
// loop_to_the_end: safe
int main(void) { int a[4]; for (int i = 0; i < 4; i++) a[i] = i; return a[3]; }
// far_into_another: unsafe
int a[4], b[4];
int *choose(int c) { return c ? a : b; }
int main(void) { int *p = choose(nondet_int()); int *q = choose(!nondet_int()); int d = (int)(b - a); q[0] = 1; return p[d ? 5 : 4]; }
// before_and_back: safe
int main(void) { int a[4] = {1, 2, 3, 4}; int s = 0; for (int *p = a + 3; p >= a; p--) s += *p; return s; }
// one_past_is_not_read: safe
int main(void) { int a[4]; int *end = a + 4; int n = 0; for (int *p = a; p != end; p++) { *p = 1; n++; } return n; }
// one_past_is_read: unsafe
int main(void) { int a[4] = {0}; int *p = a; while (p != a + 4) p++; return *p; }
// null_read: unsafe
int main(void) { int *p = NULL; if (nondet_int() == 3) return *p; return 0; }
// null_checked: safe
int g;
int *find(int k) { return k == 7 ? &g : NULL; }
int main(void) { int *p = find(nondet_int()); if (p) *p = 1; return 0; }
// null_member: unsafe
struct s { int a, b; };
struct s one;
struct s *find(int k) { return k > 0 ? &one : NULL; }
int main(void) { return find(nondet_int())->b; }
// heap_past_the_end: unsafe
int main(void) { int n = nondet_int(); if (n < 1 || n > 5) return 0; int *p = malloc(n * sizeof *p); if (!p) return 0; p[n] = 1; return 0; }
// heap_inside: safe
int main(void) { int n = nondet_int(); if (n < 1 || n > 5) return 0; int *p = malloc(n * sizeof *p); if (!p) return 0;
  for (int i = 0; i < n; i++) p[i] = i; int r = p[n - 1]; free(p); return r; }
// heap_too_small: unsafe
struct s { int a; long b; };
int main(void) { struct s *p = malloc(sizeof(struct s *)); if (!p) return 0; p->b = 1; free(p); return 0; }
// heap_part_of_struct: safe
struct s { int a; long b; };
int main(void) { struct s *p = malloc(sizeof(struct s *)); if (!p) return 0; p->a = 1; free(p); return 0; }
// use_after_free: unsafe
int main(void) { int *p = malloc(4); if (!p) return 0; *p = 1; free(p); if (nondet_int() == 4) return *p; return 0; }
// use_before_free: safe
int main(void) { int *p = malloc(4); if (!p) return 0; *p = 1; int r = *p; free(p); return r; }
// double_free: unsafe
int main(void) { char *p = malloc(4); free(p); if (p && nondet_int()) free(p); return 0; }
// free_null: safe
int main(void) { char *p = malloc(4); free(p); p = NULL; free(p); return 0; }
// free_inside: unsafe
int main(void) { char *p = malloc(4); if (!p) return 0; free(p + 1); return 0; }
// free_back_at_the_start: safe
int main(void) { char *p = malloc(4); if (!p) return 0; p += 3; *p = 1; p -= 3; free(p); return 0; }
// free_local: unsafe
int main(void) { char c[8]; char *p = nondet_int() ? c : malloc(8); free(p); return 0; }
// free_global: unsafe
char g[8];
int main(void) { free(g); return 0; }
// list: safe
struct n { int v; struct n *next; };
int main(void) { struct n *h = NULL; for (int i = 0; i < 3; i++) { struct n *p = malloc(sizeof *p); if (!p) exit(1); p->v = i; p->next = h; h = p; }
  int s = 0; for (struct n *q = h; q; q = q->next) s += q->v;
  while (h) { struct n *q = h->next; free(h); h = q; } return s; }
// list_freed_too_early: unsafe
struct n { int v; struct n *next; };
int main(void) { struct n *h = NULL; for (int i = 0; i < 3; i++) { struct n *p = malloc(sizeof *p); if (!p) exit(1); p->v = i; p->next = h; h = p; }
  while (h) { free(h); h = h->next; } return 0; }
// list_not_ended: unsafe
struct n { int v; struct n *next; };
int main(void) { struct n *a = malloc(sizeof *a), *b = calloc(1, sizeof *b); if (!a || !b) return 0; a->next = b; a = a->next; a = a->next; return a->v; }
// alias_after_free: unsafe
struct box { int *p; };
int main(void) { struct box a, b; a.p = malloc(8); if (!a.p) return 0; b = a; free(a.p); b.p[1] = 2; return 0; }
// other_block_lives: safe
int main(void) { int *p = malloc(8), *q = malloc(8); if (!p || !q) return 0; q[1] = 5; free(p); int r = q[1]; free(q); return r; }
// block_again: unsafe
int main(void) { int *p = malloc(8); if (!p) return 0; int *old = p; free(p); p = malloc(8); if (!p) return 0; p[0] = 1; return old[0]; }
// local_returned: unsafe
int *f(void) { int x = 5; int *p = &x; return p; }
int main(void) { int *p = f(); return *p; }
// static_returned: safe
int *f(void) { static int x = 5; int *p = &x; return p; }
int main(void) { int *p = f(); return *p; }
// local_kept: unsafe
int *kept;
void f(void) { int x = 5; kept = &x; *kept = 6; }
int main(void) { f(); if (nondet_int()) *kept = 7; return 0; }
// local_of_the_last_call: unsafe
int *kept;
int f(int n) { int x = n; if (kept) return *kept; kept = &x; return x; }
int main(void) { f(1); return f(2); }
// local_passed_down: safe
void set(int *p) { *p = 3; }
void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
int f(void) { int x = 1, y; set(&y); swap(&x, &y); return x; }
int main(void) { int u = 1, v = 2; swap(&u, &v); return f() + f(); }
// local_in_recursion: safe
int sum(int n, int *up) { int mine = *up + n; if (n <= 0) return mine; return sum(n - 1, &mine); }
int main(void) { int zero = 0; return sum(3, &zero); }
// literal_written: unsafe
int main(void) { char *p = "abc"; if (nondet_int()) p[0] = 'x'; return 0; }
// literal_copied: safe
int main(void) { char p[] = "abc"; p[0] = 'x'; const char *q = "abc"; return q[3] + p[3]; }
// constant_written: unsafe
const int limits[3] = {1, 2, 3};
int main(void) { int *p = (int *)limits; p[1] = 5; return 0; }
// literal_read_too_far: unsafe
int main(void) { const char *p = "abc"; int n = nondet_int(); if (n < 0 || n > 4) return 0; return p[n]; }
// copy_too_long: unsafe
int main(void) { char a[4], b[8] = {0}; int n = nondet_int(); if (n < 0 || n > 8) return 0; memcpy(a, b, n); return 0; }
// copy_fits: safe
int main(void) { char a[4], b[8] = {0}; int n = nondet_int(); if (n < 0 || n > 4) return 0; memcpy(a, b + 4, n); return 0; }
// fill_too_long: unsafe
int main(void) { int *p = malloc(12); if (!p) return 0; memset(p, 0, sizeof *p * 4); free(p); return 0; }
// strcpy_too_long: unsafe
int main(void) { char a[4]; strcpy(a, nondet_int() ? "abc" : "abcd"); return 0; }
// strcpy_fits: safe
int main(void) { char a[5]; strcpy(a, nondet_int() ? "abc" : "abcd"); return strlen(a); }
// strlen_without_end: unsafe
int main(void) { char a[4] = {'a', 'b', 'c', 'd'}; return strlen(a); }
// zero_bytes: unsafe (unseen)
int main(void) { char *p = malloc(0); if (!p) return 0; *p = 1; free(p); return 0; }
// zero_bytes_freed: safe
int main(void) { char *p = malloc(0); free(p); return 0; }
// realloc_grows: safe
int main(void) { int *p = malloc(4); if (!p) return 0; p[0] = 7; int *q = realloc(p, 12); if (!q) { free(p); return 0; } q[2] = q[0]; int r = q[2]; free(q); if (r != 7) q[9] = 1; return r; }
// realloc_old: unsafe
int main(void) { int *p = malloc(4); if (!p) return 0; p[0] = 7; int *q = realloc(p, 12); if (!q) return 0; return p[0]; }
// realloc_shrinks: unsafe
int main(void) { int *p = malloc(12); if (!p) return 0; int *q = realloc(p, 4); if (!q) return 0; q[1] = 1; return 0; }
// variable_length: safe
int main(void) { int n = nondet_int(); if (n < 1 || n > 4) return 0; int a[n]; for (int i = 0; i < n; i++) a[i] = i; return a[n - 1]; }
// variable_length_too_far: unsafe
int main(void) { int n = nondet_int(); if (n < 1 || n > 4) return 0; int a[n]; for (int i = 0; i < 4; i++) a[i] = i; return 0; }
// alloca_too_far: unsafe
int main(void) { int n = nondet_int(); if (n < 1 || n > 4) return 0; char *p = __builtin_alloca(n); p[n] = 0; return 0; }
// wild_pointer: unsafe
int main(void) { int *p = (int *)(uintptr_t)(nondet_int() & 0xfff0); return *p; }
// address_as_number: safe
int main(void) { int x = 3; uintptr_t u = (uintptr_t)&x; int *p = (int *)(u | 0); return *p; }
// two_dimensions: safe
int m[3][4];
int main(void) { int i = nondet_int(), j = nondet_int(); if (i < 0 || i > 2 || j < 0 || j > 3) return 0; m[i][j] = 1; return m[i][j]; }
// two_dimensions_too_far: unsafe
int m[3][4];
int main(void) { int i = nondet_int(); if (i < 0 || i > 3) return 0; return m[i][0]; }
// member_of_element: unsafe
struct s { int a[2]; int b; } g[3];
int main(void) { struct s *p = g; int i = nondet_int(); if (i < 0 || i > 3) return 0; p[i].b = 1; return 0; }
// outer_from_member: safe
struct l { struct l *next; }; struct s { int a; struct l link; };
int main(void) { struct s x = {5, {0}}; struct l *k = &x.link; struct s *p = (struct s *)((char *)k - offsetof(struct s, link)); return p->a; }
// function_pointer_null: unsafe
int twice(int x) { return 2 * x; }
int main(void) { int (*f)(int) = nondet_int() ? twice : NULL; return f(1); }
// function_pointer: safe
int twice(int x) { return 2 * x; } int thrice(int x) { return 3 * x; }
int main(void) { int (*f)(int) = nondet_int() ? twice : thrice; return f(1); }
// block_left: unsafe
int main(void) { int *p; { int x = 1; p = &x; } return *p; }
// block_inside: safe
int main(void) { int r; { int x = 1; int *p = &x; r = *p; } { int y = 2; int *p = &y; r += *p; } return r; }
// block_of_a_loop: unsafe
int main(void) { int *p = NULL; for (int i = 0; i < 2; i++) { int x[2] = {i, i}; if (i == nondet_int()) p = x; } return p ? p[1] : 0; }
// block_of_a_branch: safe
int set(int *p) { *p = 4; return *p; }
int main(void) { int r = 0; if (nondet_int()) { int x = 1; int *q = &x; r = set(q); } else { int y[3]; int *q = y; q[2] = 1; r = q[2]; } return r; }
// block_left_by_goto: unsafe
int main(void) { int *p; int n = nondet_int(); { int x = 1; p = &x; if (n) goto out; *p = 2; } return 0; out: return *p; }
// variable_length_any: safe
int main(void) { int n = nondet_int(); if (n < 1) return 0; int a[n]; a[0] = 1; return a[0]; }
// variable_length_negative: unsafe
int main(void) { int n = nondet_int(); if (n > 4) return 0; int a[n]; if (n > 0) a[n - 1] = 1; return 0; }
// block_left_after_a_call: unsafe
struct node { struct node *next; int value; };
static struct node *head;
static void add(struct node *one) { one->next = head; head = one; }
int main(void) { { struct node x = {0, 4}; add(&x); } return head->value; }
// block_and_what_a_call_returns: unsafe
static int *same(int *p) { return p; }
int main(void) { int *q; { int x = 4; q = same(&x); } return *q; }
// block_and_a_struct_of_a_call: unsafe
struct holder { int *p; };
static struct holder made(int *p) { struct holder h = {p}; return h; }
int main(void) { struct holder h; { int x = 4; h = made(&x); } return *h.p; }
// block_inside_of_calls: safe
struct node { struct node *next; int value; };
static struct node *head;
static void add(struct node *one) { one->next = head; head = one; }
static void drop(void) { head = head->next; }
int main(void) { int s = 0; for (int i = 0; i < 3; i++) { struct node x; x.value = i; add(&x); s += head->value; drop(); } return s - 3; }
// round_before: unsafe (unseen)
int main(void) { int *p = 0; for (int i = 0; i < 3; i++) { int x = i; if (p) return *p; p = &x; } return 0; }
// round_before_in_a_list: unsafe (unseen)
struct node { struct node *next; int value; };
static struct node *head;
static void add(struct node *one) { one->next = head; head = one; }
int main(void) { for (int i = 0; i < 3; i++) { struct node x; x.value = i; add(&x); if (x.next) return x.next->value; } return 0; }
// round_before_is_not_used: safe
int main(void) { int s = 0, *q; for (int i = 0; i < 3; i++) { int x = i; q = &x; *q += 1; s += x; } return s - 6; }
// variable_length_of_a_block: unsafe (unseen)
int main(void) { int n = nondet_int(); if (n < 1 || n > 5) return 0; int *p; { int a[n]; a[0] = 3; int b[n]; b[0] = 3; p = b; } return *p; }
// variable_length_around_a_block: safe
int main(void) { int n = nondet_int(); if (n < 1 || n > 5) return 0; int a[n]; int *p = a; a[0] = 1; { int b[n]; b[0] = 3; } return *p - 1; }
// variable_length_of_the_round_before: unsafe (unseen)
int main(void) { int *p = 0; for (int i = 1; i < 4; i++) { int a[i]; a[0] = 1; if (p) return *p; p = a; } return 0; }
