"""Compiled functions on graphics processors: translation to CUDA C++, and launches by CuPy."""
