"""What is said of a saved map that gets large, before it is written."""

from math import sqrt

MAIL = 25_000_000  # bytes, which most mails carry


def too_large(name, page, weights, maps, layer, *, parts):
    """What is said of a file of more than `MAIL`, with what would fit; None of a smaller one.

    >>> from manyheads.maps import AttentionMap
    >>> tokens, weights = [f"w{place}" for place in range(8)], [[[[0.125] * 8] * 8] * 3] * 2
    >>> print(too_large("map.html", 150_000, 60e6, [AttentionMap(tokens, tokens, weights)], 1, parts=True))
    map.html takes 60 MB, more than a mail carries (25 MB). What fits: first=0, last=4.
    >>> print(too_large("map.html", 150_000, 40e6, [AttentionMap(tokens, tokens, weights)], 1, parts=True))
    map.html takes 40 MB, more than a mail carries (25 MB). What fits: first=0, last=5, or HeadMap.of(..., layers=[1]).

    `page` is how many bytes the file takes without the weights of its `maps`, and `weights` how many these take.
    `layer` is the one that is shown. `parts` says whether the file may hold a part of the tokens.
    """
    if page + weights <= MAIL:
        return None
    share = max(MAIL - page, 0) / weights
    layers, longest = (
        max(attention.shape[0] for attention in maps),
        max(maps, key=lambda attention: len(attention.key_tokens)),
    )
    alike = longest.query_tokens == longest.key_tokens  # then first and last choose among both
    count = int(len(longest.key_tokens) * (sqrt(share) if alike else share))
    ways = [f"first=0, last={count - 1}"] if parts and count else []
    if layers > 1 and share * layers >= 1:
        ways.append(f"HeadMap.of(..., layers=[{layer}])")
    fits = f" What fits: {', or '.join(ways)}." if ways else ""
    return f"{name} takes {(page + weights) / 1e6:.0f} MB, more than a mail carries ({MAIL / 1e6:.0f} MB).{fits}"
