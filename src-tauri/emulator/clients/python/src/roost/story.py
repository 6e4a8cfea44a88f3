"""A summary of what happened in a world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .journal import plain

if TYPE_CHECKING:
    from .types import Callback, Fault, SettleResult, Job, JournalLine
    from .world import World

#: Failures end at the line of the test: pytest shows no frame of this module.
__tracebackhide__ = True


#: In the hint for what waits for a frozen clock.
CLOCK = "/clock/advance"


def told(world: World, last: int) -> str:
    lines = world.journal.lines(last)
    out = [f"world {world.name} at {world.url}"]
    out.append("the last requests (-> to the service, <- from it):" if lines else "no requests")
    out += [one(line) for line in lines]
    for fault in world.faults.all():
        if fault["hits"]:
            out.append(f"fault '{fault['name']}' fired on {fault['hits']} of {fault['seen']} matching requests")
        elif fault["source"] == "rule":
            out.append(never(fault))
    out += [job for job in map(undone, world.jobs()[:last]) if job]
    out += [owed(callback) for callback in world.callbacks()[:last] if callback["state"] != "delivered"]
    for stray in world.journal.unmatched()[-last:]:
        if not stray["closest"]:
            out.append(f"unmatched: {stray['method']} {plain(stray['url'])}: {stray['why']}")
            continue
        closest = " or ".join(f"{known['method']} {known['path']}" for known in stray["closest"])
        out.append(f"unmatched: {stray['method']} {plain(stray['url'])}. Did you mean {closest}?")
    return "\n".join(out)


def never(fault: Fault) -> str:
    seen = f"although {fault['seen']} requests matched" if fault["seen"] else "because no request matched"
    return f"fault '{fault['name']}' never fired: {fault['warning'] or seen}"


def one(line: JournalLine) -> str:
    arrow = "->" if line["direction"] == "in" else "<-"
    told = f"  {line['seq']:>3} {arrow} {line['method']} {plain(line['url'])}: {line['status'] or 'no response'}"
    if line["rule"]:
        meant = f", otherwise {line['meant']['status']}" if line["meant"] else ""
        told += f" (fault '{line['rule']}'{meant})"
    # The rule's name says enough.
    if line["why"] and not line["rule"]:
        faults = [f"{fault['path']}: {fault['message']}" for fault in line["why"]["faults"][:3]]
        told += f" ({' '.join([line['why']['words'], *faults])})"
    return told


def undone(job: Job) -> str | None:
    if job["state"] == "done":
        return None
    waits = " and is waiting" if job["held"] or job["paused"] else ""
    return f"job {job['id']} has {job['done']} of {job['contacts']} contacts done{waits}"


def owed(callback: Callback) -> str:
    tries = [str(attempt["status"] or attempt["error"]) for attempt in callback["attempts"]]
    came = f", after {', '.join(tries)}" if tries else ""
    due = f" until {callback['next_at']}" if callback["next_at"] else ""
    state = callback["state"].replace("_", " ")
    return f"callback {callback['id']} of job {callback['job_id']} is {state}{due}{came}"


def unsettled(waited: SettleResult, timeout: float, now: str) -> str:
    """What was not done when the time was up."""
    jobs, callbacks = waited["jobs_waiting"] + waited["jobs_held"], waited["waiting"]
    when = "and waiting cannot help" if waited["stuck"] else f"within {timeout} s"
    out = [f"not settled {when}: jobs waiting: {jobs}, callbacks waiting: {callbacks}"]
    out += [f"  {one['what']} {one['id']}: {one['reason']}" for one in waited["undone"] if one["what"] == "job"]
    out += [f"  {owed(callback)}" for callback in waited["open"]]
    hints = list(dict.fromkeys(one["hint"] for one in waited["undone"] if one["hint"]))
    out += [f"  {hint}" for hint in hints if CLOCK not in hint]
    # Whatever else is undone continues by itself, or when the clock gets there.
    if any(CLOCK in hint for hint in hints):
        out.append(f'  the world\'s clock shows {now}; world.advance("1h") runs what becomes due within an hour')
    return "\n".join(out)
