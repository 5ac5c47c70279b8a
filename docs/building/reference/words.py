"""Words of the reference that the code does not have."""

SOURCES = {
    "seed": "the document of the robot that is simulated",
    "wire": "facts about the real robot and its protocol",
    "upstream": "later versions of the same software",
    "ours": "a choice of this project, with its reason in `config.py`",
}
METRICS = {  # a counter without an entry is an error
    "alarms": "alarms of the controller",
    "collisions": "contacts with walls, obstacles or robots",
    "errors": "lines that were answered with an error",
    "game_refused": "commands that the game did not accept",
    "gcode_lines": "lines of G-code that were received",
    "ignored_frames": "frames without a valid command",
    "messages_lost": "messages that were dropped because the outbox was full",
    "refused": "requests that were answered with a warning or an error",
    "tasks_done": "tasks that were completed",
    "tasks_failed": "tasks that failed",
    "transforms_forgotten": "transforms that were dropped because there are too many",
    "weld_faults": "faults of the weld process",
}
TRUTH = {  # true values that more than one robot has, or whose name does not say all
    "pose": "x and y in metres, heading in radians",
    "velocity": "as the robot drives; the last element is the turn in rad/s",
    "contacts": "places where it touches something now",
    "odometry": "the pose by dead reckoning from the encoders",
    "distance_m": "distance driven",
    "battery": "state of charge, 0 to 1",
    "bumpers": "left, right",
    "place": "latitude, longitude, height",
    "axes": "position of each functional motor in SI units, by its name",
    "torch_mm": "x, y and z of the torch tip",
    "torques_nm": "zeros without `enable_dynamics`",
    "gps_error_m": "of the last fix, from the antenna's place now",
    "reasons": "reasons of the status",
}
