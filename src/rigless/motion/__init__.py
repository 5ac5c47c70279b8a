"""Motion models: wheels, motors, contact, arms and the motion planner."""
