"""Matching alone: what a matcher itself measures in one process, with its rules in memory."""

import json

from comparing import note, protocol
from comparing.measure import Failed, TooSlow, Wrong, execute


def alone(setup, data, matchers, limit, out):
    """Matching alone, with a known policy, and compiling, for matchers that measure it: {title: figures or error}."""
    found = {}
    for matcher in matchers:
        if not matcher.alone:
            continue
        note(f"matching alone: {matcher.name}")
        try:
            found[matcher.title] = {
                order: one_alone(setup, data, matcher, order, limit, out) for order in ("sorted", "shuffled")
            }
        except TooSlow:
            found[matcher.title] = {"failed": f"over {limit:.0f} s"}
        except (Failed, Wrong, OSError, ValueError, KeyError) as error:
            found[matcher.title] = {"failed": str(error)}
    return found


def one_alone(setup, data, matcher, order, limit, out):
    """One matcher's own measurement, whose number of allowed URLs must be that of its program on the same list."""
    listed = data.path(order, base=True)
    job = protocol.Job(setup.agent, setup.robots, listed, out, kept=data.work / f"{matcher.name}.kept")
    protocol.run(matcher, job, limit)
    counts = protocol.count(matcher, job)
    figures = json.loads(execute(matcher.words(matcher.alone, **job.places()), limit, env=matcher.environment())[1])
    if "front" in figures:
        # As in judging: the front, then a walk for the paths that pass.
        figures["ns_per_url"] = figures["front"]["ns_in_order_with_walks"]
    if (figures["urls"], figures["allowed"]) != (counts["lines"], counts["allowed"]):
        raise Wrong(
            f"alone it allows {figures['allowed']} of {figures['urls']}, in its program "
            f"{counts['allowed']} of {counts['lines']}"
        )
    return figures
