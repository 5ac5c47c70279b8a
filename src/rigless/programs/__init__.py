"""Programs under test: processes that run against the ports of a host."""
