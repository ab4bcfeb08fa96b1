"""A kind of case: a topic, a name, the sentence that decides it, and a function that makes examples."""

from collections.abc import Callable
from dataclasses import dataclass

#: The product tokens that cases ask for: a letter case, an underscore and a hyphen.
AGENTS = ("ExampleBot", "Example_Bot", "example-bot")
BOT = AGENTS[0]
#: All kinds in the order of their definition.
KINDS = []


class Words:
    """Made-up words for paths, from a generator of its own: the same with every version of Python."""

    SYLLABLES = (
        "ba",
        "cor",
        "del",
        "fi",
        "gan",
        "hol",
        "ki",
        "lum",
        "mo",
        "nex",
        "or",
        "pel",
        "qui",
        "ras",
        "tu",
        "vi",
    )

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        """A number below the limit (a linear congruential generator; its upper bits)."""
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % limit

    def pick(self, values):
        """One of several values."""
        return values[self.below(len(values))]

    def word(self):
        """A word of two or three syllables."""
        return "".join(self.pick(self.SYLLABLES) for _ in range(2 + self.below(2)))

    def several(self, count):
        """Different words, none of which begins another."""
        found = []
        while len(found) < count:
            word = self.word()
            if not any(word.startswith(other) or other.startswith(word) for other in found):
                found.append(word)
        return found


@dataclass(frozen=True)
class Kind:
    """What all cases of a kind have in common."""

    topic: str
    name: str
    document: str
    section: str
    sentence: str
    why: str
    make: Callable  # (Words) -> yields (robots, agent, path or URL, whether allowed)


def kind(topic, source, sentence, why, times=1):
    """Register a function that makes cases; `source` is a section of RFC 9309, or a document and a section."""
    document, section = source if isinstance(source, tuple) else ("RFC 9309", source)

    def register(make):
        def repeated(words):
            for _ in range(times):
                yield from make(words)

        name = make.__name__.replace("_", "-")
        KINDS.append(Kind(topic, name, document, section, sentence, why, repeated))
        return make

    return register


def group(agents, *rules):
    """The text of a group: agents separated by blanks, rules such as `-/private` and `+/private/open`."""
    lines = [f"User-agent: {agent}" for agent in agents.split()]
    lines += [("Disallow: " if rule[0] == "-" else "Allow: ") + rule[1:] for rule in rules]
    return "\n".join(lines) + "\n"


def file(*groups):
    """The text of a file: groups with an empty line between."""
    return "\n".join(groups)
