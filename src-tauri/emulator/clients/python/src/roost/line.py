"""One request and its response, unchanged: no proxy, no redirects, no retries."""

from __future__ import annotations

import json as json_text
import os
import ssl
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from .errors import NotThere

#: A failed test shows its own lines, not those of this module.
__tracebackhide__ = True

#: Seconds to wait for a response, in addition to the server's own waits.
PATIENCE = 30.0


@dataclass(frozen=True)
class Answer:
    """A response."""

    status: int
    #: By lower-case name. If a name occurs more than once, the last one.
    headers: dict[str, str] = field(repr=False)
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        return json_text.loads(self.body)


#: Certificate authorities of our own servers.
_authorities: dict[str, None] = {}


def trust(authority: str | None) -> None:
    """Trust this certificate authority from now on: a PEM file, for example from `roost serve --tls self`."""
    if authority:
        _authorities[authority] = None


def trusting() -> ssl.SSLContext:
    """An SSL context, also for code under test, that trusts the system, ROOST_CA and what `trust` added."""
    context = ssl.create_default_context()
    for authority in dict.fromkeys([*_authorities, os.environ.get("ROOST_CA") or ""]):
        if authority:
            context.load_verify_locations(authority)
    return context


def send(
    method: str,
    url: str,
    json: Any = None,
    headers: dict[str, str] | None = None,
    timeout: float = PATIENCE,
) -> Answer:
    """Send a request. Errors of `http.client` and `socket` are not caught, so that a test sees a lost response."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise NotThere(f"'{url}' is not a valid server address. Use for example http://127.0.0.1:4010")
    line = (
        HTTPSConnection(parts.hostname, parts.port, timeout=timeout, context=trusting())
        if parts.scheme == "https"
        else HTTPConnection(parts.hostname, parts.port, timeout=timeout)
    )
    sent = {"connection": "close", **(headers or {})}
    body = None
    if json is not None:
        body = json if isinstance(json, bytes) else json_text.dumps(json).encode()
        sent.setdefault("content-type", "application/json")
    try:
        line.request(method, (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), body, sent)
        response = line.getresponse()
        told = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, told, response.read())
    finally:
        line.close()


#: The errors of a request without a response.
LOST = (OSError, HTTPException)
