"""Frames for clients: what a robot's page shows, drawn once and sent to each."""
