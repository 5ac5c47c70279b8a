"""For every robot: output is a function of robot, seed and stamped inputs."""

import pytest

from rigless.testing.determinism import run
from rigless.testing.subject import Subject

from .subjects import all_checks, golden_of


@pytest.mark.parametrize("check", all_checks("determinism"))
def test_conformance(check):
    check()


@pytest.mark.parametrize("kind", ["pacbot", "rover", "vacuum"])
def test_robots_with_noise_depend_on_the_seed(kind):
    """The suite exempts them, because their noise does not come from the simulation's streams."""
    subject = Subject.of(kind, golden_of(kind))
    assert run(subject, seed=1) != run(subject, seed=2)
