// The depth of recursion is the number that was asked for.
var depth: int;
procedure down(n: int) modifies depth;
{ if (n > 0) { depth := depth + 1; call down(n - 1); } }
procedure main() modifies depth; {
  depth := 0;
  call down(3);
  assert depth == 3;
}
