"""Confirms that programs are safe: unfoldings, coverage of a split search, schedules."""
