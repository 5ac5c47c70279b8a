"""`rigless run --isolate`: robots and programs in a private network, the panel outside of it.

A process can enter a private network only while it has one thread, so that this comes before all
other work. A socket stays in the network in which it was made. The panel's is made before.
"""

import socket

from rigless.kernel.problems import InputError, Problem
from rigless.panel.address import bind
from rigless.programs import namespace


def isolate_run(
    panel: str | None, with_panel: bool, foxglove: int | None, split: str | int | None
) -> socket.socket | None:
    """Enter a private network and return the socket of the panel. Raises InputError."""
    others = (("--foxglove", foxglove), ("--shard and --processes", split))
    for option, given in others:
        if given is not None:
            fix = f"leave out --isolate or {option}"
            raise InputError(Problem("--isolate", f"{option} needs the common network", fix))
    if why_not := namespace.why_not():
        fix = "leave it out to use the real ports"
        raise InputError(Problem("--isolate", why_not, fix))
    bound = bind(panel) if with_panel else None
    try:
        namespace.enter()
    except OSError as error:
        what = f"the system refuses a private network: {error.strerror or error}"
        raise InputError(Problem("--isolate", what, "leave it out")) from None
    return bound
