"""Authentication of the control API: a token for scripts, a session cookie for browsers.

Scripts send `Authorization: Bearer TOKEN`. A browser opens `/?token=...`, gets a cookie that is not
the token, and is redirected to a URL without it. Requests that a foreign page could cause are
refused: on the WebSocket and on every request that changes something the Origin must be our own,
and the Host must be an IP address or localhost, so that no foreign name can point here.
"""

import hmac
import ipaddress
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from rigless.host.api.login_page import LOGIN_SCRIPT_HASH, login_page
from rigless.kernel.plain import to_json

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

PAGES = ("/", "/sweep")  # a browser that opens one with the token gets a cookie
LARGEST_BODY = 1 << 20
LARGEST_UPLOAD = 2 << 30
SHARED = "/shared/"  # below it a path contains a key of its own: see panel/recordings/file_links.py
LARGEST_BODIES = {
    "/api/restore": 64 << 20,  # the snapshot of a large fleet
    "/api/recordings/file": LARGEST_UPLOAD,
}
POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "frame-ancestors 'none'"
)
# These directives do not fall back to default-src.
NOTHING_ELSE = "base-uri 'none'; form-action 'none'; object-src 'none'"


def _headers(script: str) -> list[tuple[bytes, bytes]]:
    return [
        (
            b"content-security-policy",
            f"{POLICY}; {NOTHING_ELSE}; script-src 'self' {script}".encode(),
        ),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"cache-control", b"no-store"),
    ]


class Auth:
    """ASGI middleware. With `token=None` every local client is admitted (--no-auth).

    `script` is the hash of the one inline script that browsers may run. `secret` signs the cookies;
    if it is kept from run to run, a browser stays logged in over a restart.
    """

    def __init__(self, app: App, token: str | None, script: str = "", secret: bytes | None = None):
        self._app = app
        self._token = token
        self._secret = secret or secrets.token_bytes(32)
        self._headers = _headers(script)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        query = parse_qs(scope["query_string"].decode("latin-1"))
        refusal = self._refusal(scope, headers, query)
        if refusal:
            await self._refuse(scope, send, *refusal)
        elif (
            scope["type"] == "http"
            and "token" in query
            and scope["method"] == "GET"
            and scope["path"] in PAGES
            and self._token
        ):
            await self._start_session(scope, send)
        else:
            await self._app(scope, receive, self._with_headers(send))

    def _refusal(
        self, scope: Scope, headers: dict[str, str], query: dict[str, list[str]]
    ) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if not _is_local_name(host):
            return (
                403,
                f"the host name {host!r} is not served; use the address that rigless printed",
            )
        origin = headers.get("origin")
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD", "OPTIONS")
        if changes and origin is not None and origin.partition("://")[2] != host:
            return 403, "this origin may not control the simulation"
        if scope["type"] == "http" and not headers.get("content-length", "0").isdigit():
            return 400, "content-length is not a number"
        largest = LARGEST_BODIES.get(scope["path"], LARGEST_BODY)
        if int(headers.get("content-length", "0")) > largest or "transfer-encoding" in headers:
            return 413, f"a body has a content-length of at most {largest} bytes"
        shared = scope["type"] == "http" and scope["path"].startswith(SHARED) and not changes
        if self._token is None or shared or self._is_known(scope, headers, query):
            return None
        return (
            401,
            "no valid token: open the URL that rigless printed, or send it as "
            "Authorization: Bearer TOKEN",
        )

    def _is_known(self, scope: Scope, headers: dict[str, str], query: dict[str, list[str]]) -> bool:
        assert self._token is not None
        scheme, _, given = headers.get("authorization", "").partition(" ")
        candidates = [given] if scheme.lower() == "bearer" else []
        candidates += query.get("token", [])
        if any(
            hmac.compare_digest(candidate.encode(), self._token.encode())
            for candidate in candidates
        ):
            return True
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        cookie = cookies.get(_cookie_name(scope))
        if cookie is None:
            return False
        nonce, _, signature = cookie.value.partition(".")
        return hmac.compare_digest(signature.encode(), self._sign(scope, nonce).encode())

    def _sign(self, scope: Scope, nonce: str) -> str:
        return hmac.new(
            self._secret, f"{_cookie_name(scope)} {nonce}".encode(), "sha256"
        ).hexdigest()

    async def _start_session(self, scope: Scope, send: Send) -> None:
        nonce = secrets.token_urlsafe(24)
        cookie = (
            f"{_cookie_name(scope)}={nonce}.{self._sign(scope, nonce)}; HttpOnly; "
            "SameSite=Strict; Path=/"
        )
        await send(
            {
                "type": "http.response.start",
                "status": 303,
                "headers": [
                    (b"location", scope["path"].encode()),
                    (b"set-cookie", cookie.encode()),
                    *self._headers,
                ],
            }
        )
        await send({"type": "http.response.body", "body": b""})

    def _with_headers(self, send: Send) -> Send:
        async def sender(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *self._headers]
            await send(message)

        return sender

    async def _refuse(self, scope: Scope, send: Send, status: int, reason: str) -> None:
        if status == 401 and _is_page(scope):
            wrong = "token=" in scope["query_string"].decode("latin-1")
            headers = [(b"content-type", b"text/html; charset=utf-8"), *_headers(LOGIN_SCRIPT_HASH)]
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": login_page(wrong)})
            return
        body = to_json({"problems": [{"where": "", "what": reason, "fix": ""}]})
        kind = "http.response" if scope["type"] == "http" else "websocket.http.response"
        if kind.startswith("websocket") and "websocket.http.response" not in scope.get(
            "extensions", {}
        ):
            await send({"type": "websocket.close", "code": 1008, "reason": reason})
            return
        headers = [(b"content-type", b"application/json"), *self._headers]
        await send({"type": f"{kind}.start", "status": status, "headers": headers})
        await send({"type": f"{kind}.body", "body": body})


def _is_page(scope: Scope) -> bool:
    """True if a person opened the panel in a browser."""
    accepted = dict(scope["headers"]).get(b"accept", b"")
    return scope["type"] == "http" and scope["path"] == "/" and b"text/html" in accepted


def _cookie_name(scope: Scope) -> str:
    """Return the cookie's name. Ports of a host share cookies, so it contains the port."""
    return f"rigless_{(scope.get('server') or ('', 0))[1]}"


def _is_local_name(host: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
        if name == "localhost":
            return True
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
