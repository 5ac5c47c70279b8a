"""`rigless sweep` and its sub-commands."""
