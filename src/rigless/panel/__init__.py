"""The web panel: pages of robots, time control, a player of recordings."""
