"""What can go wrong, each said in words that tell what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types import Verified


class RoostError(Exception):
    """Any of them."""


class StartError(RoostError):
    """No server could be started, or none is named well."""


class NotThere(RoostError):
    """Nobody answers at the address."""


class AdminError(RoostError):
    """The server says no, in its own words."""

    def __init__(self, status: int, code: str, message: str, hint: str) -> None:
        super().__init__(f"{message} {hint}".strip() + f" ({status} {code})")
        self.status, self.code, self.message, self.hint = status, code, message, hint


class NotVerified(RoostError, AssertionError):
    """The requests did not come as they were to come; the text tells which came nearest and where they differ."""

    def __init__(self, verified: Verified, text: str) -> None:
        super().__init__(text)
        self.verified = verified
