"""Answers to prompts, made up: people rank them, a language model gives them points, a reward model scores them.

Each answer has a quality, by who wrote it and by chance. Two people read the answers to a prompt and rank them roughly,
so that they tie some and do not always agree. Both machines see the quality, too, through noise of their own.
"""

from __future__ import annotations

import numpy as np

__all__ = ["MACHINES", "ANSWER_PROMPTS", "RATERS", "WRITERS", "answer_files"]

ANSWER_PROMPTS = 60
#: Who wrote answers, and how good they are on average; single answers are 1 better or worse.
WRITERS = {"large": 0.6, "medium": 0.2, "small": -0.2, "tiny": -0.6}
RATERS = ("ann", "bob", "eve")
PEOPLE = 0.5  # how far a person's reading wanders
COARSE = 0.7  # what is less apart is often a tie for people
#: The machines that judge, and how far their readings wander.
MACHINES = {"llm": 0.6, "reward": 2.2}
POINTS = (1, 10)  # which the language model may give, in whole numbers
UNSCORED = 1  # answers to which it gave no number


def answer_files(seed: int) -> dict[str, str]:
    """demo-answers.csv: a row for each rater and answer, with the rank and what both machines say of the answer."""
    rng = np.random.default_rng([seed, 3])  # a stream of its own
    shape = (ANSWER_PROMPTS, len(WRITERS))
    quality = np.array(list(WRITERS.values())) + rng.normal(size=shape)
    llm, reward = (quality + noise * rng.normal(size=shape) for noise in MACHINES.values())
    points = np.clip(np.rint(5.5 + 1.5 * llm), *POINTS)
    unscored = rng.choice(quality.size, UNSCORED, replace=False)
    raters = np.sort(
        np.argsort(rng.random((ANSWER_PROMPTS, len(RATERS))), axis=1)[:, :2], axis=1
    )  # two of them a prompt
    seen = np.rint((quality[:, None, :] + PEOPLE * rng.normal(size=(ANSWER_PROMPTS, 2, len(WRITERS)))) / COARSE)
    ranks = 1 + (seen[:, :, None, :] > seen[:, :, :, None]).sum(axis=3)  # how many are better, and one
    lines = ["item,candidate,rater,rank,llm,reward"]
    for item, rater, writer in np.ndindex(ranks.shape):
        given = "" if item * len(WRITERS) + writer in unscored else f"{points[item, writer]:.0f}"
        names = f"{item + 1},{list(WRITERS)[writer]},{RATERS[raters[item, rater]]}"
        lines.append(f"{names},{ranks[item, rater, writer]},{given},{reward[item, writer]:.3f}")
    return {"demo-answers.csv": "\n".join(lines) + "\n"}
