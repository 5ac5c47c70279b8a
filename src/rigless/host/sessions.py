"""Session files of running instances, private to the user, by which `rigless ctl` finds them."""

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from rigless.kernel.problems import InputError, Problem
from rigless.scenario import extras


def _folder() -> Path:
    base = os.environ.get("XDG_RUNTIME_DIR") or os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "rigless"


def cookie_key() -> bytes:
    """Return the key that signs the panel's cookies, kept so that a browser survives a restart.

    If it cannot be stored, return a new one.
    """
    with contextlib.suppress(OSError):
        folder = _folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / "cookie.key"
        with contextlib.suppress(FileExistsError):
            fresh = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(fresh, "wb") as stream:
                stream.write(os.urandom(32))
        kept = path.read_bytes()
        if len(kept) == 32 and path.stat().st_mode & 0o077 == 0:
            return kept
        path.unlink()  # readable by others or incomplete: the next start makes a new one
    return os.urandom(32)


def write(url: str, token: str | None, name: str) -> Path:
    """Write the session file of this process; the caller removes it at the end."""
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{os.getpid()}.json"
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        json.dump({"pid": os.getpid(), "url": url, "token": token, "name": name}, stream)
    return path


def running() -> list[dict[str, Any]]:
    """Return the sessions of running processes; remove stale files."""
    found = []
    folder = _folder()
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else []:
        try:
            raw = json.loads(path.read_text())
            note = {key: raw[key] for key in ("pid", "url", "token", "name")}
            if not _is_session(note):
                continue
            os.kill(note["pid"], 0)
            found.append(note)
        except ProcessLookupError:
            path.unlink(missing_ok=True)
        except (OSError, ValueError, KeyError, TypeError, OverflowError):
            continue
    return found


def who_runs() -> str:
    """Return a hint that names the other instances of this user, "" if there are none."""
    others = [note for note in running() if note["pid"] != os.getpid()]
    names = ", ".join(f"{note['name']} at {note['url']}" for note in others)
    return f"rigless runs already, {names}: open that in a browser, or end it" if others else ""


def _is_session(note: dict[str, Any]) -> bool:
    """Return False for a file that was damaged or written by something else."""
    pid, token = note["pid"], note["token"]
    texts = note["url"], note["name"], "" if token is None else token
    return type(pid) is int and pid > 0 and all(isinstance(text, str) for text in texts)


def only_instance() -> dict[str, Any]:
    """Return the one instance on this machine. Raises InputError if there is none or several."""
    found = running()
    if not found:
        fix = "start one: rigless run TARGET"
        if extras.missing("panel"):
            fix = f"{extras.install_command('panel')}, then start one again: rigless run TARGET"
        reason = "no running rigless with a panel was found on this machine"
        raise InputError(Problem("ctl", reason, fix))
    if len(found) > 1:
        names = ", ".join(f"{note['url']} ({note['name']})" for note in found)
        raise InputError(
            Problem(
                "ctl",
                f"several instances are running: {names}",
                "choose one with --url and --token",
            )
        )
    return found[0]
