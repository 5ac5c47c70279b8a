"""The welding process: a state machine of arc, gas and wire, and the weld bead."""
