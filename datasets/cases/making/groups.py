"""Topics: which groups apply, and how several are combined (RFC 9309, 2.2.1)."""

from .kind import AGENTS, BOT, file, group, kind

FIND = (
    "Crawlers MUST use case-insensitive matching to find the group that matches the product token and "
    "then obey the rules of the group."
)
STAR = (
    'If no matching group exists, crawlers MUST obey the group with a user-agent line with the "*" value, if present.'
)
NONE = (
    'If no group matches the product token and there is no group with a user-agent line with the "*" value, '
    "or no groups are present at all, no rules apply."
)
COMBINE = (
    "If there is more than one group matching the user-agent, the matching groups' rules MUST be "
    "combined into one group"
)
LAST = "The last group may have no rules, which means it implicitly allows everything."
SEVERAL = "One or more user-agent lines that are followed by one or more rules."
OUTSIDE = 'The crawler SHOULD ignore "disallow" and "allow" rules that are not in any group'


def variants(agent):
    """A product token in other letter cases."""
    return [agent.lower(), agent.upper(), agent.swapcase()]


@kind("groups", "2.2.1", FIND, "a group of its own is obeyed instead of the group of *", times=5)
def own_group_instead_of_star(words):
    for agent in AGENTS:
        own, other = words.several(2)
        parts = [group("*", f"-/{other}"), group(agent, f"-/{own}")]
        for robots in (file(*parts), file(*reversed(parts))):
            yield robots, agent, f"/{own}/page", False
            yield robots, agent, f"/{other}/page", True


@kind("groups", "2.2.1", STAR, "no group names the crawler, so the group of * is obeyed", times=5)
def star_without_own_group(words):
    for agent in AGENTS:
        star, other = words.several(2)
        parts = [group("OtherBot", f"-/{other}"), group("*", f"-/{star}")]
        for robots in (file(*parts), file(*reversed(parts))):
            yield robots, agent, f"/{star}/page", False
            yield robots, agent, f"/{other}/page", True


@kind("groups", "2.2.1", NONE, "the only group names another crawler", times=4)
def no_group_applies(words):
    for agent in AGENTS:
        path = words.word()
        for rule in (f"-/{path}", "-/"):
            yield group("OtherBot", rule), agent, f"/{path}", True


@kind("groups", "2.2.1", NONE, "there is no group at all")
def no_groups(_words):
    for robots in ("", "\n", "\n\n\n", "# nothing here\n", "Sitemap: https://example.com/sitemap.xml\n"):
        for agent in AGENTS:
            yield robots, agent, "/page", True


@kind("groups", "2.2.1", FIND, "the letter case of the token in the file does not matter", times=3)
def token_in_another_case(words):
    for agent in AGENTS:
        own, star = words.several(2)
        for token in variants(agent):
            robots = file(group("*", f"-/{star}"), group(token, f"-/{own}"))
            yield robots, agent, f"/{own}", False
            yield robots, agent, f"/{star}", True


@kind("groups", "2.2.1", FIND, "the beginning of the token is another token", times=4)
def token_is_no_prefix(words):
    for agent, short in (("ExampleBot", "Example"), ("Example_Bot", "Example"), ("example-bot", "example")):
        own, star = words.several(2)
        robots = file(group(short, f"-/{own}"), group("*", f"-/{star}"))
        yield robots, agent, f"/{own}", True
        yield robots, agent, f"/{star}", False
        yield group(short, "-/"), agent, f"/{own}", True


@kind("groups", "2.2.1", FIND, "a token that goes on is another token", times=4)
def token_goes_on(words):
    for agent, token in (
        ("ExampleBot", "ExampleBotNews"),
        ("Example_Bot", "Example_Bot_x"),
        ("example-bot", "example-bot-x"),
    ):
        own, star = words.several(2)
        robots = file(group(token, f"-/{own}"), group("*", f"-/{star}"))
        yield robots, agent, f"/{own}", True
        yield robots, agent, f"/{star}", False
        yield group(token, "-/"), agent, f"/{own}", True


@kind("groups", "2.2.1", FIND, "the end of the token is another token", times=4)
def token_is_no_suffix(words):
    for agent, short in (("ExampleBot", "Bot"), ("Example_Bot", "Bot"), ("example-bot", "bot")):
        own, star = words.several(2)
        robots = file(group(short, f"-/{own}"), group("*", f"-/{star}"))
        yield robots, agent, f"/{own}", True
        yield robots, agent, f"/{star}", False


@kind("groups", "2.1", SEVERAL, "several user-agent lines share the rules below them", times=4)
def several_agents_share_rules(words):
    for agent in AGENTS:
        path, star = words.several(2)
        for agents in (f"OtherBot {agent}", f"{agent} OtherBot", f"* {agent}", f"One Two {agent} Three"):
            robots = group(agents, f"-/{path}")
            yield robots, agent, f"/{path}/a", False
            yield robots, agent, f"/{star}", True
        robots = file(group(f"OtherBot {agent}", f"-/{path}"), group("*", f"-/{star}"))
        yield robots, agent, f"/{path}", False
        yield robots, agent, f"/{star}", True


