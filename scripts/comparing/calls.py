"""The cost of a call: what a matcher measures in one process, from the URL to its verdict, by its public calls."""

import json
import os

from comparing import note, protocol
from comparing.measure import Failed, TooSlow, Wrong, execute

#: What a matcher prints: nanoseconds a URL, one at a time, and the seconds that parsing all files takes.
FIGURES = ("ns_one", "parse_seconds")
#: What it may print: nanoseconds a URL with many in a call; percentiles of single calls; what reading the clock takes.
OPTIONAL = ("ns_many", "ns_p50", "ns_p99", "ns_p999", "ns_clock")


def measure(setup, data, matchers, orders, predicted, limit, out, kept):
    """The cost of a call of matchers that measure it; `predicted` is what a matcher's partition of a list must be."""
    for matcher in matchers:
        if not matcher.calls:
            continue
        note(f"calls: {matcher.name}")
        for order in orders:
            what = {"record": "measurement", "table": "calls", "program": matcher.name, "title": matcher.title}
            what |= {"kind": "filter", "threads": 1, "list": order, "short": True, "round": 1}
            what |= {"lines": data.lines(base=True)} | setup.facts_of(matcher)
            what["wrong"] = setup.wrong[matcher.name]
            listed = data.path(order, base=True)
            job = protocol.Job(setup.agent, setup.robots, listed, out, kept=data.work / f"{matcher.name}.kept")
            kept.measured(
                what, lambda matcher=matcher, job=job: figures(matcher, job, limit, predicted(matcher, job.listed))
            )


def figures(matcher, job, limit, partition):
    """What a record says of one matcher's own measurement, which must have the counts of its partition."""
    load = os.getloadavg()[0]
    try:
        return {"outcome": "ok", "load": load} | by_itself(matcher, job, limit, partition)
    except TooSlow:
        return {"outcome": "too slow", "limit": limit, "load": load}
    except (Failed, Wrong, OSError, ValueError, KeyError) as error:
        return {"outcome": "failed", "problem": str(error), "load": load}


def by_itself(matcher, job, limit, partition):
    """One matcher's own measurement, which must allow as many URLs as its program does on the same list."""
    found = json.loads(execute(matcher.words(matcher.calls, **job.places()), limit, env=matcher.environment())[1])
    lines = partition.allowed + partition.blocked
    if (found["urls"], found["allowed"]) != (lines, partition.allowed):
        raise Wrong(
            f"by calls it allows {found['allowed']} of {found['urls']}, in its program {partition.allowed} of {lines}"
        )
    return {name: float(found[name]) for name in (*FIGURES, *OPTIONAL) if name in found or name in FIGURES}
