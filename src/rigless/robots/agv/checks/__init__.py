"""Cross-field checks of a robot_config.json and the requirements that it declares."""
