"""Parameters that a sweep varies, and the points of the parameter space that it runs."""
