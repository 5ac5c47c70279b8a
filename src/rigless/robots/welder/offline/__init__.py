"""Tools without a wire: a controller interface for Python, validation, cycle time, reports."""
