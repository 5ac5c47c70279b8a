"""Record a run to MCAP, replay it byte for byte, and compare it with a run of another seed."""

import tempfile
from pathlib import Path

import rigless
from rigless.kernel.recording import record_to_bytes
from rigless.recordings.diff import compare
from rigless.recordings.reader import Recording
from rigless.recordings.replay import verify

THERMOSTAT = Path(__file__).parent / "thermostat"


def record(path: Path, seed: int) -> None:
    sim = rigless.load(str(THERMOSTAT), seed=seed)
    path.write_bytes(record_to_bytes(sim, seconds=30))
    print(f"{path.name}: {path.stat().st_size} bytes")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        one, same, other = (Path(folder) / name for name in ("one.mcap", "same.mcap", "other.mcap"))
        record(one, seed=1)
        record(same, seed=1)
        record(other, seed=2)

        found = verify(one)
        result = found.difference or "the same"
        print(f"replayed {found.records} records up to {found.end_ns / 1e9:g} s: {result}")
        print("same seed:", "equal bytes" if one.read_bytes() == same.read_bytes() else "different")
        print("other seed:", compare(Recording.open(one), Recording.open(other)))
        assert found.difference is None


if __name__ == "__main__":
    main()
