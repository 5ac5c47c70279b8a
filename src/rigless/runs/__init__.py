"""Checked runs of scenarios: run one, judge its expectations, and write reports."""
