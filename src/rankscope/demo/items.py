"""The demo's file of items: answers that a language model judged, and people those that looked good."""

from __future__ import annotations

import numpy as np

__all__ = [
    "item_files",
]


QUESTIONS, ANSWERS = 150, 4
#: The lowest and the highest chance with which people judge an answer.
CHANCES = (0.03, 0.53)


def item_files(seed: int) -> dict[str, str]:
    """demo-items.csv: a row for each answer, with its question, its quality by the model, and by people if they judged
    it.

    Which answers people judge was chosen adaptively, as a pool is: the better an answer looked to all that had been
    judged before, the greater was its chance (column picked).
    """
    rng = np.random.default_rng([seed, 36])  # a stream of its own
    ease = 0.08 * rng.normal(size=(QUESTIONS, 1))  # answers to one question are alike
    quality = np.clip(0.5 + ease + 0.2 * rng.normal(size=(QUESTIONS, ANSWERS)), 0, 1).ravel()
    by_model = np.clip(1.2 * (quality - 0.5) + 0.6 + 0.15 * rng.normal(size=quality.size), 0, 1)
    promise = np.clip(quality + 0.05 * rng.normal(size=quality.size), 0, 1)
    chance = np.round(CHANCES[0] + (CHANCES[1] - CHANCES[0]) * promise**3, 3)
    is_judged = rng.random(quality.size) < chance
    lines = ["question,answer,llm,people,picked"]
    for i, judged in enumerate(is_judged.tolist()):
        people = f"{quality[i]:.2f}" if judged else ""
        lines.append(f"{i // ANSWERS + 1},{i + 1},{by_model[i]:.2f},{people},{chance[i]:g}")
    return {"demo-items.csv": "\n".join(lines) + "\n"}
