// Money moves between two accounts, and the fee is forgotten on one path.
var from, to: int;
procedure move(amount: int, fee: bool) modifies from, to;
{ from := from - amount; to := to + amount; if (fee && amount > 100) { from := from - 1; } }
procedure main() modifies from, to; {
  var amount, total: int; var fee: bool;
  total := from + to;
  call move(amount, fee);
  assert from + to == total;
}
