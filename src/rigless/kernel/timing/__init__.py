"""Due times: the agenda, rates and timestamps."""
