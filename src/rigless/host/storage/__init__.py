"""Files of a host: recordings, saved settings and the last poses of robots."""
