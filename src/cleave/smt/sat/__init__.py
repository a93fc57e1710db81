"""SAT solvers behind Cleave's own bit-blasting."""
