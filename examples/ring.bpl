// A ring buffer for four numbers, filled and emptied in any order.
//
// Numbers must come out as they went in: 0, 1, 2, ... The loop has no limit, and that the ring is right for any number
// of rounds takes an inductive argument. Inlining makes none: the verdict is `bounded-safe`, and says for which bound.

var slots: [int]int;
var first: int; // the slot to read next
var count: int; // how many slots are in use

procedure main()
{
  var sent, received, number: int;

  first, count := 0, 0;
  sent, received := 0, 0;
  while (*) {
    if (*) {
      call put(sent);
      sent := sent + 1;
    } else if (count > 0) {
      call number := get();
      assert {:msg "numbers come out as they went in"} number == received;
      received := received + 1;
    }
  }
}

procedure put(number: int)
  modifies slots, count;
{
  assume count < 4; // wait while the ring is full; with <= the sixth round of the loop would read a wrong number
  slots[(first + count) mod 4] := number;
  count := count + 1;
}

procedure get() returns (number: int)
  modifies first, count;
{
  number := slots[first];
  first, count := (first + 1) mod 4, count - 1;
}
