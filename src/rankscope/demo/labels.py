"""The demo's file of labels: three people and a language model label answers to questions as bad, ok or good."""

from __future__ import annotations

import numpy as np

__all__ = [
    "label_files",
]


QUESTIONS, ANSWERS = 60, 4
LABELS = ("bad", "ok", "good")
#: The raters, how far their labels of one answer vary, and by how much they are lenient.
RATERS = {"ann": (0.55, 0.0), "bob": (0.55, 0.1), "cem": (0.65, -0.1), "llm": (0.75, 0.35)}
#: Share of answers that a person skipped.
SKIPPED = 0.04


def label_files(seed: int) -> dict[str, str]:
    """demo-raters.csv: a row for each answer, with its question, and a column of labels for each rater."""
    rng = np.random.default_rng([seed, 35])  # a stream of its own
    ease = 0.6 * rng.normal(size=(QUESTIONS, 1))  # answers to one question are alike
    quality = (ease + 0.8 * rng.normal(size=(QUESTIONS, ANSWERS))).ravel()
    columns = []
    for name, (noise, lenience) in RATERS.items():
        seen = quality + lenience + noise * rng.normal(size=quality.size)
        labels = np.array(LABELS)[np.digitize(seen, (-0.5, 0.5))]
        skipped = (rng.random(quality.size) < SKIPPED) & (name != "llm")
        columns.append(np.where(skipped, "", labels).tolist())
    lines = [f"question,answer,{','.join(RATERS)}"]
    for number, cells in enumerate(zip(*columns, strict=True)):
        lines.append(f"{number // ANSWERS + 1},{number % ANSWERS + 1},{','.join(cells)}")
    return {"demo-raters.csv": "\n".join(lines) + "\n"}
