"""A newsletter's side of the messaging account: lists, imports, opt-outs, short links. It knows nothing of Roost."""

from __future__ import annotations

import json
import ssl
import time
import uuid
from collections.abc import Callable, Iterable
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

Found = Callable[[], Any]


class Refused(Exception):
    """The service said no, or nothing at all however often it was asked."""


class Newsletter:
    def __init__(
        self,
        url: str,
        key: str,
        *,
        tries: int = 4,
        sleep: Callable[[float], None] = time.sleep,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self.url, self.key, self.tries, self.sleep, self.trust = url, key, tries, sleep, trust

    def list_of(self, name: str) -> str:
        """The uid of the list with this name, which is made where there is none."""

        def found() -> str | None:
            # `name` looks for a part of it, in any case.
            page = self.call("GET", "/contacts/v1/lists/", name=name, page_size=100)
            return next((each["uid"] for each in page["items"] if each["name"] == name), None)

        def make() -> Any:
            return self.call("POST", "/contacts/v1/lists/create", {"name": name}, found=found)

        made = found() or make()
        return str(made if isinstance(made, str) else made["uid"])

    def take_up(self, list_uid: str, contacts: Iterable[dict[str, str]], told_at: str, *, batch: int = 1000) -> set[str]:
        """Sends contacts in batches, of whose end the service tells; answers the ids by which it will."""
        rows, ids = list(contacts), set()
        for start in range(0, len(rows), batch):
            job = {
                "list_id": list_uid,
                # Sent twice, they are merged with themselves.
                "merge_type": "mergeByPhoneNumberInList",
                "correlation_id": uuid.uuid4().hex,
                "callback_url": told_at,
                "contacts": rows[start : start + batch],
            }
            self.call("POST", "/contacts/v1/contacts", job)
            ids.add(str(job["correlation_id"]))
        return ids

    def unsubscribe(self, number: str) -> None:
        told = self.call("POST", "/contacts/v1/optouts", {"optouts": [{"number": number, "channel": "SMS"}]})
        if told["total_failed"]:
            raise Refused(told["items"][0]["message"])

    def link(self, campaign: str, target: str) -> str:
        """The short link of a campaign, by whose tag it is found again."""

        def found() -> Any:
            wanted = {"filter": {"tags": [campaign]}}
            return next(iter(self.call("POST", "/assets/v1/shortlink/filter", wanted)["items"]), None)

        wish = {"title": campaign, "target_url": target, "tags": [campaign]}
        return str((found() or self.call("POST", "/assets/v1/shortlink", wish, found=found))["short_link_url"])

    def may_send_as(self, name: str) -> bool:
        senders = self.call("GET", "/assets/v1/senders/", page_size=100)["items"]
        return any(sender["name"] == name and sender["status"] == "Verified" for sender in senders)

    def call(self, method: str, path: str, body: Any = None, *, found: Found | None = None, **query: Any) -> Any:
        """Tries again after 429, 5xx and lost answers; `found` looks first whether the try before was done after all."""
        headers = {"X-AUTH-KEY": self.key, "Content-Type": "application/json"}
        sent = None if body is None else json.dumps(body).encode()
        address = f"{self.url}{path}" + (f"?{urlencode(query)}" if query else "")
        why = ""
        for number in range(self.tries):
            if number and found and (done := found()):
                return done
            wait = 0.05 * 2**number
            try:
                with urlopen(Request(address, sent, headers, method=method), timeout=10, context=self.trust) as answer:
                    return json.loads(answer.read() or b"null")
            except HTTPError as error:
                why = f"{error.code} {error.read().decode()}"
                if error.code != 429 and error.code < 500:
                    break
                wait = float(error.headers.get("Retry-After", wait))
            except (OSError, HTTPException) as error:
                why = str(error)
            self.sleep(wait)
        raise Refused(f"{method} {path}: {why}")
