"""What agreements of judges and of labels share: their numbers, rows, tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.data.cells import format_value
from rankscope.data.sections import Figure, Section, Table
from rankscope.data.wording import format_percent, pluralise
from rankscope.stats.confusion import AVERAGED, RATES, ConfusionMatrix, Rates, share_interval
from rankscope.stats.judges import Alpha, Kappa, cohens_kappa, krippendorffs_alpha
from rankscope.stats.labels import Label
from rankscope.typing import Floats, Ints

__all__ = [
    "COLUMNS",
    "ChanceCorrected",
    "Row",
    "beyond_chance",
    "binary_rows",
    "chance_sentence",
    "class_rows",
    "count_rows",
    "row_table",
    "matrix_section",
    "format_tenths",
]

COLUMNS = ("statistic", "label", "value", "low", "high", "n")
#: statistic, label, value, low, high, n
Row = tuple[str, str, float, float, float, int]
NONE = float("nan")
#: What is divided by what, for the intervals of rates.
OF = {
    "precision": ("tp", "fp"),
    "recall": ("tp", "fn"),
    "specificity": ("tn", "fp"),
    "fpr": ("fp", "tn"),
    "fnr": ("fn", "tp"),
}


@dataclass(frozen=True, eq=False, kw_only=True)
class ChanceCorrected:
    """Agreement beyond chance. linear, quadratic: weighted kappa; None where labels are text or there are only two."""

    kappa: Kappa
    linear: Kappa | None
    quadratic: Kappa | None
    alpha: Alpha

    @property
    def all(self) -> dict[str, Kappa]:
        named = {"kappa": self.kappa, "kappa_linear": self.linear, "kappa_quadratic": self.quadratic}
        return {name: kappa for name, kappa in named.items() if kappa is not None}

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self.kappa.notes, *self.alpha.notes)

    def rows(self, label: str = "") -> Iterator[Row]:
        kappa = self.kappa
        n = kappa.n
        right = round(kappa.agreement * n)
        yield share_row("agreement", label, right, n, kappa.confidence_level)
        yield "chance_agreement", label, kappa.chance, NONE, NONE, n
        for name, found in self.all.items():
            yield name, label, found.value, found.low, found.high, n
        yield f"alpha_{self.alpha.level}", label, self.alpha.value, NONE, NONE, n


def beyond_chance(confusion: ConfusionMatrix, a: Ints, b: Ints, confidence_level: float) -> ChanceCorrected:
    """Kappa and alpha. a, b: the places of the labels. Weights and alpha take labels that are numbers for a scale."""
    positions = scale_of(confusion.labels)

    def kappa(weights: str | None) -> Kappa:
        return cohens_kappa(confusion.counts, weights=weights, positions=positions, confidence_level=confidence_level)

    graded = positions is not None and len(confusion.labels) > 2
    return ChanceCorrected(
        kappa=kappa(None),
        linear=kappa("linear") if graded else None,
        quadratic=kappa("quadratic") if graded else None,
        alpha=krippendorffs_alpha(np.stack((a, b)), level="ordinal" if graded else "nominal"),
    )


def scale_of(labels: Sequence[Label]) -> Floats | None:
    """The labels as numbers; None for text."""
    return None if any(isinstance(label, str) for label in labels) else np.array(labels, np.float64)


def share_row(name: str, label: str, part: int, whole: int, confidence_level: float) -> Row:
    low, high = (float(end) for end in share_interval(part, whole, confidence_level=confidence_level))
    return name, label, part / whole if whole else NONE, low, high, whole


def count_rows(confusion: ConfusionMatrix) -> Iterator[Row]:
    """The confusion matrix, a row a cell: count, and share where it was normalised."""
    for i, true in enumerate(confusion.labels):
        for j, predicted in enumerate(confusion.labels):
            label = f"{true} -> {predicted}"
            yield "count", label, float(confusion.counts[i, j]), NONE, NONE, confusion.n
            if confusion.normalise is not None:
                yield f"share_of_{confusion.normalise}", label, float(confusion.values[i, j]), NONE, NONE, confusion.n


def binary_rows(rates: Rates, label: str, confidence_level: float) -> Iterator[Row]:
    """The rates of two classes, of which the second is the positive one."""
    for name in RATES:
        yield rate_row(rates, 1, name, label, confidence_level)
    yield "mcc", label, rates.mcc, NONE, NONE, rates.n


def class_rows(rates: Rates, confidence_level: float) -> Iterator[Row]:
    """The rates of each class against all others, and their averages."""
    for i, label in enumerate(rates.labels):
        for name in RATES:
            yield rate_row(rates, i, name, str(label), confidence_level)
    for name in AVERAGED:
        yield f"{name}_macro", "", rates.macro[name], NONE, NONE, rates.n
        yield f"{name}_micro", "", rates.micro[name], NONE, NONE, rates.n
    yield "mcc", "", rates.mcc, NONE, NONE, rates.n


def rate_row(rates: Rates, i: int, name: str, label: str, confidence_level: float) -> Row:
    if name not in OF:
        return name, label, float(rates.fscore[i]), NONE, NONE, rates.n
    part, other = (int(getattr(rates, which)[i]) for which in OF[name])
    return share_row(name, label, part, part + other, confidence_level)


ROW_TITLES = {
    "agreement": "same label",
    "chance_agreement": "same label by chance",
    "kappa": "Cohen's kappa",
    "kappa_linear": "kappa, linear weights",
    "kappa_quadratic": "kappa, quadratic weights",
    "alpha_nominal": "Krippendorff's alpha (nominal)",
    "alpha_ordinal": "Krippendorff's alpha (ordinal)",
    "precision": "precision",
    "recall": "recall (TPR)",
    "specificity": "specificity (TNR)",
    "fpr": "false positive rate (FPR)",
    "fnr": "false negative rate (FNR)",
    "mcc": "Matthews' correlation (MCC)",
    "overlap": "overlap (Jaccard)",
    "overlap_by_query": "overlap, mean over queries",
}


def row_table(rows: Sequence[Row], beta: float) -> Table:
    """Rows for people: what it is called, value, and the interval where there is one."""
    names = {**ROW_TITLES, "fscore": f"F{beta:g}"}
    cells = [
        (names[name], *(format_value(x, "mean") for x in (value, low, high))) for name, _, value, low, high, _ in rows
    ]
    return Table(columns=("", "value", "low", "high"), rows=tuple(cells))


def matrix_section(confusion: ConfusionMatrix, rows: str, columns: str, axes: str) -> Section:
    """The confusion matrix as a table, and by the name of its figure. axes: says what rows and columns are."""
    labels = tuple(map(str, confusion.labels))
    shares = confusion.normalise is not None
    cells = confusion.values if shares else confusion.counts
    show = [[format_value(x, "mean") if shares else f"{int(x)}" for x in row] for row in cells.tolist()]
    of = {"row": "of its row", "column": "of its column", "all": "of all", None: ""}[confusion.normalise]
    return Section(
        title="Confusion matrix",
        sentence=f"{axes} " + (f"Each number is the share {of}." if shares else "On the diagonal they agree."),
        table=Table(columns=("", *labels), rows=tuple((label, *row) for label, row in zip(labels, show, strict=True))),
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


def chance_sentence(kappa: Kappa, what: str, label: str) -> str:
    """What kappa says, in words. what: "document". label: "grade"."""
    same = round(kappa.agreement * kappa.n)
    begin = (
        f"{same:,} of {pluralise(kappa.n, what)} ({format_tenths(kappa.agreement)}) got the same {label} from both. Two judges "
        f"who hand out as many of each {label} as these two did, but blindly, would agree on {format_tenths(kappa.chance)}."
    )
    if np.isnan(kappa.value):
        return begin
    if same == kappa.n:
        return f"{begin} Cohen's kappa is 1: full agreement."
    end = f"they went {format_tenths(kappa.value)} of the way from chance to full agreement"
    if kappa.value < 0.0005:
        end = f"they agree {'less' if kappa.value < -0.0005 else 'no more'} than by chance"
    if np.isnan(kappa.low):
        return f"{begin} Cohen's kappa is {kappa.value:.2f}: {end}."
    level = format_percent(kappa.confidence_level)
    return f"{begin} Cohen's kappa is {kappa.value:.2f} ({level} interval {kappa.low:.2f} to {kappa.high:.2f}): {end}."


def format_tenths(share: float) -> str:
    """A share to a tenth of a percent."""
    return format_percent(round(share, 3))
