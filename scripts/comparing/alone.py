"""Matching alone: what a matcher itself measures in one process, with its rules in memory."""

import json
import os

from comparing import note, protocol
from comparing.measure import Failed, TooSlow, Wrong, execute


def measure(setup, data, matchers, limit, out, kept):
    """Matching alone, with a known policy, and compiling, for matchers that measure it and whose partition is expected."""
    for matcher in matchers:
        if not matcher.alone:
            continue
        note(f"matching alone: {matcher.name}")
        for order in ("sorted", "shuffled"):
            what = {"record": "measurement", "table": "alone", "program": matcher.name, "title": matcher.title}
            what |= {"kind": "filter", "threads": 1, "list": order, "short": True, "round": 1}
            what |= {"lines": data.lines(base=True)} | setup.facts_of(matcher)
            kept.measured(what, lambda matcher=matcher, order=order: figures(setup, data, matcher, order, limit, out))


def figures(setup, data, matcher, order, limit, out):
    """What a record says of one matcher's own measurement."""
    load = os.getloadavg()[0]
    try:
        return {"outcome": "ok", "load": load} | one_alone(setup, data, matcher, order, limit, out)
    except TooSlow:
        return {"outcome": "too slow", "limit": limit, "load": load}
    except (Failed, Wrong, OSError, ValueError, KeyError) as error:
        return {"outcome": "failed", "problem": str(error), "load": load}


def one_alone(setup, data, matcher, order, limit, out):
    """One matcher's own measurement, whose number of allowed URLs must be that of its program on the same list."""
    listed = data.path(order, base=True)
    job = protocol.Job(setup.agent, setup.robots, listed, out, kept=data.work / f"{matcher.name}.kept")
    protocol.run(matcher, job, limit)
    counts = protocol.count(matcher, job)
    found = json.loads(execute(matcher.words(matcher.alone, **job.places()), limit, env=matcher.environment())[1])
    if "front" in found:
        # As in judging: the front, then a walk for the paths that pass.
        found["ns_per_url"] = found["front"]["ns_in_order_with_walks"]
    if (found["urls"], found["allowed"]) != (counts["lines"], counts["allowed"]):
        raise Wrong(
            f"alone it allows {found['allowed']} of {found['urls']}, in its program "
            f"{counts['allowed']} of {counts['lines']}"
        )
    return {"ns_per_url": float(found["ns_per_url"]), "compile_seconds": float(found["compile_seconds"])}
