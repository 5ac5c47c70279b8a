"""The loop of a simulation: inputs, handlers, links and their wire faults."""
