"""Agreement of three or more raters on labels: Krippendorff's alpha over all of them, and kappa of every pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from rankscope.comparison.judges.labels import NAN, LabelSettings
from rankscope.data.columns import column, digits, table_of, thousands
from rankscope.data.result import Result
from rankscope.data.section import Section
from rankscope.data.text import format_percent, join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.stats.confusion import Label, encode, share_interval
from rankscope.stats.rater_agreement import Alpha, Kappa, cohens_kappa, krippendorffs_alpha

__all__ = [
    "LabelRaters",
    "agree_label_columns",
    "agree_label_raters",
]


#: What stands for all raters in the tidy table.
ALL = "all"


class RaterPair(NamedTuple):
    """Agreement of two raters.

    Attributes
    ----------
    raters
        Their names.
    kappa
        Cohen's kappa, of the items that both labelled.
    """

    raters: tuple[str, str]
    kappa: Kappa


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LabelRaters(Result):
    """How far several raters give items the same labels.

    `print` shows sentences and a table; `frame()` is the tidy table.

    Attributes
    ----------
    raters
        Names of the raters.
    labels
        The labels in their order.
    alpha
        Krippendorff's alpha over all raters.
    pairs
        Cohen's kappa of every two raters.
    settings
        How the labels were compared.
    notes
        What a reader should know.
    """

    COLUMNS = ("raters", "statistic", "value", "low", "high", "n")

    raters: tuple[str, ...]
    labels: tuple[Label, ...]
    alpha: Alpha
    pairs: tuple[RaterPair, ...]
    settings: LabelSettings
    notes: tuple[str, ...]

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table; NaN where there is no value or no interval."""
        yield ALL, f"alpha_{self.alpha.level}", self.alpha.value, NAN, NAN, self.alpha.n
        for pair in self.pairs:
            names, kappa = " and ".join(pair.raters), pair.kappa
            n_same = round(kappa.agreement * kappa.n)
            low, high = share_interval(n_same, kappa.n, confidence_level=self.settings.confidence_level)
            yield names, "agreement", kappa.agreement, float(low), float(high), kappa.n
            yield names, "chance_agreement", kappa.chance, NAN, NAN, kappa.n
            yield names, "kappa", kappa.value, kappa.low, kappa.high, kappa.n

    def sections(self) -> tuple[Section, ...]:
        """One table of all pairs."""
        kappas = [pair.kappa for pair in self.pairs]
        level = f"{format_percent(self.settings.confidence_level)} from"
        return (
            Section(
                title="Agreement of raters",
                sentence=self.sentence(),
                table=table_of(
                    column("raters", (" and ".join(pair.raters) for pair in self.pairs), name=True),
                    column("same label", (kappa.agreement for kappa in kappas), digits()),
                    column("by chance", (kappa.chance for kappa in kappas), digits()),
                    column("kappa", (kappa.value for kappa in kappas), digits()),
                    column(level, (kappa.low for kappa in kappas), digits()),
                    column("to", (kappa.high for kappa in kappas), digits()),
                    column("items", (kappa.n for kappa in kappas), thousands),
                ),
            ),
        )

    def sentence(self) -> str:
        """Alpha in words."""
        return (
            f"Krippendorff's alpha ({self.alpha.level}) of {join_names(self.raters)} is {self.alpha.value:.2f}, over "
            f"{pluralise(self.alpha.n, 'label')} of items that two raters or more labelled: 1 means full agreement, 0 "
            "agreement by chance. Kappa compares two raters on the items that both labelled."
        )

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers."""
        order = self.settings.order
        return [
            "agreement of raters on labels",
            f"raters:{','.join(self.raters)}",
            *([] if order is None else [f"order:{','.join(order)}"]),
            f"alpha:{self.alpha.level}",
            f"confidence:{self.settings.confidence_level:g}",
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{pluralise(len(self.raters), 'rater')}, {pluralise(len(self.labels), 'label')}"


def agree_label_raters(
    labels: Mapping[str, Sequence[Label | None]], *, order: Sequence[str] | None = None, confidence_level: float = 0.95
) -> LabelRaters:
    """How far several raters give items the same labels: Krippendorff's alpha over all, and kappa of every pair.

    Parameters
    ----------
    labels
        The labels of each rater, in the same order of the items: texts, or numbers; None or NaN for no label.
    order
        Labels in rising order, if they are texts on a scale.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.

    Returns
    -------
    LabelRaters
        Alpha is ordinal if labels are numbers or have an order, and there are more than two; else it is nominal.

    Raises
    ------
    InputError
        The lists have different lengths, no two raters labelled the same items, or there is only one label.
    ParameterError
        There are fewer than two raters, or a setting is out of range.

    References
    ----------
    See `rankscope.stats.krippendorffs_alpha` and `rankscope.stats.cohens_kappa`.

    Examples
    --------
    >>> labels = {"ann": ["bad", "ok", "good", "ok"], "bob": ["bad", "ok", "good", None], "gpt": ["ok"] * 4}
    >>> agreement = agree_label_raters(labels, order=["bad", "ok", "good"])
    >>> round(agreement.alpha.value, 4), agreement.pairs[0].kappa.value
    (0.5455, 1.0)
    """
    settings = LabelSettings(order=None if order is None else tuple(order), confidence_level=confidence_level)
    return agree_label_columns(labels, settings)


def agree_label_columns(labels: Mapping[str, Sequence[Label | None]], settings: LabelSettings) -> LabelRaters:
    """As `agree_label_raters`, with its settings as one object."""
    if len(labels) < 2:
        raise ParameterError(f"{pluralise(len(labels), 'rater')}, expected two or more")
    if len(lengths := {len(column) for column in labels.values()}) > 1:
        raise InputError(f"raters have lists of {join_names(map(str, sorted(lengths)))} labels, expected one an item")
    settings.refuse("positive", "beta", "normalise", since="these are the labels of raters, none of which is the truth")
    table = np.array([[None if label != label else label for label in column] for column in labels.values()], object)
    present = table != None  # noqa: E711  # elementwise
    if not present.any():
        raise InputError("there are no labels, expected at least one item with labels of two raters")
    given = table[present].tolist()
    classes, codes, _ = encode(given, given, settings.order)
    if len(classes) == 1 or len(set(codes.tolist())) == 1:
        raise InputError(f"there is only the label {given[0]!r}, expected at least 2")
    is_graded = len(classes) > 2 and (settings.order is not None or not isinstance(classes[0], str))
    ratings = np.full(table.shape, np.nan)
    ratings[present] = codes
    pairs = []
    for (i, a), (j, b) in combinations(enumerate(labels), 2):
        both = present[i] & present[j]
        if not both.any():
            raise InputError(f"{a} and {b} labelled no item in common; leave one of them out")
        kappa = cohens_kappa(ratings[i][both], ratings[j][both], confidence_level=settings.confidence_level)
        pairs.append(RaterPair((a, b), kappa))
    notes = [
        f"{name}: {pluralise(missing, 'item')} of {table.shape[1]:,} without a label"
        for name, missing in zip(labels, (~present).sum(axis=1).tolist(), strict=True)
        if missing
    ]
    alpha = krippendorffs_alpha(ratings, level="ordinal" if is_graded else "nominal")
    kappa_notes = [f"{' and '.join(pair.raters)}: {note}" for pair in pairs for note in pair.kappa.notes]
    return LabelRaters(
        raters=tuple(labels),
        labels=classes,
        alpha=alpha,
        pairs=tuple(pairs),
        settings=settings,
        notes=(*notes, *alpha.notes, *kappa_notes),
    )
