"""Models of motion: motor ramps, drive kinematics, and gaps to obstacles and other robots."""
