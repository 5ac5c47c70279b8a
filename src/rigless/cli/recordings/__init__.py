"""Commands on recordings: `rigless replay`, `open`, `diff` and `export`."""
