"""Put the files of scripts/build-web, for the panel's front end, into wheels and installs."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


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
