"""The operator's side of a server or of one world: a thin way to every route of it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from .errors import AdminError, NotThere
from .line import LOST, PATIENCE, Answer, send

#: Failures end at the line of the test: pytest shows no frame of this module.
__tracebackhide__ = True

#: What the documents begin the paths of these routes with.
ADMIN = "/__admin"


class Admin:
    """`get`, `post`, `put`, `patch` and `delete` take a path such as "/faults/rules" and answer its JSON.

    The path may also stand as the documents have it, "/__admin/faults/rules". Further words are the query:
    `world.admin.get("/callbacks", state="held")`; a list is sent with commas between.
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
        """The answer's JSON, or its text where it is none; `wait` is what the server may wait by itself."""
        return told(self.ask(method, path, json, query, wait))

    def ask(self, method: str, path: str, json: Any, query: dict[str, Any], wait: float = 0) -> Answer:
        """The answer with its status; what the server refuses is raised."""
        asked = {name: written(value) for name, value in query.items() if value is not None}
        place = "/" + path.removeprefix(ADMIN).lstrip("/")
        url = f"{self.url}{place}" + (f"?{urlencode(asked)}" if asked else "")
        try:
            answer = send(method, url, json, {"authorization": f"Bearer {self.token}"}, PATIENCE + wait)
        except LOST as why:
            raise NotThere(f"{self.url} does not answer: {why or type(why).__name__}; is roost serve running?") from why
        if answer.status >= 400:
            refuse(url, f"{method} {place}", answer)
        return answer


def written(value: Any) -> str:
    """As the routes read it."""
    if isinstance(value, (list, tuple, set, frozenset)):
        return ",".join(written(one) for one in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def told(answer: Answer) -> Any:
    if not answer.body:
        return None
    return answer.json() if "json" in answer.headers.get("content-type", "") else answer.text


def refuse(url: str, asked: str, answer: Answer) -> None:
    """Raises what the server says, where it is one of its own errors."""
    try:
        error = answer.json()["error"]
        why = AdminError(asked, answer.status, error["code"], error["message"], error.get("hint") or "")
    except (ValueError, LookupError, TypeError):
        if answer.status == 406:
            # An answer by itself: what was asked is not so.
            return
        raise NotThere(f"what answers at {url} is no Roost (status {answer.status})") from None
    raise why
