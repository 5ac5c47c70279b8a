"""Recordings in the panel: the player's routes, files, and a second player."""
