"""Reads the window as a screen reader does, through AT-SPI.

Usage: screen-reader.py tree    prints what the program exposes now, as JSON
       screen-reader.py listen  prints an empty object, then each object that gets the focus, each as a line of JSON
"""

from __future__ import annotations

import json
import sys
from typing import Any

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

PROGRAM = "roost-desktop"
FOCUS = "object:state-changed:focused"
EVENTS = (FOCUS, "object:active-descendant-changed")


def describe(one: Atspi.Accessible) -> dict[str, Any]:
    """Returns what a screen reader says about an object."""
    interfaces = one.get_interfaces()
    headings = Atspi.TableCell.get_column_header_cells(one) if "TableCell" in interfaces else []
    return {
        "role": one.get_role_name(),
        "name": one.get_name(),
        "text": Atspi.Text.get_text(one, 0, -1) if "Text" in interfaces else "",
        "states": [state.value_nick for state in one.get_state_set().get_states()],
        "attributes": one.get_attributes(),
        "headings": [heading.get_name() for heading in headings],
    }


def children_of(one: Atspi.Accessible) -> list[Atspi.Accessible]:
    children = [one.get_child_at_index(at) for at in range(one.get_child_count())]
    return [child for child in children if child is not None]


def read_tree(one: Atspi.Accessible) -> dict[str, Any]:
    return {**describe(one), "children": [read_tree(child) for child in children_of(one)]}


def print_line(value: object) -> None:
    print(json.dumps(value), flush=True)


def print_event(event: Atspi.Event) -> None:
    if event.type == FOCUS and event.detail1 == 0:
        return
    # The focused grid or list sends the event of its cell or option.
    about = event.any_data if isinstance(event.any_data, Atspi.Accessible) else event.source
    try:
        print_line(describe(about))
    except GLib.Error:
        # The object was removed meanwhile.
        pass


def main() -> None:
    if sys.argv[1:] == ["tree"]:
        programs = children_of(Atspi.get_desktop(0))
        print_line([read_tree(one) for one in programs if one.get_name() == PROGRAM])
    elif sys.argv[1:] == ["listen"]:
        listener = Atspi.EventListener.new(print_event)
        for event in EVENTS:
            listener.register(event)
        print_line({})
        Atspi.event_main()
    else:
        sys.exit(__doc__)


main()
