"""Agreement of two judges as rows of a table and sentences: kappa and alpha, rates, the confusion matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankscope.data.columns import column, columns_of, digits, table_of
from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import format_percent, pluralise
from rankscope.stats.confusion import (
    RATES,
    ConfusionMatrix,
    Label,
    Rates,
    rates,
    share_interval,
)
from rankscope.stats.rater_agreement import Alpha, Kappa, cohens_kappa, krippendorffs_alpha
from rankscope.typing import Floats, Ints

__all__ = [
    "NAN",
    "ROW_TITLES",
    "ChanceCorrected",
    "Row",
    "binary_rows",
    "chance_corrected_agreement",
    "chance_sentence",
    "count_rows",
    "format_tenths",
    "matrix_section",
    "row_table",
    "scale_of",
    "share_row",
    "two_classes",
]


#: statistic, label, value, low, high, n
Row = tuple[str, str, float, float, float, int]
NAN = float("nan")
#: Rate -> its numerator and the other part of its denominator, for intervals.
RATE_COUNTS = {
    "precision": ("tp", "fp"),
    "recall": ("tp", "fn"),
    "specificity": ("tn", "fp"),
    "fpr": ("fp", "tn"),
    "fnr": ("fn", "tp"),
}


@dataclass(frozen=True, eq=False, kw_only=True)
class ChanceCorrected:
    """Agreement beyond chance.

    Attributes
    ----------
    kappa
        Cohen's kappa.
    linear, quadratic
        Weighted kappa; None if the labels are text or there are only two.
    alpha
        Krippendorff's alpha.
    """

    kappa: Kappa
    linear: Kappa | None
    quadratic: Kappa | None
    alpha: Alpha

    @property
    def kappas(self) -> dict[str, Kappa]:
        kappas = {"kappa": self.kappa, "kappa_linear": self.linear, "kappa_quadratic": self.quadratic}
        return {name: kappa for name, kappa in kappas.items() if kappa is not None}

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self.kappa.notes, *self.alpha.notes)

    def rows(self, label: str = "") -> Iterator[Row]:
        kappa = self.kappa
        n = kappa.n
        n_same = round(kappa.agreement * n)
        yield share_row("agreement", label, n_same, n, kappa.confidence_level)
        yield "chance_agreement", label, kappa.chance, NAN, NAN, n
        for name, variant in self.kappas.items():
            yield name, label, variant.value, variant.low, variant.high, n
        yield f"alpha_{self.alpha.level}", label, self.alpha.value, NAN, NAN, n


def chance_corrected_agreement(
    confusion: ConfusionMatrix, a: Ints, b: Ints, confidence_level: float
) -> ChanceCorrected:
    """Kappa and alpha. a, b: indices of the labels. Weights and alpha treat labels that are numbers as a scale."""
    positions = scale_of(confusion.labels)

    def kappa(weights: str | None) -> Kappa:
        return cohens_kappa(confusion.counts, weights=weights, positions=positions, confidence_level=confidence_level)

    is_graded = positions is not None and len(confusion.labels) > 2
    return ChanceCorrected(
        kappa=kappa(None),
        linear=kappa("linear") if is_graded else None,
        quadratic=kappa("quadratic") if is_graded else None,
        alpha=krippendorffs_alpha(np.stack((a, b)), level="ordinal" if is_graded else "nominal"),
    )


def scale_of(labels: Sequence[Label]) -> Floats | None:
    """The labels as numbers; None for text."""
    return None if any(isinstance(label, str) for label in labels) else np.array(labels, np.float64)


def share_row(name: str, label: str, count: int, total: int, confidence_level: float) -> Row:
    low, high = (float(bound) for bound in share_interval(count, total, confidence_level=confidence_level))
    return name, label, count / total if total else NAN, low, high, total


def count_rows(confusion: ConfusionMatrix) -> Iterator[Row]:
    """The confusion matrix, a row a cell: the count, and the share if the matrix is normalised."""
    for i, true in enumerate(confusion.labels):
        for j, predicted in enumerate(confusion.labels):
            label = f"{true} -> {predicted}"
            yield "count", label, float(confusion.counts[i, j]), NAN, NAN, confusion.n
            if confusion.normalise is not None:
                yield f"share_of_{confusion.normalise}", label, float(confusion.values[i, j]), NAN, NAN, confusion.n


def binary_rows(rates: Rates, label: str, confidence_level: float) -> Iterator[Row]:
    """The rates of two classes; the second one is positive."""
    for name in RATES:
        yield rate_row(rates, 1, name, label, confidence_level)
    yield "mcc", label, rates.mcc, NAN, NAN, rates.n


def rate_row(rates: Rates, i: int, name: str, label: str, confidence_level: float) -> Row:
    if name not in RATE_COUNTS:
        return name, label, float(rates.fscore[i]), NAN, NAN, rates.n
    count, other_count = (int(getattr(rates, count_name)[i]) for count_name in RATE_COUNTS[name])
    return share_row(name, label, count, count + other_count, confidence_level)


ROW_TITLES = {
    "agreement": "same label",
    "chance_agreement": "same label by chance",
    "kappa": "Cohen's kappa",
    "kappa_linear": "kappa, linear weights",
    "kappa_quadratic": "kappa, quadratic weights",
    "alpha_nominal": "Krippendorff's alpha (nominal)",
    "alpha_ordinal": "Krippendorff's alpha (ordinal)",
    "alpha_interval": "Krippendorff's alpha (interval)",
    "ac1": "Gwet's AC1",
    "ac2_linear": "Gwet's AC2, linear weights",
    "ac2_quadratic": "Gwet's AC2, quadratic weights",
    "precision": "precision",
    "recall": "recall (TPR)",
    "specificity": "specificity (TNR)",
    "fpr": "false positive rate (FPR)",
    "fnr": "false negative rate (FNR)",
    "mcc": "Matthews' correlation (MCC)",
    "overlap": "overlap (Jaccard)",
    "overlap_by_query": "overlap, mean over queries",
    "apparent_prevalence": "relevant, of those only it judged",
    "corrected_prevalence": "the same, corrected",
}


def row_table(rows: Sequence[Row], beta: float) -> Table:
    """A table of rows: the statistic's name, its value, and its interval if there is one."""
    names = {**ROW_TITLES, "fscore": f"F{beta:g}"}
    return table_of(
        column("", [names[row[0]] for row in rows], name=True),
        *columns_of(("value", "low", "high"), [row[2:5] for row in rows], digits()),
    )


