"""The errors and warnings of this package. Each message says what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types import SettleResult, Verified


class RoostError(Exception):
    """Base class of all errors of this package."""


class RoostWarning(UserWarning):
    """The server accepted a change of which a part has no effect at the moment."""


class StartError(RoostError):
    """No server could be started, or the environment does not name one correctly."""


class NotThere(RoostError):
    """No server answers at the address."""


class AdminError(RoostError):
    """The server refused a request. The message has the request and the server's error."""

    def __init__(self, asked: str, status: int, code: str, message: str, hint: str) -> None:
        super().__init__(f"{asked}: {message} {hint}".strip() + f" ({status} {code})")
        self.status, self.code, self.message, self.hint = status, code, message, hint


class NotSettled(RoostError, AssertionError):
    """Jobs or callbacks did not finish in time, or a receiver got fewer calls than expected."""

    def __init__(self, text: str, waited: SettleResult | None = None) -> None:
        super().__init__(text)
        self.waited = waited


class NotVerified(RoostError, AssertionError):
    """The expected requests did not arrive. The message shows the nearest ones and their differences."""

    def __init__(self, verified: Verified, text: str) -> None:
        super().__init__(text)
        self.verified = verified
