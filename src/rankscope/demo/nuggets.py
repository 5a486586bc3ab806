"""The demo's judgments of answers: which nuggets they hold, and whether their citations support them."""

from __future__ import annotations

import numpy as np

__all__ = [
    "nugget_files",
]


QUESTIONS, NUGGETS, SENTENCES = 40, 8, 6
#: The answerers: how many nuggets they find, and how well they cite.
RUNS = {"long": (0.9, 0.1), "careful": (0.5, 0.9), "short": (-0.1, 0.4), "bare": (0.3, -0.6)}
WORDS = np.array(["not_support", "partial_support", "support"])
#: Share of the nuggets that are vital, and of the sentences that cite nothing.
VITAL, UNCITED = 0.4, 0.2


def nugget_files(seed: int) -> dict[str, str]:
    """demo-nuggets.csv: a row for each nugget and answer; demo-citations.csv: a row for each sentence of an answer."""
    rng = np.random.default_rng([seed, 36])  # a stream of its own
    nuggets, citations = ["query,nugget,importance,run,support"], ["query,run,sentence,citation,support"]
    for question in range(1, QUESTIONS + 1):
        ease = 0.5 * rng.normal(size=NUGGETS)
        importance = np.where(rng.random(NUGGETS) < VITAL, "vital", "okay").tolist()
        for run, (recall, care) in RUNS.items():
            levels = np.digitize(ease + recall + rng.normal(size=NUGGETS), (0.2, 0.6))
            nuggets += [
                f"{question},{question}.{number},{importance[number]},{run},{word}"
                for number, word in enumerate(WORDS[levels].tolist())
            ]
            levels = np.digitize(care + rng.normal(size=SENTENCES), (-0.2, 0.4))
            for sentence, word in enumerate(WORDS[levels].tolist(), 1):
                is_bare = rng.random() < UNCITED
                cited = "," if is_bare else f"d{rng.integers(1, 100)},{word}"
                citations.append(f"{question},{run},{sentence},{cited}")
    return {"demo-nuggets.csv": "\n".join(nuggets) + "\n", "demo-citations.csv": "\n".join(citations) + "\n"}
