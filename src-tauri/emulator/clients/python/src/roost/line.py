"""One request and its answer, as they are: no proxy, no redirects followed, no tries but the one."""

from __future__ import annotations

import json as json_text
import os
import ssl
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from .errors import NotThere

#: Failures end at the line of the test: pytest shows no frame of this module.
__tracebackhide__ = True

#: Seconds until a caller gives up on an answer; the server's own waits are added to it.
PATIENCE = 30.0


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    #: By their names in small letters; of several with one name the last.
    headers: dict[str, str] = field(repr=False)
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        return json_text.loads(self.body)


#: Files of authorities that servers of ours have named.
_authorities: dict[str, None] = {}


def trust(authority: str | None) -> None:
    """From here on servers are trusted that this authority vouches for: a PEM file, as `roost serve --tls self` names."""
    if authority:
        _authorities[authority] = None


def trusting() -> ssl.SSLContext:
    """For code under test, too: whom this machine trusts, ROOST_CA, and what `trust` was told."""
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
    """Raises what `http.client` and `socket` raise: a lost answer is for the test to see."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise NotThere(f"'{url}' is no address of a server; write it like http://127.0.0.1:4010")
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


#: What ends a call without an answer.
LOST = (OSError, HTTPException)
