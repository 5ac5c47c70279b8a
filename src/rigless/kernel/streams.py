"""Named random streams.

Each is seeded by (seed, name), so that a new sensor does not shift the noise of another.
"""

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np


def stream_key(seed: int, name: str) -> np.ndarray:
    """Return the Philox key of a stream: two words that depend on seed and name only."""
    digest = hashlib.blake2b(f"{seed}\0{name}".encode(), digest_size=16).digest()
    return np.frombuffer(digest, dtype="<u8").copy()


class Streams:
    """The random streams of one simulation, made on first use."""

    def __init__(self, seed: int):
        self.seed = seed
        self._generators: dict[str, np.random.Generator] = {}

    def get(self, name: str) -> np.random.Generator:
        """Return the stream of this name."""
        generator = self._generators.get(name)
        if generator is None:
            bits = np.random.Philox(key=stream_key(self.seed, name))
            generator = self._generators[name] = np.random.Generator(bits)
        return generator

    def copies_for(self, robot: str) -> Callable[[str], np.random.Generator]:
        """Return a function like `get` for copies of a robot's streams; draws do not shift them."""
        copies = Streams(self.seed)

        def copied(name: str) -> np.random.Generator:
            full = f"{robot}/{name}"
            if full not in copies._generators and full in self._generators:
                copies.get(full).bit_generator.state = self._generators[full].bit_generator.state
            return copies.get(full)

        return copied

    def save(self) -> dict[str, Any]:
        """Return the states of all streams, for snapshots."""
        return {name: generator.bit_generator.state for name, generator in self._generators.items()}

    def load(self, saved: dict[str, Any]) -> None:
        """Replace the streams by saved ones."""
        self._generators = {}
        for name, state in saved.items():
            self.get(name).bit_generator.state = state
