"""What people and machines rank and choose: books, answers to prompts, assistants, known entities.

Every book has a latent merit; a reader sees it with noise of his own, and the one who deviates sees it upside down.

Each answer has a quality, by who wrote it and by chance. Two people read the answers to a prompt and rank them roughly,
so that they tie some and do not always agree. Both machines see the quality, too, through noise of their own.

What decides is how good the assistants are, and beside it what should not: the judge likes the longer answer, and the
one on the left, a little. One assistant, `verbose`, lives off the first: its answers are long and not as good as they
look. Some prompts divide the assistants more than others, so that comparisons of one prompt hang together.

Every author has a latent merit; a way to rank scores it with weight x merit + noise, and ranks all authors. Those who
are known to be good, who won prizes say, are drawn by merit, so most of them are good authors and none is all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = [
    "ANSWER_PROMPTS",
    "ASSISTANTS",
    "COMPARED_PROMPTS",
    "COMPARISONS",
    "KNOWN",
    "LENGTH_EFFECT",
    "MACHINES",
    "POSITION_EFFECT",
    "RANKING_METHODS",
    "RATERS",
    "TOTAL",
    "WRITERS",
    "answer_files",
    "entity_files",
    "preference_files",
    "vote_files",
]


#: The books, by falling merit.
BOOKS = (
    "Middlemarch",
    "Emma",
    "Dracula",
    "Walden",
    "Ulysses",
    "Candide",
    "Frankenstein",
    "Moby-Dick",
    "Persuasion",
    "Germinal",
    "Kim",
    "Ivanhoe",
)
#: The readers: how much of what one sees is noise, below 0 for the one who turns the order around; how many books at
#: the end of his list he leaves out.
READERS = {
    "Ada": (0.8, 0),
    "Ben": (1.0, 0),
    "Cleo": (1.0, 3),
    "Dora": (1.2, 0),
    "Emil": (1.2, 0),
    "Fay": (1.4, 4),
    "Gus": (1.4, 0),
    "Hedy": (1.6, 2),
    "Ivo": (-1.0, 0),
}
#: How far the merits of two neighbours are apart.
STEP = 0.35


def vote_files(seed: int) -> dict[str, str]:
    """demo-votes.tsv: a header of readers, then a book a line, with its rank by each; empty where he left it out."""
    rng = np.random.default_rng([seed, 5])  # a stream of its own
    merit = -STEP * np.arange(len(BOOKS))
    columns = []
    for noise, left_out in READERS.values():
        seen = (merit if noise > 0 else -merit) + abs(noise) * rng.normal(size=len(BOOKS))
        ranks = np.argsort(np.argsort(-seen)) + 1
        columns.append([str(rank) if rank <= len(BOOKS) - left_out else "" for rank in ranks])
    order = rng.permutation(len(BOOKS))  # as on a shelf
    lines = ["\t".join(["book", *READERS])]
    lines += ["\t".join([BOOKS[i], *(column[i] for column in columns)]) for i in order]
    return {"demo-votes.tsv": "\n".join(lines) + "\n"}


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


#: Authors that were ranked in all, and those of them that are known to be good.
TOTAL, KNOWN = 20_000, 200
#: By how much likelier an author is known who has one more of merit (its e-th power).
SELECTION_STRENGTH = 3.0


class RankingMethod(NamedTuple):
    """weight: how much of its score is merit. step: scores are whole multiples of it, so a step above 0 makes ties."""

    weight: float
    step: float = 0.0


#: The ways to rank, best first.
RANKING_METHODS = {
    "pagerank": RankingMethod(2.4),
    "h-index": RankingMethod(2.0, step=0.1),
    "citations": RankingMethod(1.7),
    "papers": RankingMethod(1.1),
    "age": RankingMethod(0.5),
}


def entity_files(seed: int) -> dict[str, str]:
    """demo-ranks.tsv: a header of systems, then a known author a line, with the rank in each."""
    rng = np.random.default_rng([seed, 1])  # a stream of its own
    merit = rng.normal(size=TOTAL)
    chances = np.exp(SELECTION_STRENGTH * merit)
    known = rng.choice(TOTAL, KNOWN, replace=False, p=chances / chances.sum())
    columns = []
    for way in RANKING_METHODS.values():
        scores = way.weight * merit + rng.normal(size=TOTAL)
        columns.append(mean_ranks(np.round(scores / way.step) if way.step else scores)[known])
    lines = ["\t".join(["author", *RANKING_METHODS])]
    lines += [
        "\t".join([f"A{i:03d}", *(f"{rank:.9g}" for rank in row)])
        for i, row in enumerate(zip(*columns, strict=True), 1)
    ]
    return {"demo-ranks.tsv": "\n".join(lines) + "\n"}


def mean_ranks(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Ranks by falling score, from 1; tied ones have the mean of their ranks."""
    _, place, counts = np.unique(-scores, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]
