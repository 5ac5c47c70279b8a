"""Digests of the files that decide the result of a run, so that a table never mixes two of them."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rigless.kernel.documents import parse_toml
from rigless.scenario.build import Built
from rigless.sweeps.files import digest_of, named_files, needed_files, texts_of


class Digests:
    """The digests of a scenario with its files, and of the files of its programs.

    They depend on the settings of a run only if these name files. The values of settings and the
    axes of a sweep are no part of them. Files are looked for once for each set of texts: a file
    that a run writes must not change the keys of later runs.
    """

    def __init__(self, built: Built):
        self._built = built
        self._named: dict[tuple[tuple[str, str], ...], tuple[Path, ...]] = {}
        self._known: dict[tuple[Path, ...], tuple[str, str]] = {}

    def of(self, settings: Mapping[str, Any]) -> tuple[str, str]:
        """Return both digests for a run with these settings, commands of programs included."""
        given = tuple((key, text) for key, value in settings.items() for text in texts_of(value))
        if given not in self._named:
            self._named[given] = named_files(self._built, settings.items())
        named = self._named[given]
        if named not in self._known:
            self._known[named] = self._computed(settings)
        return self._known[named]

    def _computed(self, settings: Mapping[str, Any]) -> tuple[str, str]:
        built = self._built
        needed = needed_files(built, settings.items())
        root = built.source.folder.resolve()
        own = Path(built.source.file) if built.source.file else None
        data: Any = built.scenario.robots[0].kind
        if own is not None and own.suffix == ".toml":
            data = {**parse_toml(own.read_text("utf-8-sig")).data, "vary": None}
        others = [path for path in needed.scenario if own is None or path != own.resolve()]
        text = json.dumps([data, digest_of(others, root)], sort_keys=True, default=str)
        content = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
        return content, digest_of(needed.programs, root)[:16] if needed.programs else ""
