"""What a case rests on: how binding the sentence is that decides it, and whether another reading can be defended.

`MUST`, `SHOULD` and `MAY` are the words of RFC 9309, in capitals (RFC 8174). Many sentences have no such word: a
requirement makes some of them binding, which REQUIRED names; the others are only `stated`. Where no sentence decides,
the RFC is silent.
"""

GRAMMAR = '2.3.1.5: "Crawlers MUST use the parseable rules", and the grammar says which these are'
GROUP = '2.2.1: crawlers MUST "obey the rules of the group", and this says what a group is'
CHARACTERS = '2.2.3: "Crawlers MUST support the following special characters"'
MATCHING = '2.2.2: "a crawler MUST match the paths [...] against the URI", and this says what a match is'

#: The beginnings of sentences without a word in capitals, and what makes them binding.
REQUIRED = {
    "NL = ": GRAMMAR,
    "rule = ": GRAMMAR,
    "startgroupline = ": GRAMMAR,
    "path-pattern = ": GRAMMAR,
    "empty-pattern = ": GRAMMAR,
    "EOL = ": GRAMMAR,
    "*(startgroupline / emptyline)": GRAMMAR,
    "One or more user-agent lines": GROUP,
    "* Designates": CHARACTERS,
    "$ Designates": CHARACTERS,
    "# Designates": CHARACTERS,
    "The match evaluates positively": MATCHING,
}
#: Kinds that no sentence of RFC 9309 decides: the one they cite is the nearest.
SILENT = {"byte-order-mark"}
#: Kinds of which another reading can be defended, and which one.
OPEN = {
    "byte-order-mark": "no sentence of RFC 9309 names byte order marks, and RFC 3629, 6, leaves them to each protocol: "
    "the mark may be part of the first line, which is then no record",
    "star-first": 'the grammar (2.2) lets a path begin with "/" only, and the example in 5.1 begins with a star',
    "rule-without-slash": "such a line does not parse, and the RFC does not say what becomes of such lines",
}
#: Kinds about the way from a URL to a path, which is its caller's where a matcher takes paths.
CALLER = {
    "fragment",
    "default-port",
    "user-information",
    "host-in-upper-case",
    "scheme-in-upper-case",
    "no-path",
    "dot-segments",
}


def level_of(kind):
    """What the cases of a kind rest on."""
    if kind.name in SILENT:
        return "silence"
    if kind.document != "RFC 9309":
        return kind.document
    for word in ("MUST", "SHOULD", "MAY"):
        if word in kind.sentence.split():
            return word
    return "MUST" if any(kind.sentence.startswith(start) for start in REQUIRED) else "stated"


def fields_of(kind):
    """What a record says of it."""
    fields = {"level": level_of(kind)}
    if kind.name in OPEN:
        fields["open"] = OPEN[kind.name]
    if kind.name in CALLER:
        fields["caller"] = True
    return fields
