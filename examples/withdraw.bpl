// A cash machine and its bank.
//
// The network may lose an answer of the bank. The machine then asks again, and if no answer comes at all it takes the
// request back. Requests are numbered, so that the bank does not debit an account twice when it gets a request again.
//
// The money that leaves the machine must be the money that leaves the account. It is not: `withdraw` draws a new
// number when it asks again, so the bank takes the second request for another one.

var balance: int;       // of the account, in the bank's books
var cash: int;          // handed out by the machine
var counter: int;       // the number of the machine's last request

var seen: int;          // the last request that reached the bank: its number,
var seen_amount: int;   // its amount,
var seen_granted: bool; // and what the bank decided

procedure main()
{
  var opening, amount: int;

  assume opening >= 0 && amount > 0;
  balance, cash := opening, 0;
  counter, seen, seen_granted := 0, 0, false;

  call withdraw(amount);
  assert {:msg "the books agree with the cash"} balance + cash == opening;
}

procedure withdraw(amount: int)
  modifies balance, cash, counter, seen, seen_amount, seen_granted;
{
  var number: int;
  var answered, granted: bool;

  call number := next_number();
  call answered, granted := ask(number, amount);
  if (!answered) {
    call number := next_number(); // without this line the program is safe
    call answered, granted := ask(number, amount);
  }
  if (!answered) {
    call take_back(number);
  } else if (granted) {
    cash := cash + amount;
  }
}

procedure next_number() returns (number: int)
  modifies counter;
{
  counter := counter + 1;
  number := counter;
}

// One round trip: the bank gets the request, its answer may be lost.
procedure ask(number: int, amount: int) returns (answered: bool, granted: bool)
  modifies balance, seen, seen_amount, seen_granted;
{
  call granted := debit(number, amount);
  havoc answered;
}

procedure debit(number: int, amount: int) returns (granted: bool)
  modifies balance, seen, seen_amount, seen_granted;
{
  if (number != seen) {
    seen, seen_amount, seen_granted := number, amount, amount <= balance;
    if (seen_granted) {
      balance := balance - amount;
    }
  }
  granted := seen_granted;
}

procedure take_back(number: int)
  modifies balance, seen_granted;
{
  if (number == seen && seen_granted) {
    balance, seen_granted := balance + seen_amount, false;
  }
}
