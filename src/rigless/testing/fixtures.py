"""pytest fixtures: simulations in virtual time and hosts on real sockets."""

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from rigless.host.serve import ServedHost
    from rigless.kernel.simulation import Simulation


@pytest.fixture
def rigless_sim() -> "Callable[..., Simulation]":
    """Return a function that loads a target: `rigless_sim("vacuum", seed=7)`."""
    from rigless.scenario.load import open_target

    def load(target: str, seed: int | None = None, settings: tuple[str, ...] = ()) -> "Simulation":
        return open_target(target, settings, seed).simulation

    return load


@pytest.fixture
def rigless_host() -> "Iterator[Callable[..., ServedHost]]":
    """Yield a function that serves a target on free ports: `rigless_host("vacuum", speed=2.0)`."""
    from rigless.host.serve import serve

    with contextlib.ExitStack() as stack:

        def start(target: str, **options: Any) -> "ServedHost":
            return stack.enter_context(serve(target, **options))

        yield start
