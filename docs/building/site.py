"""`make docs`: build the site into build/docs/site."""

import shutil
import sys
from importlib.metadata import version

from building import menu, staging
from building.places import BUILT, SITE, SOURCE, THEME
from building.search import write_index


def build() -> int:
    """Build the site. Return 1 and print the problems if there are any."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace

    problems = menu.problems()
    if problems:
        print(*problems, sep="\n", file=sys.stderr)
        return 1
    shutil.rmtree(SITE, ignore_errors=True)  # pages that no longer exist
    staging.stage()
    with docutils_namespace():
        sphinx = Sphinx(
            srcdir=SOURCE,
            confdir=THEME,
            outdir=SITE,
            doctreedir=BUILT / "doctrees",
            buildername="html",
            confoverrides={"release": version("rigless"), "version": version("rigless")},
            warningiserror=True,
            status=None,
            freshenv=True,
        )
        sphinx.build()
    for part in (".buildinfo", "objects.inv", "_sources"):
        path = SITE / part
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    write_index(SITE)
    shutil.copyfile(THEME / "404.html", SITE / "404.html")  # servers show it for any address
    print(f"the site is in {SITE.relative_to(SITE.parents[2])}; open index.html there")
    return int(bool(sphinx.statuscode))
