"""What happened in a run, told from the events in its journal: for people, and for pages about runs."""
