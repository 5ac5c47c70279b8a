"""Stations, chargers, doors and lifts that the robots of several shards use."""
