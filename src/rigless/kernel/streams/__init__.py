"""Named random streams.

Each is seeded by (seed, name), so that a new sensor does not shift the noise of another. Single
streams can get a seed of their own, or be switched off: every draw is then the median.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Literal

import numpy as np

from rigless.kernel.streams.median_generator import MedianGenerator

OFF: Literal["off"] = "off"
OFF_WORD = 2**64 - 1  # the key of a stream that is off has this word twice
Noise = Mapping[str, int | str]  # name of a stream, or a pattern with * → a seed or "off"


def stream_key(seed: int, name: str) -> np.ndarray:
    """Return the Philox key of a stream: two words that depend on seed and name only."""
    digest = hashlib.blake2b(f"{seed}\0{name}".encode(), digest_size=16).digest()
    return np.frombuffer(digest, dtype="<u8").copy()


def matches_stream(pattern: str, name: str) -> bool:
    """Return True if a key of a `[noise]` table is this stream's name or a pattern of it."""
    return pattern == name or ("*" in pattern and fnmatchcase(name, pattern))


def setting_of(noise: Noise, name: str) -> int | str | None:
    """Return the setting of a stream, None if it has none.

    Its own name goes before patterns, and a longer pattern before a shorter one.
    """
    if not noise or name in noise:
        return noise.get(name)
    fitting = [pattern for pattern in noise if matches_stream(pattern, name)]
    return noise[max(fitting, key=lambda pattern: (len(pattern), pattern))] if fitting else None


class Streams:
    """The random streams of one simulation, made on first use.

    `noise` re-seeds single streams or switches them off. `names` holds all that were used.
    """

    def __init__(self, seed: int, noise: Noise | None = None, names: Iterable[str] = ()):
        self.seed = seed
        self.noise = dict(noise or {})
        self.names = dict.fromkeys(names)
        self._generators: dict[str, np.random.Generator] = {}

    def key(self, name: str) -> np.ndarray:
        """Return the key of a stream for counter-based noise."""
        self.names[name] = None
        setting = setting_of(self.noise, name)
        if setting == OFF:
            return np.full(2, OFF_WORD, np.uint64)
        return stream_key(self.seed if setting is None else int(setting), name)

    def get(self, name: str) -> np.random.Generator:
        """Return the generator of a stream."""
        generator = self._generators.get(name)
        if generator is None:
            bits = np.random.Philox(key=self.key(name))
            off = setting_of(self.noise, name) == OFF
            generator = MedianGenerator(bits) if off else np.random.Generator(bits)
            self._generators[name] = generator
        return generator

    def copies_for(self, robot: str) -> Callable[[str], np.random.Generator]:
        """Return a function like `get` for copies of a robot's streams; draws do not shift them."""
        copies = Streams(self.seed, self.noise)

        def copied(name: str) -> np.random.Generator:
            full = f"{robot}/{name}"
            if full not in copies._generators and full in self._generators:
                copies.get(full).bit_generator.state = self._generators[full].bit_generator.state
            return copies.get(full)

        return copied

    def save(self) -> dict[str, Any]:
        """Return the states of all generators, for snapshots."""
        return {name: generator.bit_generator.state for name, generator in self._generators.items()}

    def load(self, saved: dict[str, Any]) -> None:
        """Replace the generators by saved ones."""
        self._generators = {}
        for name, state in saved.items():
            self.get(name).bit_generator.state = state
