"""The files that the runs of a scenario need: for the digest of a sweep, and to take to workers.

They are the scenario file, the files that it, its files and the settings name (configs, maps with
their images, cells with their meshes, robot folders), and the folders of its programs with the
files in their commands.
"""

import hashlib
import os
import re
import shlex
import tempfile
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from rigless.kernel.documents import parse_json, parse_toml, parse_yaml
from rigless.kernel.problems import InputError, Problem
from rigless.scenario.build import Built
from rigless.scenario.kinds import is_folder
from rigless.sweeps.settings import PROGRAM

PARSERS = {".toml": parse_toml, ".json": parse_json, ".yaml": parse_yaml, ".yml": parse_yaml}
MESH = re.compile(r'filename="(?:package://|file://)?([^"]+)"')
LARGEST_TEXT = 4_000_000  # bytes of a file that is searched for names of others
Settings = Iterable[tuple[str, Any]]
MOST_BYTES, MOST_FILES = 256_000_000, 20_000
OUTPUTS = {".parquet", ".journal", ".mcap", ".html", ".log", ".part"}
MARKS = {  # of tables and of scenarios
    ".csv": re.compile(rb"\Akey,seed,"),
    ".jsonl": re.compile(rb'\A{"key":"'),
    ".toml": re.compile(rb"^\[\[robots\]\]", re.MULTILINE),
}
SEARCHED_BYTES = 100_000
RUN_FOLDER = re.compile(r"[0-9a-f]{20}")  # of --runs
SKIPPED = {"__pycache__", "node_modules", "venv", "build", "dist"}


@dataclass
class Bundle:
    """Files by their paths below a common folder. `elsewhere` must exist on each worker."""

    root: str = ""
    target: str = ""  # the scenario, below the root; or a name that is no file
    files: dict[str, bytes] = field(default_factory=dict)
    elsewhere: list[str] = field(default_factory=list)

    @property
    def digest(self) -> str:
        digest = hashlib.blake2b(digest_size=16)
        for name in sorted(self.files):
            digest.update(f"{name}\0{len(self.files[name])}\0".encode() + self.files[name])
        return digest.hexdigest()

    def unpack(self, base: Path | None = None) -> Path:
        """Write the files to a folder named by their digest and return it.

        Files that are there already are kept, unless their size has changed.
        """
        parent = base or Path(tempfile.gettempdir()) / f"rigless-files-{os.getuid()}"
        parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if parent.stat().st_uid != os.getuid():
            what = f"{parent} belongs to another user"
            raise InputError(Problem("", what, "set TMPDIR to a folder of your own"))
        folder = parent / self.digest
        folder.mkdir(exist_ok=True)
        for name, content in self.files.items():
            path = folder / name
            if path.is_file() and path.stat().st_size == len(content):
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=parent, delete=False) as part:
                part.write(content)
            executable = content[:2] == b"#!" or content[:4] == b"\x7fELF"
            os.chmod(part.name, 0o755 if executable else 0o644)
            os.replace(part.name, path)  # whole at once: other workers may do the same
        return folder


def encode_bundle(bundle: Bundle) -> bytes:
    return msgspec.msgpack.encode(bundle)


def decode_bundle(data: bytes) -> Bundle:
    return msgspec.msgpack.decode(data, type=Bundle)


@dataclass(frozen=True)
class Needed:
    """The files of a scenario, and those of its programs.

    `fixed` are those of them that are named by absolute paths.
    """

    scenario: list[Path]
    programs: list[Path]
    fixed: list[Path]


class Finder:
    """Follows the names of files in data and in files."""

    def __init__(self) -> None:
        self.found: dict[Path, bool] = {}  # True: named by an absolute path

    def add(self, path: Path, fixed: bool = False) -> None:
        """Add a file and those that it names."""
        if path in self.found:
            self.found[path] &= fixed
            return
        self.found[path] = fixed
        if path.stat().st_size > LARGEST_TEXT:
            return
        if parse := PARSERS.get(path.suffix.lower()):
            text = path.read_text("utf-8", "replace")
            self.follow(parse(text, str(path)).data, path.parent, fixed=fixed)
        elif path.suffix.lower() in (".urdf", ".xacro"):
            for name in MESH.findall(path.read_text("utf-8", "replace")):
                self.follow(name, path.parent, fixed=fixed)

    def follow(self, value: Any, *folders: Path, fixed: bool = False) -> None:
        """Add the files whose names occur in data. The first folder that has a file counts."""
        for text in texts_of(value):
            if len(text) >= 1000 or "\n" in text:
                continue
            path = next((at / text for at in folders if _is_file(at / text)), None)
            if path is not None:
                self.add(path.resolve(), fixed or os.path.isabs(text))

    def add_words(self, words: Iterable[str], folder: Path) -> None:
        """Add the files that a command names."""
        for word in words:
            if _is_file(folder / word):
                self.found.setdefault((folder / word).resolve(), os.path.isabs(word))

    def add_tree(self, folder: Path, text: str) -> None:
        """Add the files of a folder, which is named by this text."""
        for path in _tree(folder):
            self.found.setdefault(path, os.path.isabs(text))


