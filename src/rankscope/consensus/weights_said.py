"""The weights of voters in a signature: all that changes the numbers, in a few words."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from rankscope.data.cells import in_one_line, replace_invalid_utf8

__all__ = ["weights_signature"]

#: So many voters are named; of more, their number, the least and the greatest weight, and a digest are given.
WEIGHTS_LISTED = 10


def weights_signature(weights: Iterable[tuple[str, float]]) -> tuple[str, ...]:
    """The part of a signature for who does not weigh 1; none where all do. weights: of voters by name; may repeat.

    >>> weights_signature([("Ann", 1.0), ("Bob", 0.5), ("Bob", 0.5)])
    ('weights:Bob=0.5',)
    >>> weights_signature([(f"v{i}", 2.0 + i) for i in range(300)])
    ('weights:300 from 2 to 301,sha256:fe8c8d26',)
    """
    other = [(name, weight) for name, weight in dict.fromkeys(weights) if weight != 1]
    if not other:
        return ()
    said = [f"{in_one_line(replace_invalid_utf8(name))}={format_weight(weight)}" for name, weight in other]
    if len(said) <= WEIGHTS_LISTED:
        return (f"weights:{','.join(said)}",)
    least, most = (format_weight(end(weight for _, weight in other)) for end in (min, max))
    digest = hashlib.sha256("\n".join(sorted(said)).encode()).hexdigest()[:8]
    return (f"weights:{len(said):,} from {least} to {most},sha256:{digest}",)


def format_weight(weight: float) -> str:
    """In few digits where these say all."""
    return f"{weight:g}" if float(f"{weight:g}") == weight else repr(weight)
