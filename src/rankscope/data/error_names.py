"""Names of error rates, of which lower is better."""

from __future__ import annotations

import re

__all__ = [
    "is_error_name",
]


#: Error rates of translation and speech, losses and costs, in any case, also with a suffix (TER-refA).
ERROR_NAME = re.compile(
    r"([hcmpsw]?ter[pm]?|[cmpsw]er|cder|charac?ter|tercom|inv-?wer|errors?|error_?rate|(.*_)?loss|perplexity|ppl"
    r"|latency|costs?|r?mse|mae)($|[^a-z])",
    re.I,
)


def is_error_name(name: str) -> bool:
    """Whether something of this name is probably better if it is lower."""
    return ERROR_NAME.match(name) is not None
