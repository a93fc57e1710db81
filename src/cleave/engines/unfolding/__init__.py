"""Programs unfolded within bounds: each thread executed symbolically, once; for the engines `bmc` and `threads`."""
