"""Horn clauses by property directed reachability on many workers: P3 on SPACER."""