def matrix_section(confusion: ConfusionMatrix, rows: str, columns: str, axes: str) -> Section:
    """The confusion matrix as a table and a figure. axes: a sentence on what rows and columns are."""
    labels = tuple(map(str, confusion.labels))
    is_normalised = confusion.normalise is not None
    cells = confusion.values if is_normalised else confusion.counts
    total_name = {"row": "of its row", "column": "of its column", "all": "of all", None: ""}[confusion.normalise]
    return Section(
        title="Confusion matrix",
        sentence=f"{axes} "
        + (f"Each number is a share {total_name}." if is_normalised else "The diagonal holds the agreements."),
        table=table_of(
            column("", labels, name=True), *columns_of(labels, cells.tolist(), digits() if is_normalised else digits(0))
        ),
        figure=Figure(
            "confusion_matrix",
            {
                "labels": labels,
                "counts": confusion.counts.tolist(),
                "rows": rows,
                "columns": columns,
                "normalise": confusion.normalise,
            },
        ),
    )


def chance_sentence(kappa: Kappa, unit: str, label: str, *, is_weighted: bool = False) -> str:
    """Kappa in words. unit: as "document". label: as "grade". is_weighted: whether units have weights."""
    n_same = round(kappa.agreement * kappa.n)
    same = f"{n_same:,} of {pluralise(kappa.n, unit)} ({format_tenths(kappa.agreement)})"
    if is_weighted:
        same = f"{format_tenths(kappa.agreement)} of the weight of {pluralise(kappa.n, unit)}"
    opening = (
        f"{same} got the same {label} from both. By chance, if each judge gave every {label} as often as it "
        "did but at random, they would agree on "
        f"{format_tenths(kappa.chance)}."
    )
    if np.isnan(kappa.value):
        return opening
    if kappa.agreement > 1 - 1e-9:
        return f"{opening} Cohen's kappa is 1: full agreement."
    conclusion = f"{format_tenths(kappa.value)} of the way from chance to full agreement"
    if kappa.value < 0.0005:
        conclusion = f"agreement is {'less' if kappa.value < -0.0005 else 'no more'} than by chance"
    if np.isnan(kappa.low):
        return f"{opening} Cohen's kappa is {kappa.value:.2f}: {conclusion}."
    level = format_percent(kappa.confidence_level)
    return (
        f"{opening} Cohen's kappa is {kappa.value:.2f} ({level} interval {kappa.low:.2f} to {kappa.high:.2f}): "
        f"{conclusion}."
    )


def format_tenths(share: float) -> str:
    """A share in percent, with one decimal place."""
    return format_percent(round(share, 3))


def two_classes(counts: Ints, labels: tuple[Label, ...], positive: Label, beta: float) -> Rates:
    """The rates of the positive class, as the second of two, against all others together."""
    i = labels.index(positive)
    tp = int(counts[i, i])
    fn, fp = int(counts[i].sum()) - tp, int(counts[:, i].sum()) - tp
    tn = int(counts.sum()) - tp - fn - fp
    binary_rates = rates([[tn, fp], [fn, tp]], labels=(f"not {positive}", positive), beta=beta)
    return keep_notes_of_positive(binary_rates)


def keep_notes_of_positive(binary_rates: Rates) -> Rates:
    """Drop the notes on the negative class, which is not shown."""
    notes = [
        f"{name} is undefined (0 divided by 0)"
        for name in ("precision", "recall", "specificity", "fscore")
        if np.isnan(getattr(binary_rates, name)[1])
    ]
    return replace(binary_rates, notes=(*notes, *(note for note in binary_rates.notes if "Matthews" in note)))
