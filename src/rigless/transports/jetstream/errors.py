"""What is in the way to the backend, in words."""

from collections.abc import Callable

from rigless.kernel.events import Severity
from rigless.kernel.problems import InputError, Problem

Log = Callable[[str, Severity], None]


class LinkError(Exception):
    """`final`: waiting does not help, somebody must change something; then a run that begins with it does not begin at all."""

    def __init__(self, what: str, fix: str = "", final: bool = False):
        super().__init__(f"{what} ({fix})" if fix else what)
        self.what, self.fix, self.final = what, fix, final

    def problem(self, where: str) -> InputError:
        return InputError(Problem(where, self.what, self.fix))


def as_link_error(error: Exception) -> LinkError:
    """Of what nobody foresaw as well, such as an answer that no server gives: it ends an attempt, not the attempts."""
    return error if isinstance(error, LinkError) else LinkError(f"{type(error).__name__}: {error}")


class ApiError(LinkError):
    """JetStream refuses; `code` is its err_code."""

    def __init__(self, code: int, text: str, asked: str):
        super().__init__(f"JetStream refuses {asked}: {text} (error {code})")
        self.code, self.text = code, text


class ConnectionLostError(LinkError):
    """The connection ended before the answer came. Nobody need be told: that the connection ended is told already."""


class ReplyTimeoutError(LinkError):
    """No answer in time: the server is busy, or what should answer (the leader of a stream) is away."""


class NoRespondersError(LinkError):
    """Nobody answers on a subject: what should answer is not there."""


class PermissionDeniedError(LinkError):
    """The account may not do this."""

    def __init__(self, action: str, subject: str):
        fix = f"ask whoever runs the server for the permission to {action} {subject}"
        super().__init__(
            f"the server does not permit this robot to {action} {subject}", fix, final=True
        )
        self.subject = subject
