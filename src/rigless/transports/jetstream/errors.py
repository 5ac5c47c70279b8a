"""Errors of the connection to the backend."""

from collections.abc import Callable

from rigless.kernel.events import Severity
from rigless.kernel.problems import InputError, Problem

Log = Callable[[str, Severity], None]


class LinkError(Exception):
    """A failure of the connection.

    `final`: a retry does not help without a change of configuration, so a run does not start.
    """

    def __init__(self, what: str, fix: str = "", final: bool = False):
        super().__init__(f"{what} ({fix})" if fix else what)
        self.what, self.fix, self.final = what, fix, final

    def problem(self, where: str) -> InputError:
        return InputError(Problem(where, self.what, self.fix))


def as_link_error(error: Exception) -> LinkError:
    """Return any error as a LinkError, so that it ends an attempt and not the retries."""
    return error if isinstance(error, LinkError) else LinkError(f"{type(error).__name__}: {error}")


class ApiError(LinkError):
    """JetStream rejected a request; `code` is its err_code."""

    def __init__(self, code: int, text: str, asked: str):
        super().__init__(f"JetStream refuses {asked}: {text} (error {code})")
        self.code, self.text = code, text


class ConnectionLostError(LinkError):
    """The connection ended before the reply. Not logged, since the disconnect is."""


class ReplyTimeoutError(LinkError):
    """No reply in time: the server is busy, or the leader of the stream is down."""


class NoRespondersError(LinkError):
    """There is no responder on the subject of a request."""


class PermissionDeniedError(LinkError):
    """The account has no permission for this subject."""

    def __init__(self, action: str, subject: str):
        fix = f"ask the operator of the server for the permission to {action} {subject}"
        super().__init__(
            f"the server does not permit this robot to {action} {subject}", fix, final=True
        )
        self.subject = subject
