"""What happened in a world, in a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .journal import plain

if TYPE_CHECKING:
    from .types import Callback, CallbackWaited, Job, JournalLine
    from .world import World

#: Failures end at the line of the test: pytest shows no frame of this module.
__tracebackhide__ = True


def told(world: World, last: int) -> str:
    lines = world.journal.lines(last)
    out = [f"world {world.name} at {world.url}"]
    out.append("the last requests:" if lines else "no request came")
    out += [one(line) for line in lines]
    for fault in world.faults.all():
        if fault["hits"]:
            out.append(f"fault '{fault['name']}' met {fault['hits']} of {fault['seen']} requests that fitted")
    out += [job for job in map(undone, world.jobs()[:last]) if job]
    out += [owed(callback) for callback in world.callbacks()[:last] if callback["state"] != "delivered"]
    for stray in world.journal.unmatched()[-last:]:
        closest = " or ".join(f"{known['method']} {known['path']}" for known in stray["closest"])
        meant = f"; the closest is {closest}" if closest else ""
        out.append(f"nothing answers {stray['method']} {plain(stray['url'])}{meant}")
    return "\n".join(out)


def one(line: JournalLine) -> str:
    arrow = "->" if line["direction"] == "in" else "<-"
    told = f"  {line['seq']:>3} {arrow} {line['method']} {plain(line['url'])}: {line['status'] or 'no answer'}"
    if line["rule"]:
        meant = f", else {line['meant']['status']}" if line["meant"] else ""
        told += f" (fault '{line['rule']}'{meant})"
    # What a rule did is told by its name.
    if line["why"] and not line["rule"]:
        faults = [f"{fault['path']}: {fault['message']}" for fault in line["why"]["faults"][:3]]
        told += f" ({' '.join([line['why']['words'], *faults])})"
    return told


def undone(job: Job) -> str | None:
    if job["state"] == "done":
        return None
    waits = " and waits" if job["held"] or job["paused"] else ""
    return f"job {job['id']} has {job['done']} of {job['contacts']} contacts done{waits}"


def owed(callback: Callback) -> str:
    tries = [str(attempt["status"] or attempt["error"]) for attempt in callback["attempts"]]
    came = f", after {', '.join(tries)}" if tries else ""
    due = f" until {callback['next_at']}" if callback["next_at"] else ""
    state = callback["state"].replace("_", " ")
    return f"callback {callback['id']} of job {callback['job_id']} is {state}{due}{came}"


def unsettled(waited: CallbackWaited, timeout: float, now: str, correlation_id: str | None) -> str:
    """What was still going on when the time was up."""
    jobs, callbacks = waited["jobs_waiting"] + waited["jobs_held"], waited["waiting"]
    when = "and never will be by itself" if waited["stuck"] else f"within {timeout} s"
    out = [f"not settled {when}: jobs that wait {jobs}, callbacks that wait {callbacks}"]
    if correlation_id is not None and not (jobs or callbacks):
        out.append(f"  no job with the correlation id '{correlation_id}' came")
    out += [f"  {one['what']} {one['id']}: {one['reason']}" for one in waited["undone"] if one["what"] == "job"]
    out += [f"  {owed(callback)}" for callback in waited["open"]]
    if callbacks or jobs:
        out.append(f'  the world\'s clock shows {now}; world.advance("1h") does what becomes due in an hour of it')
    return "\n".join(out)
