"""Virtual workers on one core, with faults by seed."""
