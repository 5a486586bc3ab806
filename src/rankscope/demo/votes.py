"""Votes, made up: nine readers rank a dozen books, one of them otherwise than the rest, some not all.

Every book has a latent merit; a reader sees it with noise of his own, and the one who deviates sees it upside down.
"""

from __future__ import annotations

import numpy as np

__all__ = ["vote_files"]

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
