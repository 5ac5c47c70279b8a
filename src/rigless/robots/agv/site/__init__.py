"""Behaviour that depends on the place: deadlocks, detours, charging and loads."""
