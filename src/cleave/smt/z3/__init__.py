"""Z3, bound through its C interface."""
