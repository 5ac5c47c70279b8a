"""`pytest --rigless-isolate`: all tests in a private network, so that fixed ports are free."""

import os

import pytest

ENTERED = "RIGLESS_PRIVATE_NETWORK"  # set for workers of pytest-xdist, which are in it already


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("rigless").addoption(
        "--rigless-isolate",
        action="store_true",
        help="run all tests in a private network (Linux), so that fixed ports are free",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Enter the private network before conftest files may start threads."""
    wanted = early_config.known_args_namespace.rigless_isolate
    if not wanted or ENTERED in os.environ:
        return
    from rigless.programs import namespace

    if why_not := namespace.why_not():
        raise pytest.UsageError(f"--rigless-isolate: {why_not}")
    try:
        namespace.enter()
    except OSError as error:
        reason = f"{error.strerror}; does a plugin start threads?"
        raise pytest.UsageError(f"--rigless-isolate: {reason}") from None
    os.environ[ENTERED] = "1"
