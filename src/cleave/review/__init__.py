"""The history of a run, from the events in its journal: for people, and for pages about runs."""
