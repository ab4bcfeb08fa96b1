"""The median of some rounds, and how sure it is."""

import math
import statistics
from dataclasses import dataclass

#: The confidence that is asked for.
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A median, and an interval that holds the true one with the given confidence."""

    median: float
    low: float
    high: float
    confidence: float


def coverage(count, left_out):
    """The chance that the median lies within the values, without `left_out` of them at either end.

    It needs no shape of the distribution: each value is below the true median with a chance of one half.
    """
    return 1 - 2 * sum(math.comb(count, at) for at in range(left_out + 1)) / 2**count


def of(values):
    """The narrowest interval between two of the values that reaches the confidence; else all of them, with less."""
    ordered = sorted(values)
    left_out = 0
    while 2 * (left_out + 2) <= len(ordered) and coverage(len(ordered), left_out + 1) >= CONFIDENCE:
        left_out += 1
    low, high = ordered[left_out], ordered[len(ordered) - 1 - left_out]
    return Interval(statistics.median(ordered), low, high, coverage(len(ordered), left_out))
