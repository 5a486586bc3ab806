"""Simulated rankings and preferences: votes on books, ranked answers, compared assistants, ranks of known authors.

Votes: every book has a latent merit; each reader sees it with some noise, and one reader sees it upside down.

Answers: the quality of an answer depends on its writer and on chance. Two people rank the answers to a prompt roughly,
so that they tie some and do not always agree. Both machines see the quality with noise, too.

Comparisons: the better assistant wins more often, but two other things count a little: the judge likes the longer
answer, and the one on the left. One assistant, `verbose`, wins by length: its answers are long and not as good as they
look. Some prompts separate the assistants more than others, so that comparisons of one prompt are correlated.

Authors: every author has a latent merit; a ranking method scores it with weight x merit + noise, and ranks all authors.
The authors known to be good, such as winners of prizes, are drawn by merit, so most of them are good and none is
certain to be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.kernels.order import mean_ranks

__all__ = [
    "ANSWER_PROMPTS",
    "ASSISTANTS",
    "COMPARED_PROMPTS",
    "COMPARISONS",
    "LENGTH_EFFECT",
    "MACHINES",
    "N_AUTHORS",
    "N_KNOWN_AUTHORS",
    "POSITION_EFFECT",
    "RANKING_METHODS",
    "RATERS",
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
#: The readers: the standard deviation of the noise, below 0 for the one who reverses the order; how many books at the
#: end of the list the reader omits.
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
#: The difference between the merits of two neighbours.
STEP = 0.35


def vote_files(seed: int) -> dict[str, str]:
    """demo-votes.tsv: a header of readers, then a book a line, with its rank by each reader; empty where omitted."""
    rng = np.random.default_rng([seed, 5])  # a stream of its own
    merit = -STEP * np.arange(len(BOOKS))
    columns = []
    for noise, n_omitted in READERS.values():
        perceived = (merit if noise > 0 else -merit) + abs(noise) * rng.normal(size=len(BOOKS))
        ranks = np.argsort(np.argsort(-perceived)) + 1
        columns.append([str(rank) if rank <= len(BOOKS) - n_omitted else "" for rank in ranks])
    order = rng.permutation(len(BOOKS))  # not by merit
    lines = ["\t".join(["book", *READERS])]
    lines += ["\t".join([BOOKS[i], *(column[i] for column in columns)]) for i in order]
    return {"demo-votes.tsv": "\n".join(lines) + "\n"}


ANSWER_PROMPTS = 60
#: The writers of answers, and their average quality; single answers have a standard deviation of 1.
WRITERS = {"large": 0.6, "medium": 0.2, "small": -0.2, "tiny": -0.6}
RATERS = ("ann", "bob", "eve")
RATER_NOISE = 0.5  # the noise of a person's judgment
COARSE = 0.7  # people often tie answers that differ by less
#: The machines that judge, and their noise.
MACHINES = {"llm": 0.6, "reward": 2.2}
POINTS = (1, 10)  # the lowest and highest score of the language model, in whole numbers
UNSCORED = 1  # answers without a score of the language model


def answer_files(seed: int) -> dict[str, str]:
    """demo-answers.csv: a row for each rater and answer, with the rank and the scores of both machines."""
    rng = np.random.default_rng([seed, 3])  # a stream of its own
    shape = (ANSWER_PROMPTS, len(WRITERS))
    quality = np.array(list(WRITERS.values())) + rng.normal(size=shape)
    llm, reward = (quality + noise * rng.normal(size=shape) for noise in MACHINES.values())
    points = np.clip(np.rint(5.5 + 1.5 * llm), *POINTS)
    unscored = rng.choice(quality.size, UNSCORED, replace=False)
    rater_order = np.argsort(rng.random((ANSWER_PROMPTS, len(RATERS))), axis=1)
    raters = np.sort(rater_order[:, :2], axis=1)  # two for each prompt
    perceived = np.rint(
        (quality[:, None, :] + RATER_NOISE * rng.normal(size=(ANSWER_PROMPTS, 2, len(WRITERS)))) / COARSE
    )
    ranks = 1 + (perceived[:, :, None, :] > perceived[:, :, :, None]).sum(axis=3)  # 1 + the number of better ones
    lines = ["item,candidate,rater,rank,llm,reward"]
    for item, rater, writer in np.ndindex(ranks.shape):
        llm_score = "" if item * len(WRITERS) + writer in unscored else f"{points[item, writer]:.0f}"
        ids = f"{item + 1},{list(WRITERS)[writer]},{RATERS[raters[item, rater]]}"
        lines.append(f"{ids},{ranks[item, rater, writer]},{llm_score},{reward[item, writer]:.3f}")
    return {"demo-answers.csv": "\n".join(lines) + "\n"}


COMPARED_PROMPTS = 150
#: Four pairs of assistants are compared on each prompt.
COMPARISONS = 4 * COMPARED_PROMPTS


class Assistant(NamedTuple):
    """A simulated assistant.

    Attributes
    ----------
    ability
        Logarithm of its odds at equal length.
    words
        Average length of its answers.
    """

    ability: float
    words: int


#: The assistants, best first.
ASSISTANTS = {
    "sage": Assistant(1.0, 180),
    "scholar": Assistant(0.8, 200),
    "verbose": Assistant(0.2, 380),
    "plain": Assistant(0.1, 190),
    "terse": Assistant(-0.3, 90),
    "toy": Assistant(-1.8, 160),
}
#: What 100 more words, and the left position, add to the logarithm of the odds.
LENGTH_EFFECT, POSITION_EFFECT = 0.5, 0.4
#: The variation of the length of an assistant's answers, as a share; the variation of abilities between prompts; the
#: odds of a tie against a win of either of two equal answers.
SPREAD, BY_PROMPT, TIES = 0.3, 0.4, 0.6


def preference_files(seed: int) -> dict[str, str]:
    """demo-preferences.csv: a row a comparison: prompt, left, right, winner (or tie), and length: the length of the
    left answer less that of the right one, in hundreds of words.
    """
    rng = np.random.default_rng([seed, 4])  # a stream of its own
    names, n = list(ASSISTANTS), len(ASSISTANTS)
    prompt = np.repeat(np.arange(COMPARED_PROMPTS), COMPARISONS // COMPARED_PROMPTS)
    ability = np.array([assistant.ability for assistant in ASSISTANTS.values()]) + BY_PROMPT * rng.normal(
        size=(COMPARED_PROMPTS, n)
    )
    spread = np.exp(SPREAD * rng.normal(size=(COMPARED_PROMPTS, n)))
    n_words = np.round(np.array([assistant.words for assistant in ASSISTANTS.values()]) * spread)
    left = rng.integers(n, size=COMPARISONS)
    right = (left + rng.integers(1, n, size=COMPARISONS)) % n
    longer = (n_words[prompt, left] - n_words[prompt, right]) / 100
    logit = ability[prompt, left] - ability[prompt, right] + LENGTH_EFFECT * longer + POSITION_EFFECT
    chances = np.stack((np.exp(logit / 2), np.full(COMPARISONS, TIES), np.exp(-logit / 2)))  # Davidson's model
    thresholds = rng.random(COMPARISONS) * chances.sum(axis=0)
    outcome = (thresholds > np.cumsum(chances, axis=0)).sum(axis=0)  # 0: left, 1: tie, 2: right
    lines = ["prompt,left,right,winner,length"]
    for row in range(COMPARISONS):
        left_name, right_name = names[left[row]], names[right[row]]
        winner = (left_name, "tie", right_name)[outcome[row]]
        lines.append(f"p{prompt[row] + 1},{left_name},{right_name},{winner},{longer[row]:.2f}")
    return {"demo-preferences.csv": "\n".join(lines) + "\n"}


#: How many authors are ranked, and how many of them are known to be good.
N_AUTHORS, N_KNOWN_AUTHORS = 20_000, 200
#: The coefficient of merit in the logarithm of the odds of being known.
SELECTION_STRENGTH = 3.0


class RankingMethod(NamedTuple):
    """A simulated way to rank authors.

    Attributes
    ----------
    weight
        Weight of the merit in the score.
    step
        Scores are multiples of it, so that a step above 0 makes ties.
    """

    weight: float
    step: float = 0.0


#: The ranking methods, best first.
RANKING_METHODS = {
    "pagerank": RankingMethod(2.4),
    "h-index": RankingMethod(2.0, step=0.1),
    "citations": RankingMethod(1.7),
    "papers": RankingMethod(1.1),
    "age": RankingMethod(0.5),
}


def entity_files(seed: int) -> dict[str, str]:
    """demo-ranks.tsv: a header of systems, then a known author a line, with the rank by each system."""
    rng = np.random.default_rng([seed, 1])  # a stream of its own
    merit = rng.normal(size=N_AUTHORS)
    chances = np.exp(SELECTION_STRENGTH * merit)
    known_authors = rng.choice(N_AUTHORS, N_KNOWN_AUTHORS, replace=False, p=chances / chances.sum())
    columns = []
    for method in RANKING_METHODS.values():
        scores = method.weight * merit + rng.normal(size=N_AUTHORS)
        columns.append(mean_ranks(np.round(scores / method.step) if method.step else scores)[known_authors])
    lines = ["\t".join(["author", *RANKING_METHODS])]
    lines += [
        "\t".join([f"A{i:03d}", *(f"{rank:.9g}" for rank in row)])
        for i, row in enumerate(zip(*columns, strict=True), 1)
    ]
    return {"demo-ranks.tsv": "\n".join(lines) + "\n"}
