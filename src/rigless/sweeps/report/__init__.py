"""The report of a sweep: a summary as plain data, and one self-contained HTML page that draws it.

`data.summarize` bins and samples, so that a summary stays small for any number of rows. The page
and the panel draw it with `pictures.js`.
"""

from rigless.sweeps.report.data import Summary, summarize
from rigless.sweeps.report.page import render_report

__all__ = ["Summary", "render_report", "summarize"]
