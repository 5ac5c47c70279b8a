"""The `[noise]` of a scenario."""

from pathlib import Path

import pytest

from rigless.kernel.plain import to_json
from rigless.kernel.problems import InputError
from rigless.kernel.recording import record_to_bytes
from rigless.recordings.seekable import SeekableRecording
from rigless.scenario.load import load

ROOT = Path(__file__).resolve().parents[2]


def scenario(tmp_path, noise):
    path = tmp_path / "noisy.toml"
    path.write_text(f'name = "noisy"\nseed = 5\n[[robots]]\nkind = "vacuum"\n[noise]\n{noise}\n')
    return path


def keys(sim):
    return sim.robot("vacuum").state.keys.tolist()


def test_a_stream_with_a_seed_is_that_of_the_seed_and_others_stay(tmp_path):
    plain, five, twelve = (load("vacuum", seed=seed) for seed in (5, 5, 12))
    sim = load(scenario(tmp_path, '"vacuum/lidar" = 12'))
    assert keys(plain) == keys(five)
    assert keys(sim) == [*keys(five)[:2], keys(twelve)[2]]
    sim = load("vacuum", seed=5, settings=["noise.vacuum/lidar=12"])
    assert keys(sim) == [*keys(five)[:2], keys(twelve)[2]]


def test_unknown_streams_are_errors_with_a_hint(tmp_path):
    with pytest.raises(InputError) as caught:
        load(scenario(tmp_path, '"vacuum/lidr" = 12\n"vacum/*" = "off"\n"vacuum/fault/lidar" = 3'))
    texts = [str(problem) for problem in caught.value.problems]
    assert len(texts) == 2
    assert "noisy.toml:6: noise.vacuum/lidr: unknown random stream" in texts[0]
    assert "did you mean 'vacuum/lidar'?" in texts[0]
    assert "'vacum/*'" in texts[1]


@pytest.mark.parametrize("value", ["-1", "true", '"on"', "1.5", "[1]"])
def test_values_are_seeds_or_off(tmp_path, value):
    with pytest.raises(InputError, match=r'should be a seed .* or "off"'):
        load(scenario(tmp_path, f'"vacuum/lidar" = {value}'))


def test_a_robot_that_declares_no_streams_may_have_any(tmp_path):
    path = tmp_path / "s.toml"
    kind = ROOT / "examples" / "thermostat"
    path.write_text(f'[[robots]]\nkind = "{kind}"\n[noise]\n"thermostat/anything" = 1\n')
    load(path)


def test_a_recording_with_noise_seeks_to_the_same_states(tmp_path):
    sim = load(scenario(tmp_path, '"*" = "off"\n"vacuum/imu" = 4'))
    message = {"type": "Control", "id": "drive", "action": "configure"}
    sim.send("vacuum", "commands", message | {"config": {"linear": 0.2, "angular": 0.3}})
    path = tmp_path / "r.mcap"
    path.write_bytes(record_to_bytes(sim, 3.0))
    opened = SeekableRecording.open(path)
    opened.seek(3_000_000_000)
    assert to_json(opened.simulation.truth("vacuum")) == to_json(sim.truth("vacuum"))
    opened.seek(1_000_000_000)
    opened.seek(3_000_000_000)
    assert to_json(opened.simulation.truth("vacuum")) == to_json(sim.truth("vacuum"))