@kind(
    "groups",
    "2.1",
    LAST,
    "a group of its own without rules, at the end of the file, allows what the group of * blocks",
    times=3,
)
def last_group_without_rules(words):
    for agent in AGENTS:
        path = words.word()
        robots = file(group("*", "-/"), group(agent))
        yield robots, agent, f"/{path}", True
        yield robots, agent, "/", True
        yield robots.rstrip("\n"), agent, f"/{path}", True


@kind("groups", "2.2.1", FIND, "a group of its own whose only rule is empty allows what the group of * blocks", times=3)
def own_group_with_an_empty_rule(words):
    for agent in AGENTS:
        path = words.word()
        parts = [group("*", "-/"), group(agent, "-")]
        for robots in (file(*parts), file(*reversed(parts))):
            yield robots, agent, f"/{path}", True


@kind("groups", "2.2.1", FIND, "the rules of * do not add to those of a group of its own", times=4)
def star_is_not_inherited(words):
    for agent in AGENTS:
        own, star = words.several(2)
        robots = file(group("*", f"-/{star}", f"-/{own}/open/x"), group(agent, f"-/{own}", f"+/{own}/open"))
        yield robots, agent, f"/{star}", True
        yield robots, agent, f"/{own}/open/x", True
        yield robots, agent, f"/{own}/shut", False


@kind("groups", "2.2.2", OUTSIDE, "rules before the first user-agent line are in no group", times=5)
def rules_before_the_first_group(words):
    first, second = words.several(2)
    for agent in AGENTS:
        for token in ("*", agent):
            robots = f"Disallow: /{first}\nAllow: /{second}/open\n" + group(token, f"-/{second}")
            yield robots, agent, f"/{first}", True
            yield robots, agent, f"/{second}/open", False
    yield f"Disallow: /{first}\n", BOT, f"/{first}", True


@kind("merging", "2.2.1", COMBINE, "two groups for one token are one", times=6)
def two_groups(words):
    for agent in AGENTS:
        first, second, third = words.several(3)
        robots = file(group(agent, f"-/{first}"), group(agent, f"-/{second}"))
        yield robots, agent, f"/{first}/a", False
        yield robots, agent, f"/{second}/a", False
        yield robots, agent, f"/{third}/a", True


@kind("merging", "2.2.1", COMBINE, "two groups for one token are one, with another crawler's between", times=6)
def groups_apart(words):
    for agent in AGENTS:
        first, second, other = words.several(3)
        robots = file(group(agent, f"-/{first}"), group("OtherBot", f"-/{other}"), group(agent, f"-/{second}"))
        yield robots, agent, f"/{first}", False
        yield robots, agent, f"/{second}", False
        yield robots, agent, f"/{other}", True


@kind("merging", "2.2.1", COMBINE, "the longest match is looked for in all groups of the token", times=6)
def longest_of_all_groups(words):
    for agent in AGENTS:
        first, second = words.several(2)
        parts = [group(agent, f"-/{first}"), group(agent, f"+/{first}/{second}")]
        for robots in (file(*parts), file(*reversed(parts))):
            yield robots, agent, f"/{first}/{second}/x", True
            yield robots, agent, f"/{first}/x", False


@kind("merging", "2.2.1", COMBINE, "two groups of * are one", times=5)
def two_groups_of_star(words):
    for agent in AGENTS:
        first, second, other = words.several(3)
        robots = file(group("*", f"-/{first}"), group("OtherBot", f"-/{other}"), group("*", f"-/{second}"))
        yield robots, agent, f"/{first}", False
        yield robots, agent, f"/{second}", False
        yield robots, agent, f"/{other}", True


@kind("merging", "2.2.1", COMBINE, "groups are combined whatever the letter case of the token in each", times=3)
def groups_in_different_cases(words):
    for agent in AGENTS:
        first, second, third = words.several(3)
        tokens = variants(agent)
        robots = file(*(group(token, f"-/{path}") for token, path in zip(tokens, (first, second, third), strict=True)))
        for path in (first, second, third):
            yield robots, agent, f"/{path}", False


@kind("merging", "2.2.1", COMBINE, "a group shared with others is combined with one of its own", times=5)
def a_shared_group_and_an_own_one(words):
    for agent in AGENTS:
        shared, own, star = words.several(3)
        robots = file(group(f"OtherBot {agent}", f"-/{shared}"), group("*", f"-/{star}"), group(agent, f"-/{own}"))
        yield robots, agent, f"/{shared}", False
        yield robots, agent, f"/{own}", False
        yield robots, agent, f"/{star}", True
