"""Motion: axes, planner queue, moves of the tool centre point, odometer, and outputs of blocks."""