def needed_files(built: Built, settings: Collection[tuple[str, Any]] = ()) -> Needed:
    """Return the files that runs of this scenario with these settings read.

    A key may occur several times. Files are named from the scenario's folder or the current one.
    """
    source, folder, here = built.source, built.source.folder.resolve(), Path.cwd()
    finder, programs = Finder(), Finder()
    if source.file:
        finder.add(Path(source.file).resolve())
    finder.follow(built.scenario.model_dump(mode="json", exclude={"programs"}), folder, here)
    finder.follow([v for key, v in settings if not key.startswith(PROGRAM)], folder, here)
    for entry in built.scenario.robots:
        if is_folder(entry.kind):
            finder.add_tree((folder / entry.kind).resolve(), entry.kind)
    for program in built.scenario.programs:
        at = (folder / program.cwd).resolve()
        programs.add_tree(at, program.cwd)
        programs.add_words(program.words, at)
        for key, command in settings:
            if key == PROGRAM + program.name:
                programs.add_words(shlex.split(str(command)), at if program.cwd else here)
    everything = {**programs.found, **finder.found}
    fixed = [path for path, is_fixed in everything.items() if is_fixed]
    return Needed(list(finder.found), list(programs.found), fixed)


def named_files(built: Built, settings: Settings) -> tuple[Path, ...]:
    """Return the files that settings and commands name themselves, in their order."""
    folders = (built.source.folder.resolve(), Path.cwd())
    texts = [
        text
        for key, value in settings
        for text in (shlex.split(str(value)) if key.startswith(PROGRAM) else texts_of(value))
    ]
    return tuple(at / text for text in texts for at in folders if _is_file(at / text))


def digest_of(paths: list[Path], root: Path) -> str:
    """Return a digest of the content of files, by their names relative to a folder."""
    digest = hashlib.blake2b(digest_size=16)
    for name, path in sorted((os.path.relpath(path, root), path) for path in paths):
        content = path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def bundle_of(built: Built, target: str, settings: Settings = ()) -> Bundle:
    """Return the files of a scenario for workers on other machines. Raises InputError.

    `settings` are those of all runs.
    """
    needed = needed_files(built, list(settings))
    paths = list(dict.fromkeys([*needed.scenario, *needed.programs]))
    if not built.source.file or not paths:
        return Bundle(target=target)
    folder, fixed = built.source.folder.resolve(), set(needed.fixed)
    own = [path for path in paths if path not in fixed]
    root = Path(os.path.commonpath([folder, Path.cwd(), *(path.parent for path in own)]))
    total = sum(path.stat().st_size for path in own)
    if total > MOST_BYTES or len(own) > MOST_FILES:
        what = f"its runs need {len(own)} files of {total / 1e6:.0f} MB"
        fix = "set cwd of the programs to a folder with less in it"
        raise InputError(Problem("programs", what, fix, built.source.file))
    return Bundle(
        str(root),
        str(Path(built.source.file).resolve().relative_to(root)),
        {str(path.relative_to(root)): path.read_bytes() for path in own},
        [str(path) for path in needed.fixed],
    )


def texts_of(value: Any) -> Iterator[str]:
    """Return the texts in a value, which may be the names of files."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts_of(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_of(inner)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _tree(folder: Path) -> Iterator[Path]:
    """Return the files below a folder, without hidden and built ones and outputs of rigless."""
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not (name.startswith(".") or name in SKIPPED or RUN_FOLDER.fullmatch(name))
        )
        for name in sorted(names):
            path = Path(at, name)
            if not name.startswith(".") and _is_file(path) and not _is_output(path):
                yield path


def _is_output(path: Path) -> bool:
    """Return True for tables, recordings, pages, logs, and scenarios such as shrunk ones."""
    suffix = path.suffix.lower()
    if suffix in OUTPUTS:
        return True
    if suffix not in MARKS:
        return False
    with path.open("rb") as file:
        return MARKS[suffix].search(file.read(SEARCHED_BYTES)) is not None
