"""The page of a sweep in the panel, while it runs or from its table."""

from rigless.sweeps.page.live import LiveSweep
from rigless.sweeps.page.server import serve_page, serve_table

__all__ = ["LiveSweep", "serve_page", "serve_table"]
