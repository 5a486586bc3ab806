"""What a reader should know of the agreement of raters on labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankscope.comparison.judges.label_result import RaterPair
from rankscope.data.text import first_names, join_names, pluralise
from rankscope.io.tables import LabelTable
from rankscope.stats.confusion import MCC_UNDEFINED
from rankscope.typing import Ints

__all__ = [
    "gap_notes",
    "interval_notes",
    "pair_notes",
]


#: Fewer items, or fewer labels but the commonest one, leave intervals too narrow.
FEW, RARE = 30, 10


def interval_notes(pairs: Sequence[RaterPair], n_units: int, unit: str, undefined: Sequence[str]) -> Iterator[str]:
    """Where intervals are rough or missing. undefined: statistics without a value in most resamples of some pair."""
    if n_units < FEW:
        yield f"fewer than {FEW} {unit}: bootstrap intervals are rough, and may be too narrow"
    rare = [pair for pair in pairs if 0 < rare_labels(pair.confusion.counts) < RARE and pair.n >= FEW]
    if rare:
        yield (
            f"{names_of(rare)}: a rater gave fewer than {RARE} items another label than the commonest one; intervals "
            "are then too narrow"
        )
    if undefined:
        yield f"{first_names(undefined)}: undefined in most resamples of some pairs, and without an interval there"


def names_of(pairs: Sequence[RaterPair]) -> str:
    """Pairs in a note."""
    return first_names((" and ".join(pair.raters) for pair in pairs), 3)


def rare_labels(counts: Ints) -> int:
    """How many items have another label than the commonest one, of the rater with fewer such items."""
    return int(min(counts.sum() - counts.sum(axis=axis).max() for axis in (0, 1)))


def pair_notes(pairs: Sequence[RaterPair]) -> Iterator[str]:
    """Notes on statistics that have no value or no interval, one for all pairs alike."""
    agreed = [pair for pair in pairs if int(np.trace(pair.confusion.counts)) == pair.n]
    if agreed:
        yield f"{names_of(agreed)} agree on every item: only the share of the same labels has an interval"
    single = [pair for pair in pairs if pair not in agreed and rare_labels(pair.confusion.counts) == 0]
    if single:
        yield f"{names_of(single)}: one rater gave every item the same label; kappa is 0 whatever the other did"
    undefined = [pair for pair in pairs if rare_labels(pair.confusion.counts) == 0]
    if undefined:
        yield f"{names_of(undefined)}: {MCC_UNDEFINED}"
    constant = [pair for pair in pairs if np.isnan(pair.statistics["kappa"].value)]
    if constant:
        yield f"{names_of(constant)}: both gave every item one and the same label; kappa and alpha have no value"
    rates = {
        name: [pair for pair in pairs if name in pair.statistics and np.isnan(pair.statistics[name].value)]
        for name in ("precision", "recall", "specificity", "fscore")
    }
    for name, without in rates.items():
        if without:
            yield f"{names_of(without)}: {name} is undefined (0 divided by 0)"
    for pair in pairs:
        for name in ("precision", "recall", "specificity", "fscore"):
            n_undefined = sum(np.isnan(by_name[name].value) for by_name in pair.by_class.values())
            if n_undefined:
                yield f"{name} divides 0 by 0 for {n_undefined} of {len(pair.by_class)} classes and has no value there"


def gap_notes(table: LabelTable, raters: Sequence[str], codes: Ints) -> Iterator[str]:
    """How many items each rater skipped."""
    counts = dict(zip(raters, (codes < 0).sum(axis=1).tolist(), strict=True))
    missing = [f"{n_missing:,} by {name}" for name, n_missing in counts.items() if n_missing]
    if missing:
        where = f"{table.name}: " if table.name else ""
        n_items = pluralise(codes.shape[1], "item")
        yield f"{where}of {n_items}, not labelled: {join_names(missing)}; each statistic skips those that it lacks"
