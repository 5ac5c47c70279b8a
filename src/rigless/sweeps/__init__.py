"""Sweeps: many runs of one scenario, a verdict with statistics, and the smallest failing case."""
