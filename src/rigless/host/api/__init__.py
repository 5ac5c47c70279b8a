"""The control API: routes, models and access."""
