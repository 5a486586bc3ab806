"""The demo's file of scores that another tool computed: F1 of the answers of three models to questions."""

from __future__ import annotations

import numpy as np

__all__ = [
    "score_files",
]


QUESTIONS = 80
#: The models, and how far the answers of each are above those of average ones.
MODELS = {"base": 0.0, "tuned": 0.5, "prompted": 0.1}
#: How much a model's answer to one question varies, where questions themselves vary by 1.
NOISE = 0.7


def score_files(seed: int) -> dict[str, str]:
    """demo-qa.csv: a row for each question, and a column of F1 for each model."""
    rng = np.random.default_rng([seed, 31])  # a stream of its own
    ease = rng.normal(size=(QUESTIONS, 1))
    quality = ease + np.array(list(MODELS.values())) + NOISE * rng.normal(size=(QUESTIONS, len(MODELS)))
    f1 = np.clip(0.5 + 0.25 * quality, 0.0, 1.0)
    lines = [f"question,{','.join(MODELS)}"]
    lines += [f"{number},{','.join(f'{value:.3f}' for value in row)}" for number, row in enumerate(f1.tolist(), 1)]
    return {"demo-qa.csv": "\n".join(lines) + "\n"}
