"""What can go wrong, each said in words that tell what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types import CallbackWaited, Verified


class RoostError(Exception):
    """Any of them."""


class StartError(RoostError):
    """No server could be started, or none is named well."""


class NotThere(RoostError):
    """Nobody answers at the address."""


class AdminError(RoostError):
    """The server says no, in its own words, behind what it was asked."""

    def __init__(self, asked: str, status: int, code: str, message: str, hint: str) -> None:
        super().__init__(f"{asked}: {message} {hint}".strip() + f" ({status} {code})")
        self.status, self.code, self.message, self.hint = status, code, message, hint


class NotSettled(RoostError, AssertionError):
    """Jobs or callbacks were not done in time, or less came to a receiver than was to come."""

    def __init__(self, text: str, waited: CallbackWaited | None = None) -> None:
        super().__init__(text)
        self.waited = waited


class NotVerified(RoostError, AssertionError):
    """The requests did not come as they were to come; the text tells which came nearest and where they differ."""

    def __init__(self, verified: Verified, text: str) -> None:
        super().__init__(text)
        self.verified = verified
