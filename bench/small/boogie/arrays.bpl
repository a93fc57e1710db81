// What is written to an array is read again, and nothing else changes.
procedure main() {
  var a, b: [int]int; var i, j: int;
  b := a[i := 7];
  assert b[i] == 7 && (i == j || b[j] == a[j]);
}
