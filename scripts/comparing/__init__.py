"""The parts of scripts/compare."""

import sys


def note(text):
    """Tell the user how far it is, beside the report."""
    print(text, file=sys.stderr, flush=True)
