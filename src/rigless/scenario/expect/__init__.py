"""The kinds of expectations. Each is a `Watch` that observes a run and gives a verdict."""
