"""Preferences, made up: a judge is shown two assistants' answers to a prompt and says which is better, or neither.

What decides is how good the assistants are, and beside it what should not: the judge likes the longer answer, and the
one on the left, a little. One assistant, `verbose`, lives off the first: its answers are long and not as good as they
look. Some prompts divide the assistants more than others, so that comparisons of one prompt hang together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["ASSISTANTS", "COMPARISONS", "LENGTH_EFFECT", "POSITION_EFFECT", "COMPARED_PROMPTS", "preference_files"]

COMPARED_PROMPTS = 150
#: Of each prompt so many pairs of assistants are shown.
COMPARISONS = 4 * COMPARED_PROMPTS


class Assistant(NamedTuple):
    """ability: the logarithm of its odds, of answers of one length. words: how long its answers are on average."""

    ability: float
    words: int


#: Who answers, best first.
ASSISTANTS = {
    "sage": Assistant(1.0, 180),
    "scholar": Assistant(0.8, 200),
    "verbose": Assistant(0.2, 380),
    "plain": Assistant(0.1, 190),
    "terse": Assistant(-0.3, 90),
    "toy": Assistant(-1.8, 160),
}
#: What 100 words more than the other do to the logarithm of the odds, and what standing left does.
LENGTH_EFFECT, POSITION_EFFECT = 0.5, 0.4
#: How long answers of one assistant vary, as a share; how far abilities wander from prompt to prompt; how near two
#: answers must be for a tie: its odds against a win of either among equals.
SPREAD, BY_PROMPT, TIES = 0.3, 0.4, 0.6


def preference_files(seed: int) -> dict[str, str]:
    """demo-preferences.csv: a row a comparison: prompt, left, right, winner (or tie), and length, how many hundreds of
    words the left answer is longer than the right one.
    """
    rng = np.random.default_rng([seed, 4])  # a stream of its own
    names, n = list(ASSISTANTS), len(ASSISTANTS)
    prompt = np.repeat(np.arange(COMPARED_PROMPTS), COMPARISONS // COMPARED_PROMPTS)
    ability = np.array([one.ability for one in ASSISTANTS.values()]) + BY_PROMPT * rng.normal(
        size=(COMPARED_PROMPTS, n)
    )
    spread = np.exp(SPREAD * rng.normal(size=(COMPARED_PROMPTS, n)))
    words = np.round(np.array([one.words for one in ASSISTANTS.values()]) * spread)
    left = rng.integers(n, size=COMPARISONS)
    right = (left + rng.integers(1, n, size=COMPARISONS)) % n
    longer = (words[prompt, left] - words[prompt, right]) / 100
    logit = ability[prompt, left] - ability[prompt, right] + LENGTH_EFFECT * longer + POSITION_EFFECT
    chances = np.stack((np.exp(logit / 2), np.full(COMPARISONS, TIES), np.exp(-logit / 2)))  # Davidson's model
    drawn = rng.random(COMPARISONS) * chances.sum(axis=0)
    outcome = (drawn > np.cumsum(chances, axis=0)).sum(axis=0)  # 0: left, 1: tie, 2: right
    lines = ["prompt,left,right,winner,length"]
    for row in range(COMPARISONS):
        a, b = names[left[row]], names[right[row]]
        lines.append(f"p{prompt[row] + 1},{a},{b},{(a, 'tie', b)[outcome[row]]},{longer[row]:.2f}")
    return {"demo-preferences.csv": "\n".join(lines) + "\n"}
