"""Pages and an API over the journals of runs, and a queue of submitted jobs. Needs the extra `web`."""
