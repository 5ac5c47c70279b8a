"""The welding process: arc, gas and wire as a state machine, its place on the arm, and the weld bead."""
