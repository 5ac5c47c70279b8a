"""Put the panel's front end into wheels and installs, and absolute links into PyPI's README."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

PICTURE = re.compile(r"(!\[[^\]]*\]\()(?!https?://)([^)\s]+)")
LINK = re.compile(r"((?<!!)\[[^\]]*\]\()(?!https?://|#)([^)\s]+)")


class FrontEnd(BuildHookInterface):
    def dependencies(self) -> list[str]:
        return (
            []
            if shutil.which("npm")
            else Path(self.root, "requirements-npm.lock").read_text("utf-8").split()
        )

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        command = [sys.executable, str(Path(self.root, "scripts", "build-web"))]
        run = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        if run.returncode:
            self.app.abort(run.stderr.strip())


class Readme(MetadataHookInterface):
    """Gives links and pictures of the README the address of the repository, for PyPI."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text("utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": absolute(text, metadata["urls"]["Repository"], f"v{metadata['version']}"),
        }


def absolute(text: str, repository: str, tag: str) -> str:
    """Return a README with absolute links to a tag of the repository."""
    text = PICTURE.sub(rf"\g<1>{repository}/raw/{tag}/\g<2>", text)
    return LINK.sub(rf"\g<1>{repository}/blob/{tag}/\g<2>", text)
