"""Boogie's floating-point types: numbers are bit vectors in the end, as in the rest of Cleave.

While a file is read they have sorts of their own (`types`), so that `float24e8` and `bv32` differ; `erasing`
replaces these by bit vectors in the program that comes out.
"""
