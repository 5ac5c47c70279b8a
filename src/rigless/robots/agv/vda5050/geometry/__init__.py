"""Shapes of edges and of the path ahead."""
