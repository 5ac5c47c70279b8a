"""The fleet page: one compact stream for all robots of a simulation, and actions on many."""
