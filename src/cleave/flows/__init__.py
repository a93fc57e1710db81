"""How each engine gets from a file to a confirmed verdict; `verify` drives them all alike."""
