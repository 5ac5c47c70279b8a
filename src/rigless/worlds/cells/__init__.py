"""Weld cells: their files, bodies and meshes. Bundled cells are in this folder."""
