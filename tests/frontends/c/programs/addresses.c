/* Small programs that look at addresses as numbers: half of them depend on where objects are placed, which C leaves open.
   `support.c_programs` reads them one by one. */
// parity_global: unknown
char c1,c2; int main(void) { assert((uintptr_t)&c2%2==0);}
// parity_local: unknown
int main(void) { char c1,c2=0; assert((uintptr_t)&c2%2==0);}
// align_int: safe
int x; int main(void) { assert((uintptr_t)&x%4==0);}
// order_globals: unknown
int a,b; int main(void) { assert(&a<&b);}
// order_one: safe
int a[4]; int main(void) { assert(&a[1]<&a[3]); assert(&a[3]-&a[1]==2);}
// order_loop: safe
int a[4],b[4]; int sum(int*p,int n){int s=0;for(int*q=p;q<p+n;q++)s+=*q;return s;} int main(void) { assert(sum(a,4)==0);assert(sum(b,4)==0);}
// heap_align32: unknown
int main(void) { char*p=malloc(3); if(!p)return 0; assert((uintptr_t)p%32==0);free(p);}
// heap_order: unknown
int main(void) { char*p=malloc(3),*q=malloc(3); if(p&&q)assert(p<q);free(p);free(q);}
// heap_reuse: unknown
int main(void) { uintptr_t a,b;int*p=malloc(4);if(!p)return 0;a=(uintptr_t)p;free(p);p=malloc(4);if(!p)return 0;b=(uintptr_t)p;assert(a!=b);free(p);}
// tag: safe
int x; int main(void) { uintptr_t t=(uintptr_t)&x|1; assert(t&1); int*p=(int*)(t&~(uintptr_t)1); *p=5; assert(x==5);}
// tag_heap: safe
int main(void) { int*p=malloc(4);if(!p)return 0;uintptr_t t=(uintptr_t)p|3;assert((t&3)==3);int*q=(int*)(t&~(uintptr_t)3);*q=1;assert(*p==1);free(q);}
// align_up: safe
char buf[64]; int main(void) { char*p=(char*)(((uintptr_t)buf+15)&~(uintptr_t)15); p[0]=1;p[40]=2; assert(p[0]==1);}
// align_up_bad: unknown
char buf[64]; int main(void) { char*p=(char*)(((uintptr_t)buf+15)&~(uintptr_t)15); p[60]=2; return 0;}
// roundtrip: safe
int x; int main(void) { uintptr_t n=(uintptr_t)&x; int*p=(int*)n; *p=3; assert(x==3); assert(n==(uintptr_t)&x); assert(n!=0);}
// function: unknown
void f(void){} int main(void) { assert((uintptr_t)f%16==0);}
// function_eq: safe
void f(void){} void g(void){} int main(void) { void(*p)(void)=f; assert(p!=g); assert(p==f);}
// diff_objects: unknown
int a,b; int main(void) { assert(&b-&a==4);}
// diff_char: safe
char a[10]; int main(void) { char*p=a+7; long d=p-a; assert(d==7); assert(d%10==7); assert(d*2==14);}
// hash_fixed: unknown
int x; int main(void) { unsigned h=((uintptr_t)&x>>4)%16; assert(h!=3);}
// byte: unknown
int a; int main(void) { int*p=&a; unsigned char*b=(unsigned char*)&p; assert(b[0]%8==0);}
// memcpy_num: unknown
char a; int main(void) { char*p=&a; unsigned long n; memcpy(&n,&p,8); assert(n%2==0);}
// union_mixed: safe
char a; int main(void) { union{char*p;unsigned long n;}u; u.p=&a; *u.p=1; u.n=6; assert(u.n%2==0); assert(u.n/2==3);}
// union_int: safe
char a; int main(void) { union{char*p;int n;}u; u.p=&a; *u.p=1; u.n=6; assert(u.n%2==0); assert(u.n/2==3);}
// narrow: unknown
int a; int main(void) { assert((int)(uintptr_t)&a!=76);}
// past_end: unknown
int a[2],b[2]; int main(void) { assert(&a[2]!=b);}
// realloc_same: unknown
int main(void) { int*p=malloc(4);if(!p)return 0;int*q=realloc(p,8);if(!q){free(p);return 0;}assert(q!=p);free(q);}
// alignas: safe
_Alignas(16) char b[32]; int main(void) { _Alignas(16) char c[32]; assert((uintptr_t)b%16==0); assert((uintptr_t)c%16==0);}
// array_align: unknown
char b[32]; int main(void) { assert((uintptr_t)b%16==0);}
// switch: unknown
int a; int main(void) { switch((uintptr_t)&a){case 4096:case 0x10000000000ul: return 0; default: assert(0);} }
// intptr_arith: safe
struct s{int a,b;}; int main(void) { struct s v={1,2}; int*p=(int*)((char*)&v+4); struct s*q=(struct s*)((uintptr_t)p-4); assert(q->a==1&&q->b==2);}
// callback_long: safe
int seen; void cb(long a){ if(a==3) seen=1; else seen=*(int*)a; } int main(void) { int x=9; cb(3); assert(seen==1); cb((long)&x); assert(seen==9);}
// sorted: safe
int a,b; int main(void) { int*p=&a,*q=&b; if(q<p){int*t=p;p=q;q=t;} *p=1;*q=1; assert(a+b==2);}
// idx: unknown
int a; char t[4]; int main(void) { t[(uintptr_t)&a%8]=1;}
// hash: safe
int x, t[4];
int main(void) { unsigned h = ((uintptr_t)&x >> 4) % 4; t[h] = 1; assert(t[0] + t[1] + t[2] + t[3] == 1); }
// direction: safe
char x[6] = "abcde", y[6];
char first(char *d, char *s) { return d < s ? *d : *s; }
int main(void) { char c = first(x, y); assert(c == 'a' || c == 0); assert(first(x + 1, x + 2) == 'b'); }
// rounded_by_division: unknown
int main(void) { int x = 1; unsigned long place = (unsigned long)&x + 3; *(int *)(place / 4 * 4) = 5; assert(x == 5); }
// two_halves: unknown
int main(void) { int x = 1; unsigned long place = (unsigned long)&x; unsigned low = place, high = place >> 32;
  *(int *)((unsigned long)high << 32 | low) = 5; assert(x == 5); }
// ends_of_one: safe
int main(void) { int a[3] = {1, 1, 1}, n = 0; for (int *p = a; p != a + 3; p++) n += *p; assert(n == 3); }
// numbers_beside_pointers: safe
struct buffer { char *data; size_t length, room; };
static int same(struct buffer *b) { return b->length == b->room; }
int main(void) { struct buffer b = {0}, *p = malloc(sizeof b); if (!p) return 0; p->data = malloc(4); p->length = 2; p->room = p->length * 2;
  b.length = b.room + 3; assert(same(&b) == 0 && !same(p) && b.length < p->room && p->room - b.length == 1); free(p->data); free(p); }
