"""The HTML report: one self-contained page without outside requests.

Python makes all markup and SVG, so that the page reads and prints without scripts. Charts share
the time axis of their run: x is a percentage of its duration. `report.js` moves one cursor over all
of them, filters the output and copies commands.
"""
