/* Small programs that free what they allocate, or do not: see memory.c. */
// never_freed: unsafe
int main(void) { int *p = malloc(4); if (p) *p = 1; return 0; }
// freed: safe
int main(void) { int *p = malloc(4); if (p) *p = 1; free(p); return 0; }
// freed_on_one_way: unsafe
int main(void) { int *p = malloc(4); if (!p) return 0; *p = 1; if (nondet_int()) return 1; free(p); return 0; }
// freed_on_all_ways: safe
int main(void) { int *p = malloc(4); if (!p) return 0; *p = 1; if (nondet_int()) { free(p); return 1; } free(p); return 0; }
// pointer_overwritten: unsafe
int main(void) { char *p = malloc(4); p = malloc(8); free(p); return 0; }
// two_blocks: safe
int main(void) { char *p = malloc(4); char *q = calloc(2, 8); free(q); free(p); return 0; }
// one_of_two: unsafe
int main(void) { char *p = malloc(4); char *q = calloc(2, 8); if (p && q) free(p); else { free(p); free(q); } return 0; }
// list_freed: safe
struct n { struct n *next; };
int main(void) { struct n *h = NULL; for (int i = 0; i < 2; i++) { struct n *p = malloc(sizeof *p); if (!p) break; p->next = h; h = p; }
  while (h) { struct n *q = h->next; free(h); h = q; } return 0; }
// list_but_for_the_last: unsafe
struct n { struct n *next; };
int main(void) { struct n *h = NULL; for (int i = 0; i < 2; i++) { struct n *p = malloc(sizeof *p); if (!p) break; p->next = h; h = p; }
  while (h && h->next) { struct n *q = h->next; free(h); h = q; } return 0; }
// moved_by_realloc: safe
int main(void) { char *p = malloc(4); char *q = realloc(p, 8); if (q) free(q); else free(p); return 0; }
// realloc_fails: unsafe (unseen)
int main(void) { char *p = malloc(4); if (!p) return 0; p = realloc(p, 8); free(p); return 0; }
// realloc_of_null: unsafe
int main(void) { char *p = realloc(NULL, 8); if (p) *p = 1; return 0; }
// realloc_to_nothing: safe
int main(void) { char *p = malloc(4); if (p) p = realloc(p, 0); return 0; }
// exit_before_free: unsafe
int main(void) { char *p = malloc(4); if (!p) return 0; if (nondet_int()) exit(1); free(p); return 0; }
// exit_after_free: safe
void done(char *p) { free(p); exit(0); }
int main(void) { char *p = malloc(4); done(p); return 1; }
// abort_frees_nothing: safe
int main(void) { char *p = malloc(4); if (!p) abort(); free(p); return 0; }
// held_by_a_global: unsafe (unseen)
char *kept;
int main(void) { kept = malloc(4); return 0; }
// global_freed: safe
char *kept;
int main(void) { kept = malloc(4); if (nondet_int()) { free(kept); kept = NULL; } free(kept); return 0; }
// returned_and_dropped: unsafe
char *make(void) { return malloc(3); }
int main(void) { make(); return 0; }
// returned_and_freed: safe
char *make(void) { return malloc(3); }
int main(void) { free(make()); return 0; }
// in_a_struct: unsafe
struct s { char *name; };
int main(void) { struct s *p = malloc(sizeof *p); if (!p) return 0; p->name = malloc(3); free(p); return 0; }
// in_a_struct_freed: safe
struct s { char *name; };
int main(void) { struct s *p = malloc(sizeof *p); if (!p) return 0; p->name = malloc(3); free(p->name); free(p); return 0; }
// on_the_stack: safe
int main(void) { int n = nondet_int(); if (n < 1 || n > 3) return 0; char v[n]; char *p = __builtin_alloca(n); v[0] = *p = 1; return v[0]; }
// loop_of_blocks: unsafe
int main(void) { for (int i = 0; i < 3; i++) { char *p = malloc(i + 1); if (i != 1) free(p); } return 0; }
// loop_of_blocks_freed: safe
int main(void) { for (int i = 0; i < 3; i++) { char *p = malloc(i + 1); free(p); } return 0; }
// strdup_kept: unsafe
int main(void) { char *p = strdup("ab"); return p ? p[0] : 0; }
// strdup_freed: safe
int main(void) { char *p = strdup("ab"); int r = p ? p[0] : 0; free(p); return r; }
// conditional_owner: unsafe
int main(void) { char own[4]; char *p = own; int n = nondet_int(); if (n > 4) p = malloc(8); if (p) p[0] = 1; if (n > 5) free(p); return 0; }
// conditional_owner_freed: safe
int main(void) { char own[4]; char *p = own; int n = nondet_int(); if (n > 4) p = malloc(8); if (p) p[0] = 1; if (n > 4) free(p); return 0; }
// recursion: unsafe
void f(int n) { char *p = malloc(1); if (n > 0) f(n - 1); if (n != 1) free(p); }
int main(void) { f(2); return 0; }
// recursion_freed: safe
void f(int n) { char *p = malloc(1); if (n > 0) f(n - 1); free(p); }
int main(void) { f(2); return 0; }
// swapped: unsafe
int main(void) { char *a = malloc(1), *b = malloc(1); char *t = a; a = b; if (!nondet_int()) b = t; free(a); if (a != b) free(b); return 0; }
// swapped_freed: safe
int main(void) { char *a = malloc(1), *b = malloc(1); char *t = a; a = b; b = t; free(a); free(b); return 0; }
// break_out: unsafe
int main(void) { for (;;) { char *p = malloc(2); if (!p || nondet_int()) break; free(p); } return 0; }
// break_after_free: safe
int main(void) { for (int i = 0; i < 4; i++) { char *p = malloc(2); int stop = !p || nondet_int(); free(p); if (stop) break; } return 0; }
// array_of_pointers: unsafe
int main(void) { char *a[3]; for (int i = 0; i < 3; i++) a[i] = malloc(1); for (int i = 1; i < 3; i++) free(a[i]); return 0; }
// array_of_pointers_freed: safe
int main(void) { char *a[3]; for (int i = 0; i < 3; i++) a[i] = malloc(1); for (int i = 0; i < 3; i++) free(a[i]); return 0; }
// through_a_pointer: unsafe
void make(char **p) { *p = malloc(1); }
int main(void) { char *a, *b; make(&a); make(&b); free(a); return 0; }
// through_a_pointer_freed: safe
void make(char **p) { *p = malloc(1); }
int main(void) { char *a, *b; make(&a); make(&b); free(a); free(b); return 0; }
// freed_by_a_pointer_to_free: safe
int main(void) { void (*f)(void *) = free; char *p = malloc(1); f(p); return 0; }
// not_freed_by_a_pointer: unsafe
void nothing(void *p) { }
int main(void) { void (*f)(void *) = nondet_int() ? free : nothing; char *p = malloc(1); f(p); return 0; }
