// A driver and its lock.
//
// The lock must not be taken twice, not be given back when it is free, and not be held when a request is done. While it
// is held the driver polls the device, as often as the device likes: no bound on that loop is needed for the proof,
// because polling does not touch the lock.

var held: bool;
var status: int; // the device's register: 0 busy, 1 done, anything else an error

procedure {:entrypoint} serve()
{
  var request: int;

  held := false;
  havoc request;
  if (request == 1) {
    call read();
  } else if (request == 2) {
    call write();
    call read();
  }
  assert {:msg "the lock is free at the end"} !held;
}

procedure acquire()
  modifies held;
{
  assert {:msg "the lock is not taken twice"} !held;
  held := true;
}

procedure release()
  modifies held;
{
  assert {:msg "only a held lock is given back"} held;
  held := false;
}

// Waits until the device is no longer busy.
procedure poll() returns (ok: bool)
  modifies status;
{
  havoc status;
  while (status == 0) {
    havoc status;
  }
  ok := status == 1;
}

procedure read()
  modifies held, status;
{
  var ok: bool;

  call acquire();
  call ok := poll();
  if (!ok) {
    call release();
    return;
  }
  call release();
}

procedure write()
  modifies held, status;
{
  var ok: bool;

  call acquire();
  call ok := poll();
  if (ok) {
    call ok := poll();
  }
  call release();
}
