"""cvc5, in a process of its own."""
