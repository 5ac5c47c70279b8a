"""`rigless replay` and `rigless diff` on recordings: complete, truncated by a kill, and altered."""

import base64
import json
import re
import signal
import socket

import pytest
from mcap.reader import make_reader
from mcap.writer import Writer

from rigless.recordings.reader import Recording


@pytest.fixture
def winter(run_cli, thermostat, tmp_path):
    """Return a function that records a minute with these settings."""

    def make(name, *words):
        file = tmp_path / name
        given = (
            "--fast",
            "--duration",
            "60",
            "--no-panel",
            "--set",
            "ports.line=0",
            "--record",
            file,
            *words,
        )
        assert run_cli("run", thermostat, *given).returncode == 0
        return file

    return make


def tamper(source, target, topic, change):
    """Copy a recording, changing the first message on a topic."""
    with source.open("rb") as stream, target.open("wb") as out:
        reader, writer, channels = make_reader(stream), Writer(out), {}
        writer.start()
        for metadata in reader.iter_metadata():
            writer.add_metadata(metadata.name, metadata.metadata)
        done = False
        for schema, channel, message in reader.iter_messages(log_time_order=False):
            if channel.topic not in channels:
                known = writer.register_schema(schema.name, schema.encoding, schema.data)
                channels[channel.topic] = writer.register_channel(channel.topic, "json", known)
            data = message.data
            if channel.topic == topic and not done and message.log_time > 1_000_000_000:
                fields = json.loads(data)
                change(fields)
                data, done = json.dumps(fields).encode(), True
            writer.add_message(
                channels[channel.topic],
                message.log_time,
                data,
                message.publish_time,
                message.sequence,
            )
        writer.finish()
    assert done


def test_a_live_recording_with_real_traffic_is_the_same(
    rigless_process, rigless_command, thermostat, tmp_path
):
    file = tmp_path / "live.mcap"
    process = rigless_process(
        "run", thermostat, "--set", "ports.line=0", "--no-panel", "--speed", "20", "--record", file
    )
    with (
        socket.socket(type=socket.SOCK_DGRAM) as reports,
        socket.create_connection(process.address("thermostat/line"), 60) as client,
        client.makefile("rwb") as stream,
    ):
        reports.bind(("127.0.0.1", 0))
        reports.settimeout(60)
        for line in (
            b"SUBSCRIBE %d" % reports.getsockname()[1],
            b"SET 25",
            b"GET",
            b"nonsense",
            b"SET 99",
        ):
            stream.write(line + b"\n")
            stream.flush()
            assert stream.readline()
        assert reports.recv(100).startswith(b"REPORT ")
    assert process.end(signal.SIGINT) == 0
    found = rigless_command("replay", file, "--verify")
    assert found.returncode == 0, found.stdout + found.stderr
    assert found.stdout.startswith("the same: ")
    assert "cut off" not in found.stdout


def test_a_truncated_recording_is_equal_up_to_its_end(
    rigless_process, rigless_command, thermostat, tmp_path
):
    file = tmp_path / "live.mcap"
    process = rigless_process(
        "run", thermostat, "--set", "ports.line=0", "--no-panel", "--speed", "10", "--record", file
    )
    with socket.create_connection(process.address("thermostat/line"), 60) as client:
        client.sendall(b"SET 25\nGET\n")
        process.until(
            lambda: sum(record.direction == "out" for record in Recording.open(file)) >= 2,
            "answers on disk",
        )
        assert process.end(signal.SIGKILL) == -signal.SIGKILL
    found = rigless_command("replay", file)
    assert found.returncode == 0, found.stdout + found.stderr
    assert "the same: " in found.stdout
    assert "cut off" in found.stdout


