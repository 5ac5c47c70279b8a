"""Six-axis arms: kinematics, rigid bodies, collisions, reach, and tool paths."""
