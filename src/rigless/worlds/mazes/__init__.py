"""Mazes in cells, and their files. Bundled mazes are in this folder."""
