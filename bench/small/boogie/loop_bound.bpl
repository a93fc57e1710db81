// A violation after nine rounds.
procedure main() {
  var i, j: int;
  i := 0; j := 0;
  while (i < 9) { i := i + 1; j := j + i; }
  assert j != 45;
}
