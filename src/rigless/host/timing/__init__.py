"""Real time: the pace of a run, precise timers, and how late events are."""
