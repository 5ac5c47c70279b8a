"""Places on the map: obstacles and robots that are put there, and zones."""
