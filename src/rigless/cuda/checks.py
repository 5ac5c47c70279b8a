"""The choice of a device. Importing it is quick."""

from rigless.kernel.problems import InputError, Problem


def check_device(device: str) -> None:
    """Raise InputError if a device is neither "cpu" nor "cuda"."""
    if device not in ("cpu", "cuda"):
        raise InputError(Problem("device", f"{device!r} is unknown", 'choose "cpu" or "cuda"'))
