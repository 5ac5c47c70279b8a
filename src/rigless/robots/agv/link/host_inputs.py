"""The inputs that the host sets by itself: the boot, the date, and how well it keeps pace."""

from rigless.kernel.robot import VirtualInput

HOST_INPUTS = {
    "lost_s": VirtualInput(
        0.0,
        "time by which the computer fell behind; gives tickOverruns",
        0.0,
        1e9,
        by_host=True,
    ),
    "boot_id": VirtualInput("", "id of this boot; empty: derived from the seed", by_host=True),
    "epoch_s": VirtualInput(
        0.0, "Unix time of the start of the simulation; 0: the year 2026", by_host=True
    ),
    "late_ms": VirtualInput(
        0.0, "99th percentile of the lateness of ticks; gives p99Ms", 0.0, 1e6, by_host=True
    ),
}

MEASURED = ("late_ms", "lost_s")  # by the host, for telemetry and heartbeats
