"""The parts of scripts/compare."""

import sys


def note(text):
    """Print progress to standard error, apart from the report."""
    print(text, file=sys.stderr, flush=True)
