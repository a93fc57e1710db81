// A request on its way down a stack of filters.
//
// Each filter hands the request on in one of two ways, so that there are 2 to the power of 12 ways down. No execution
// takes both ways of one filter: its two calls exclude each other and can share one instance of the next filter.
// Compare
//
//     cleave unfold examples/chain.bpl
//     cleave unfold examples/chain.bpl --merge tree

var depth: int;

procedure main() { depth := 0; call filter1(); }

procedure filter1() { if (*) { depth := depth + 1; call filter2(); } else { depth := 1 + depth; call filter2(); } }
procedure filter2() { if (*) { depth := depth + 1; call filter3(); } else { depth := 1 + depth; call filter3(); } }
procedure filter3() { if (*) { depth := depth + 1; call filter4(); } else { depth := 1 + depth; call filter4(); } }
procedure filter4() { if (*) { depth := depth + 1; call filter5(); } else { depth := 1 + depth; call filter5(); } }
procedure filter5() { if (*) { depth := depth + 1; call filter6(); } else { depth := 1 + depth; call filter6(); } }
procedure filter6() { if (*) { depth := depth + 1; call filter7(); } else { depth := 1 + depth; call filter7(); } }
procedure filter7() { if (*) { depth := depth + 1; call filter8(); } else { depth := 1 + depth; call filter8(); } }
procedure filter8() { if (*) { depth := depth + 1; call filter9(); } else { depth := 1 + depth; call filter9(); } }
procedure filter9() { if (*) { depth := depth + 1; call filter10(); } else { depth := 1 + depth; call filter10(); } }
procedure filter10() { if (*) { depth := depth + 1; call filter11(); } else { depth := 1 + depth; call filter11(); } }
procedure filter11() { if (*) { depth := depth + 1; call filter12(); } else { depth := 1 + depth; call filter12(); } }
procedure filter12() { if (*) { depth := depth + 1; call device(); } else { depth := 1 + depth; call device(); } }

procedure device() { assert {:msg "every filter has seen the request"} depth == 12; }
