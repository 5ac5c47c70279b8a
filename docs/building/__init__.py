"""Builds the documentation: the site, the generated reference, the pictures."""
