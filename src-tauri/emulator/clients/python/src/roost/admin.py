"""The admin interface of a server or of one world: every route, by its path."""

from __future__ import annotations

import warnings
from typing import Any
from urllib.parse import quote, urlencode

from .errors import AdminError, NotThere, RoostWarning
from .line import LOST, PATIENCE, Answer, send

#: A failed test shows its own lines, not those of this module.
__tracebackhide__ = True

#: The prefix of these routes in the documentation.
ADMIN = "/__admin"


#: Signs of a path that are sent unchanged.
URL_SIGNS = "/%:@!$&'()*+,;="


class Admin:
    """`get`, `post`, `put`, `patch` and `delete` take a path such as "/faults/rules" and return the response's JSON.

    A path as in the documentation, "/__admin/faults/rules", works too. Keyword arguments become the query:
    `world.admin.get("/callbacks", state="held")`. A list is sent as values separated by commas.
    """

    def __init__(self, url: str, token: str) -> None:
        self.url = url.rstrip("/")
        self.token = token

    def get(self, path: str, **query: Any) -> Any:
        return self.call("GET", path, None, query)

    def post(self, path: str, json: Any = None, **query: Any) -> Any:
        return self.call("POST", path, json, query)

    def put(self, path: str, json: Any = None, **query: Any) -> Any:
        return self.call("PUT", path, json, query)

    def patch(self, path: str, json: Any = None, **query: Any) -> Any:
        return self.call("PATCH", path, json, query)

    def delete(self, path: str, **query: Any) -> Any:
        return self.call("DELETE", path, None, query)

    def call(self, method: str, path: str, json: Any, query: dict[str, Any], wait: float = 0) -> Any:
        """Return the response's JSON, or its text if it is not JSON. `wait`: how long the server itself may wait."""
        return told(self.ask(method, path, json, query, wait))

    def ask(self, method: str, path: str, json: Any, query: dict[str, Any], wait: float = 0) -> Answer:
        """Return the response with its status. Raise AdminError if the server refuses the request."""
        asked = {name: written(value) for name, value in query.items() if value is not None}
        place = "/" + path.removeprefix(ADMIN).lstrip("/")
        # A name that is not valid reaches the server, which says so.
        url = f"{self.url}{quote(place, safe=URL_SIGNS)}" + (f"?{urlencode(asked)}" if asked else "")
        try:
            answer = send(method, url, json, {"authorization": f"Bearer {self.token}"}, PATIENCE + wait)
        except LOST as why:
            raise NotThere(f"{self.url} does not answer: {why or type(why).__name__}. Is roost serve running?") from why
        if answer.status >= 400:
            refuse(url, f"{method} {place}", answer)
        if idle := answer.headers.get("x-roost-warning"):
            warnings.warn(f"{method} {place}: {idle}", RoostWarning, stacklevel=4)
        return answer


def to_milliseconds(seconds: float) -> str:
    """Write seconds as a duration of the admin interface."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise TypeError(f"expected a number of seconds, got {seconds!r}")
    return f"{round(seconds * 1_000)}ms"


def written(value: Any) -> str:
    """Format a query value."""
    if isinstance(value, (list, tuple, set, frozenset)):
        return ",".join(written(one) for one in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def told(answer: Answer) -> Any:
    if not answer.body:
        return None
    return answer.json() if "json" in answer.headers.get("content-type", "") else answer.text


def refuse(url: str, asked: str, answer: Answer) -> None:
    """Raise the server's error, if the response is one."""
    try:
        error = answer.json()["error"]
        pointer = f"{error['pointer']}: " if error.get("pointer") else ""
        why = AdminError(asked, answer.status, error["code"], pointer + error["message"], error.get("hint") or "")
    except (ValueError, LookupError, TypeError):
        if answer.status == 406:
            # A normal response: the condition does not hold.
            return
        raise NotThere(f"there is no Roost server at {url} (status {answer.status})") from None
    raise why
