"""`make docs-test` also builds the site and opens it in a browser; `make test` does not."""

import os

collect_ignore = [] if os.environ.get("RIGLESS_DOCS") == "all" else ["test_built_site.py"]
