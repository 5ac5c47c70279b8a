"""Tables of sweeps: Parquet, CSV or JSON lines, and the journal that survives a kill."""

from rigless.sweeps.table.formats import read_rows, suffix_of
from rigless.sweeps.table.store import Store, journal_of, read_table

__all__ = ["Store", "journal_of", "read_rows", "read_table", "suffix_of"]
