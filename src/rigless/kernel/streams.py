"""Named random streams. Each is seeded by (seed, name), so a new sensor never shifts another one's noise."""

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np


def stream_key(seed: int, name: str) -> np.ndarray:
    """The Philox key of a stream: two words that depend on the seed and the name alone."""
    digest = hashlib.blake2b(f"{seed}\0{name}".encode(), digest_size=16).digest()
    return np.frombuffer(digest, dtype="<u8").copy()


class Streams:
    """The random streams of one simulation, made when they are first asked for."""

    def __init__(self, seed: int):
        self.seed = seed
        self._generators: dict[str, np.random.Generator] = {}

    def get(self, name: str) -> np.random.Generator:
        generator = self._generators.get(name)
        if generator is None:
            bits = np.random.Philox(key=stream_key(self.seed, name))
            generator = self._generators[name] = np.random.Generator(bits)
        return generator

    def peek_of(self, robot: str) -> Callable[[str], np.random.Generator]:
        """A function that gives copies of a robot's streams as they stand: drawing from them shifts nothing."""
        copies = Streams(self.seed)

        def peek(name: str) -> np.random.Generator:
            full = f"{robot}/{name}"
            if full not in copies._generators and full in self._generators:
                copies.get(full).bit_generator.state = self._generators[full].bit_generator.state
            return copies.get(full)

        return peek

    def save(self) -> dict[str, Any]:
        return {name: generator.bit_generator.state for name, generator in self._generators.items()}

    def load(self, saved: dict[str, Any]) -> None:
        self._generators = {}
        for name, state in saved.items():
            self.get(name).bit_generator.state = state
