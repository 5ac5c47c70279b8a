"""Credentials and certificates of a client of a message broker."""

from dataclasses import dataclass, fields
from pathlib import Path

from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError, Problem


@dataclass(frozen=True)
class Login:
    """Credentials and certificates as names of files, so that no command line has a secret.

    Empty ones are not used: the broker then gets those of its URL, or none.
    """

    user: str = ""
    password_file: str = ""
    creds_file: str = ""  # of NATS
    ca_file: str = ""
    cert_file: str = ""
    key_file: str = ""

    @classmethod
    def of(cls, port: Port) -> "Login":
        """Return the login with which a robot's port connects to its broker."""
        mqtt = port.options.get("mqtt") or {}
        nats = port.options.get("nats") or {}
        known = {field.name: mqtt[field.name] for field in fields(cls) if field.name in mqtt}
        return cls(**known, creds_file=nats.get("credsFilePath") or "")

    def given(self) -> list[str]:
        """Return the options that have a value, as in the command line."""
        names = [field.name for field in fields(self) if getattr(self, field.name)]
        return [f"--{name.replace('_', '-')}" for name in names]

    def password(self) -> str:
        """Return the password without the newline at the end of its file. Raises InputError."""
        if not self.password_file:
            return ""
        try:
            return Path(self.password_file).read_text("utf-8").rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "is not UTF-8 text"
            what = f"{self.password_file} cannot be read: {reason}"
            raise InputError(Problem("--password-file", what, "name a text file")) from None


NO_LOGIN = Login()


def refused(url: str, reason: str) -> InputError:
    """Return the error for a broker that refuses a login."""
    fix = "rigless send needs --user and --password-file, or --creds-file for NATS"
    return InputError(Problem(url, f"the broker refused the connection: {reason}", fix))
