"""Reports of checked runs: JUnit XML, JSON, Markdown for CI job pages, and one HTML page."""

from rigless.runs.reports.html.page import render_html
from rigless.runs.reports.json import render_json
from rigless.runs.reports.junit import render_junit
from rigless.runs.reports.markdown import render_markdown

__all__ = ["render_html", "render_json", "render_junit", "render_markdown"]
