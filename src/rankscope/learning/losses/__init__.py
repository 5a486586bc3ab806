"""Losses for ranking: functions of (scores, relevance, offsets) that give the value and its gradient.

All work on flat arrays of ragged lists: scores and relevance are (documents), and `offsets` (lists + 1) says where each
list begins; no list is empty. The value is the mean over lists, and the gradient, of the scores' own type, that of this
mean. A list of one grade, which has nothing to learn from, counts in the mean and has a gradient of 0, unless a loss
says otherwise.
"""

from __future__ import annotations

__all__: list[str] = []
