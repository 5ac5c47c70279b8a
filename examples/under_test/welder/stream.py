"""Stream a G-code file with grbl-streamer, a sender from PyPI: `python stream.py TTY FILE`.

It ends with 0 when the controller has carried out the program, and with 1 after an alarm or error.
"""

import queue
import sys

from grbl_streamer import GrblStreamer

ENDS = ("on_job_completed", "on_alarm", "on_error")


class Job:
    """Receives the events of the sender, which come from its threads."""

    def __init__(self) -> None:
        self.events: queue.Queue[tuple[str, tuple]] = queue.Queue()
        self.mode = ""

    def __call__(self, name: str, *data: object) -> None:
        if name == "on_stateupdate" and data[0] != self.mode:
            self.mode = str(data[0])
            print(f"state {self.mode}", flush=True)
        elif name == "on_line_sent":
            print(f"> {data[1]}", flush=True)
        self.events.put((name, data))

    def wait_for(self, *names: str) -> tuple[str, tuple]:
        while (event := self.events.get())[0] not in names:
            pass
        return event


def main(tty: str, file: str) -> int:
    job = Job()
    sender = GrblStreamer(job)
    sender.poll_interval = 0.05
    sender.preprocessor.whitelist_commands["M"] += [7, 66, 68]  # else it removes these words
    sender.cnect(tty, 115200)
    job.wait_for("on_boot")
    sender.poll_start()
    for _ in range(2):  # it asks for the parser state ($G) at boot and at the first Idle
        while not job.wait_for("on_read")[1][0].startswith("[GC:"):
            pass
    job.wait_for("on_rx_buffer_percent")  # the ok of the last query
    sender.incremental_streaming = True  # a line after the ok of the line before
    sender.load_file(file)
    sender.job_run()
    name, data = job.wait_for(*ENDS)
    print("job completed" if name == "on_job_completed" else f"failed: {data[0]}", flush=True)
    sender.disconnect()
    return 0 if name == "on_job_completed" else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
