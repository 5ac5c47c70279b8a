"""Goals on the map: drivers that take a robot to a place, over the robot's own wire."""