def test_a_file_truncated_anywhere_is_read_or_rejected(run_cli, winter, tmp_path):
    data = winter("whole.mcap").read_bytes()
    for size in (0, 7, 100, len(data) // 3, len(data) // 2, len(data) - 1):
        (tmp_path / "cut.mcap").write_bytes(data[:size])
        found = run_cli("replay", tmp_path / "cut.mcap")
        assert found.returncode in (0, 2), (size, found.stdout, found.stderr)
        assert "Traceback" not in found.stderr


def test_a_damaged_recording_is_refused_with_the_place(run_cli, winter, tmp_path):
    good, bad = winter("good.mcap"), tmp_path / "bad.mcap"
    data = bytearray(good.read_bytes())
    data[data.index(b"zstd") + 200] ^= 4
    bad.write_bytes(data)
    for words in (("replay", bad), ("replay", bad, "--serve", "--now"), ("diff", good, bad)):
        found = run_cli(*words)
        assert (found.returncode, found.stdout) == (2, "")
        assert f"{bad}: damaged at byte " in found.stderr


def test_a_recording_that_was_cut_off_says_how_much_is_missing(run_cli, winter, tmp_path):
    data = winter("whole.mcap").read_bytes()
    chunk = data.index(b"zstd") - 41
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(data[: chunk + 500])
    for words in (("replay", cut), ("diff", cut, tmp_path / "whole.mcap"), ("diff", cut, cut)):
        found = run_cli(*words)
        assert (found.returncode, found.stdout) == (2, "")
        assert "it holds no records, so nothing was compared: its end is missing" in found.stderr
        assert "500 bytes of an unfinished record were not read" in found.stderr
    end = data.index(b"rigless.end") - 13
    cut.write_bytes(data[:end])
    found = run_cli("replay", cut)
    assert found.returncode == 0
    assert found.stdout.endswith("s (the recording was cut off there: its end is missing)\n")
    found = run_cli("diff", tmp_path / "whole.mcap", cut)
    assert found.returncode == 0
    assert "records (cut.mcap was cut off at 60.000000 s: its end is missing)" in found.stdout


def test_a_comparison_counts_the_records_that_one_side_lacks(run_cli, winter, tmp_path):
    data = winter("whole.mcap", "--duration", "200").read_bytes()
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(data[: len(data) // 2])
    found = run_cli("diff", tmp_path / "whole.mcap", cut)
    assert found.returncode == 0
    assert re.search(
        r"^equal: \d+ records \(cut.mcap was cut off at .*; "
        r"\d+ later records of whole.mcap were not compared\)$",
        found.stdout,
        re.MULTILINE,
    )


def test_the_first_difference_names_robot_port_time_and_field(rigless_command, winter, tmp_path):
    def warmer(fields):
        fields["message"]["temperature_c"] += 1.0

    tamper(winter("good.mcap"), tmp_path / "bad.mcap", "/thermostat/reports/out", warmer)
    found = rigless_command("replay", tmp_path / "bad.mcap", "--verify")
    assert found.returncode == 1
    for part in (
        "robot thermostat",
        "port reports",
        "at 2.000000 s",
        "field message.temperature_c",
    ):
        assert part in found.stdout


def test_altered_bytes_and_truth_are_found_too(run_cli, winter, tmp_path):
    good = winter("good.mcap")

    def wire(fields):
        fields["wire"] = base64.b64encode(b"REPORT 0").decode()

    def truth(fields):
        fields["heating"] = not fields["heating"]

    for topic, change, field in (
        ("/thermostat/reports/out", wire, "wire"),
        ("/thermostat/truth", truth, "heating"),
    ):
        tamper(good, tmp_path / "bad.mcap", topic, change)
        found = run_cli("replay", tmp_path / "bad.mcap")
        assert (found.returncode, f"field {field}" in found.stdout) == (1, True), found.stdout


def test_diff_of_equal_different_and_invalid_recordings(run_cli, winter, tmp_path):
    one, same, other = winter("a.mcap"), winter("b.mcap"), winter("c.mcap", "--set", "start_c=15")
    found = run_cli("diff", one, same)
    assert (found.returncode, found.stdout) == (0, "equal\n")
    found = run_cli("diff", one, other)
    assert found.returncode == 1
    assert "robot thermostat, " in found.stdout
    (tmp_path / "text.mcap").write_text("this is not a recording")
    for left, right in ((one, tmp_path / "none.mcap"), (tmp_path / "text.mcap", one)):
        found = run_cli("diff", left, right)
        assert (found.returncode, found.stdout) == (2, "")
        assert found.stderr.startswith("error: ")


def test_serve_plays_the_recorded_outputs_to_a_real_client(rigless_process, winter):
    file = winter("a.mcap")
    expected = [
        base64.b64decode(record.fields()["wire"])
        for record in Recording.open(file)
        if record.topic == "/thermostat/reports/out"
    ]
    process = rigless_process(
        "replay", file, "--serve", "--speed", "50", "--set", "thermostat.ports.line=0"
    )
    with socket.socket(type=socket.SOCK_DGRAM) as reports:
        reports.bind(("127.0.0.1", 0))
        reports.settimeout(60)
        line, subscribe = (
            process.address("thermostat/line"),
            b"SUBSCRIBE %d\n" % reports.getsockname()[1],
        )
        with socket.create_connection(line, 60) as client:
            client.sendall(subscribe)  # at once, because time starts with the connection
            got = [reports.recv(100)]
            while got[-1] != expected[-1]:
                got.append(reports.recv(100))
    assert got == expected[-len(got) :]
    assert len(got) > 10
    assert process.wait() == 0
    assert "played " in process.errors


def test_serve_now_plays_without_a_client_and_ends(run_cli, winter):
    found = run_cli(
        "replay",
        winter("a.mcap"),
        "--serve",
        "--now",
        "--speed",
        "100",
        "--set",
        "thermostat.ports.line=0",
    )
    assert found.returncode == 0, found.stderr
    assert "played 60 messages" in found.stderr
