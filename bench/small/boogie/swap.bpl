// Two variables are exchanged without a third.
procedure main() {
  var x, y, a, b: int;
  a := x; b := y;
  x := x + y; y := x - y; x := x - y;
  assert x == b && y == a;
}
