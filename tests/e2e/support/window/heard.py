"""Prints what a screen reader would say of every program on the bus, one JSON object a line.

Orca (47 to 51) reads an object that gets the focus, text that AT-SPI reports as inserted into a live region, and what a
program announces. It ignores new children of a live region.
"""

from __future__ import annotations

import json
from typing import Any

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

EVENTS = (
    "object:state-changed:focused",
    "object:active-descendant-changed",
    "object:text-changed:insert",
    "object:announcement",
)


def main() -> None:
    listener = Atspi.EventListener.new(on_event)
    for event in EVENTS:
        listener.register(event)
    say("ready")
    Atspi.event_main()


def on_event(event: Any) -> None:
    try:
        if event.type.startswith("object:state-changed:focused"):
            if event.detail1:
                say("focused", read_focused(event.source))
        elif event.type.startswith("object:active-descendant-changed"):
            say("focused", read_focused(event.any_data))
        elif event.type.startswith("object:announcement") or is_live(event.source):
            say("announced", event.any_data)
    except GLib.Error:
        # The object was removed meanwhile; a screen reader does not say it either.
        pass


def say(kind: str, text: str = "") -> None:
    print(json.dumps({"kind": kind, "text": text}), flush=True)


def is_live(accessible: Any) -> bool:
    attributes = accessible.get_attributes() or {}
    return attributes.get("container-live") in ("polite", "assertive")


def read_focused(accessible: Any) -> str:
    """Reads the object and, as a screen reader does, what it is in: WebKitGTK reports only what was once asked for."""
    around = accessible.get_parent()
    while around is not None:
        around = around.get_parent()
    content = Atspi.Text.get_text(accessible, 0, -1) if "Text" in accessible.get_interfaces() else ""
    return f"{accessible.get_name()} {content}".strip()


if __name__ == "__main__":
    main()
