"""A sample of what takes minutes and rarely fails: for each seed, other names are chosen."""

import hashlib
import os

SEED = "SAMPLE_SEED"


def sample(names, share):
    """One of `share` of these names, in their order, as the seed in the environment chooses; all of them if there is none.

    There is always one: nothing to choose from, or a name twice, is an error.
    """
    names = list(names)
    if not names or len(set(names)) != len(names):
        raise ValueError(f"no distinct names to choose from: {names}")
    seed = os.environ.get(SEED)
    if not seed:
        return names
    by_chance = sorted(names, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())
    chosen = set(by_chance[: -(-len(names) // share)])
    return [name for name in names if name in chosen]
