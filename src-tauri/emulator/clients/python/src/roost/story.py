"""What happened in a world, in a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .journal import plain

if TYPE_CHECKING:
    from .types import JournalLine
    from .world import World


def told(world: World, last: int) -> str:
    lines = world.journal.lines(last)
    out = [f"world {world.name} at {world.url}"]
    out.append("the last requests:" if lines else "no request came")
    out += [one(line) for line in lines]
    for fault in world.faults.all():
        if fault["hits"]:
            out.append(f"fault '{fault['name']}' met {fault['hits']} of {fault['seen']} requests that fitted")
    for stray in world.journal.unmatched()[-last:]:
        closest = stray["closest"]
        meant = f"; the closest is {closest['method']} {closest['path']}" if closest else ""
        out.append(f"nothing answers {stray['method']} {plain(stray['url'])}{meant}")
    return "\n".join(out)


def one(line: JournalLine) -> str:
    arrow = "->" if line["direction"] == "in" else "<-"
    told = f"  {line['seq']:>3} {arrow} {line['method']} {plain(line['url'])}: {line['status'] or 'no answer'}"
    if line["rule"]:
        meant = f", else {line['meant']['status']}" if line["meant"] else ""
        told += f" (fault '{line['rule']}'{meant})"
    if line["why"]:
        faults = [f"{fault['path']}: {fault['message']}" for fault in line["why"]["faults"][:3]]
        told += f" ({' '.join([line['why']['words'], *faults])})"
    return told
