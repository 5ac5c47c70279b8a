"""The modules of the robot, one per message group, and the jobs that they share."""
