"""Agreement of predicted with true labels: rates, kappa and alpha, with tables and sentences that judges share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from rankscope.data.columns import column, columns_of, digits, table_of
from rankscope.data.result import Result
from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import format_percent, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.settings import Rule, Settings, confidence_field, declare, name_list, table_columns
from rankscope.stats.confusion import (
    AVERAGED,
    RATES,
    ConfusionMatrix,
    Label,
    Rates,
    beta_field,
    confusion_matrix,
    encode,
    normalise_field,
    rates,
    share_interval,
)
from rankscope.stats.rater_agreement import Alpha, Kappa, cohens_kappa, krippendorffs_alpha
from rankscope.typing import Floats, Ints

__all__ = [
    "ChanceCorrected",
    "LabelAgreement",
    "LabelSettings",
    "LabelTableSettings",
    "Row",
    "agree_label_lists",
    "agree_labels",
    "binary_rows",
    "chance_corrected_agreement",
    "chance_sentence",
    "class_rows",
    "count_rows",
    "format_tenths",
    "matrix_section",
    "row_table",
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


class LabelRule(Rule):
    """A label: a text or a number."""

    expected = "a label, which is a text or a number"

    def accepts(self, value: object) -> bool:
        return isinstance(value, (str, Real, np.bool_))


@dataclass(frozen=True, kw_only=True)
class LabelSettings(Settings):
    """How predicted labels are compared with true ones; see `agree_labels`."""

    FUNCTIONS = ("rankscope:agree_labels",)
    COMMANDS = ("agree labels",)

    positive: str | float | None = declare(
        LabelRule(),
        None,
        "The positive class, for precision, recall and the other rates.",
        metavar="LABEL",
        unset="of two classes, the last in sorted order; of more than two, the rates of every class",
    )
    beta: float = beta_field()
    normalise: str | None = normalise_field()
    order: tuple[str, ...] | None = name_list(
        None,
        help="Labels that are texts, in rising order: bad,ok,good. Weighted kappa and alpha then count how far two "
        "labels are apart.",
        unset="texts have no order",
    )
    confidence_level: float = confidence_field()


@dataclass(frozen=True, kw_only=True)
class LabelTableSettings(Settings):
    """How a table of labels is read."""

    FUNCTIONS = ()
    COMMANDS = ("agree labels",)

    columns: Mapping[str, str] | None = table_columns(
        {"true": "alice", "predicted": "gpt4"},
        help="Column names of the true and the predicted labels: true=alice,predicted=gpt4.",
    )
    raters: tuple[str, ...] | None = name_list(
        None,
        help="Columns of two or more raters, to compare all of them with each other.",
        unset="compare predicted with true labels",
    )

    def check(self) -> None:
        """Refuse names of columns that raters replace."""
        if self.raters is not None:
            self.refuse("columns", since="raters (--raters) names the columns")


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
    confusion: ConfusionMatrix, a: Ints, b: Ints, confidence_level: float, *, has_order: bool = False
) -> ChanceCorrected:
    """Kappa and alpha. a, b: indices of the labels. Weights and alpha treat labels that are numbers as a scale.

    has_order: whether the labels are in rising order, and so a scale of ranks.
    """
    positions = np.arange(len(confusion.labels), dtype=np.float64) if has_order else scale_of(confusion.labels)

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


def class_rows(rates: Rates, confidence_level: float) -> Iterator[Row]:
    """The rates of each class against all others, and their averages."""
    for i, label in enumerate(rates.labels):
        for name in RATES:
            yield rate_row(rates, i, name, str(label), confidence_level)
    for name in AVERAGED:
        yield f"{name}_macro", "", rates.macro[name], NAN, NAN, rates.n
        yield f"{name}_micro", "", rates.micro[name], NAN, NAN, rates.n
    yield "mcc", "", rates.mcc, NAN, NAN, rates.n


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


def chance_sentence(kappa: Kappa, unit: str, label: str) -> str:
    """Kappa in words. unit: as "document". label: as "grade"."""
    n_same = round(kappa.agreement * kappa.n)
    opening = (
        f"{n_same:,} of {pluralise(kappa.n, unit)} ({format_tenths(kappa.agreement)}) got the same {label} from both. "
        f"By chance, if each judge gave every {label} as often as it did but at random, they would agree on "
        f"{format_tenths(kappa.chance)}."
    )
    if np.isnan(kappa.value):
        return opening
    if n_same == kappa.n:
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


#: Pairs of labels whose second one is clearly the positive class.
PLAIN = ((0, 1), (-1, 1), (False, True), ("0", "1"), ("no", "yes"), ("false", "true"))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LabelAgreement(Result):
    """How far predicted labels agree with true ones.

    `print` shows sentences and tables; `frame()` is the tidy table.

    Attributes
    ----------
    confusion
        The confusion matrix: rows are true labels, columns predicted ones.
    chance_corrected
        Cohen's kappa, weighted as well if there are more than two labels and they are numbers, and Krippendorff's
        alpha.
    rates
        Precision, recall and the other rates of each class against all others.
    binary
        The rates of the positive class against the rest; None for more than two classes without a positive one.
    positive
        The positive class, or None.
    settings
        How the labels were compared.
    notes
        What a reader should know.
    """

    COLUMNS = ("statistic", "label", "value", "low", "high", "n")

    confusion: ConfusionMatrix
    chance_corrected: ChanceCorrected
    rates: Rates
    binary: Rates | None
    positive: Label | None
    settings: LabelSettings
    notes: tuple[str, ...]

    def records(self) -> Iterator[Row]:
        """The rows of the tidy table; NaN where a statistic has no value or no interval."""
        yield from self.chance_corrected.rows()
        if self.binary is None:
            yield from class_rows(self.rates, self.settings.confidence_level)
        else:
            yield from binary_rows(self.binary, str(self.positive), self.settings.confidence_level)
        yield from count_rows(self.confusion)

    def sections(self) -> tuple[Section, ...]:
        """What a report shows."""
        agreement = Section(
            title="Agreement",
            sentence=chance_sentence(self.chance_corrected.kappa, "item", "label"),
            table=row_table(list(self.chance_corrected.rows()), self.settings.beta),
        )
        axes = "Rows: true labels. Columns: predicted labels."
        return agreement, matrix_section(self.confusion, "true", "predicted", axes), self.rates_section()

    def rates_section(self) -> Section:
        if self.binary is None:
            return Section(title="By class", sentence=class_sentence(self.rates), table=class_table(self.rates))
        rows = list(binary_rows(self.binary, str(self.positive), self.settings.confidence_level))
        return Section(
            title=f"{self.positive} or not",
            sentence=rates_sentence(self.binary, str(self.positive)),
            table=row_table(rows, self.settings.beta),
        )

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers."""
        return [
            "agreement of labels",
            *([] if self.positive is None else [f"positive:{self.positive}"]),
            f"beta:{self.settings.beta:g}",
            *([] if self.settings.order is None else [f"order:{','.join(self.settings.order)}"]),
            f"alpha:{self.chance_corrected.alpha.level}",
            f"confidence:{self.settings.confidence_level:g}",
            f"items:{self.confusion.n}",
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{pluralise(self.confusion.n, 'item')}, {pluralise(len(self.confusion.labels), 'class', 'classes')}"


def agree_labels(
    true: Any,
    predicted: Any,
    *,
    positive: Label | None = None,
    beta: float = 1.0,
    normalise: str | None = None,
    order: Sequence[str] | None = None,
    confidence_level: float = 0.95,
) -> LabelAgreement:
    """How far predicted labels agree with true ones: accuracy, kappa, alpha, and the rates of each class.

    Parameters
    ----------
    true, predicted
        One label for each item, text or numbers; both lists in the same order of the items.
    positive
        The positive class, for precision, recall and the other rates. Default: of two classes, the last in sorted
        order; of more than two, the rates of every class.
    beta
        Weight of recall in the F measure: recall counts B times as much as precision; 1 gives F1. Default: 1.0.
    normalise
        Show the confusion matrix as shares of each row, of each column, or of all. One of 'row', 'column', 'all'.
        Default: counts.
    order
        Labels that are texts, in rising order: bad,ok,good. Weighted kappa and alpha then count how far two labels are
        apart. Default: texts have no order.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.

    Returns
    -------
    LabelAgreement
        The confusion matrix, agreement beyond chance, and the rates.

    Raises
    ------
    InputError
        The lists have different lengths, or no items, or missing labels (NaN, None), or one has text and the other
        numbers, or there is only one class.
    ParameterError
        The positive class is none of the labels, or a setting is out of range.

    Notes
    -----
    Intervals treat the items as drawn independently of each other. The statistics agree with scikit-learn and
    statsmodels where those have a value; sources are in `rankscope.stats.rater_agreement` and
    `rankscope.stats.confusion`.

    Examples
    --------
    >>> agreement = agree_labels(["yes", "no", "yes", "no", "yes"], ["yes", "no", "yes", "yes", "no"])
    >>> round(agreement.chance_corrected.kappa.value, 4), round(agreement.binary.of("yes")["recall"], 4)
    (0.1667, 0.6667)
    """
    settings = LabelSettings(
        positive=positive,
        beta=beta,
        normalise=normalise,
        order=None if order is None else tuple(order),
        confidence_level=confidence_level,
    )
    return agree_label_lists(true, predicted, settings)


def agree_label_lists(true: Any, predicted: Any, settings: LabelSettings) -> LabelAgreement:
    """As `agree_labels`, with its settings as one object."""
    positive = settings.positive
    labels, a, b = encode(true, predicted, settings.order)
    if len({*np.unique(a).tolist(), *np.unique(b).tolist()}) == 1:
        raise InputError(
            f"there is only the label {labels[a[0]]!r} in both lists ({pluralise(a.size, 'item')}), expected at least "
            "2 classes; with one class, agreement cannot be distinguished from chance"
        )
    if positive is not None and positive not in labels:
        shown_labels = ", ".join(map(repr, labels[:10]))
        raise ParameterError(
            f"the positive class {positive!r} is none of the labels ({shown_labels}); name one of them"
        )
    n_classes = len(labels)
    counts = np.bincount(a * n_classes + b, minlength=n_classes * n_classes).reshape(n_classes, n_classes)
    confusion = confusion_matrix(counts, labels=labels, normalise=settings.normalise)
    notes = []
    if positive is None and n_classes == 2:
        positive = labels[1]
        if settings.order is None and not is_plain(labels):
            notes.append(
                f"{positive!r} is the positive class, as the last in order; --positive (positive=) names another"
            )
    rates_by_class = rates(counts, labels=labels, beta=settings.beta)
    binary = None if positive is None else two_classes(counts, labels, positive, settings.beta)
    chance_corrected = chance_corrected_agreement(
        confusion, a, b, settings.confidence_level, has_order=settings.order is not None
    )
    return LabelAgreement(
        confusion=confusion,
        chance_corrected=chance_corrected,
        rates=rates_by_class,
        binary=binary,
        positive=positive,
        settings=settings,
        notes=(*notes, *chance_corrected.notes, *(rates_by_class if binary is None else binary).notes),
    )


def is_plain(labels: tuple[Label, ...]) -> bool:
    lower_labels = tuple(label.lower() if isinstance(label, str) else label for label in labels)
    return lower_labels in PLAIN


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


def rates_sentence(binary_rates: Rates, positive: str) -> str:
    """Recall and the false positive rate, in words and counts."""
    tp, fp, fn, tn = (int(counts[1]) for counts in (binary_rates.tp, binary_rates.fp, binary_rates.fn, binary_rates.tn))
    return (
        f"Predicted as {positive}: {format_share(tp, tp + fn)} of the items with this label, and "
        f"{format_share(fp, fp + tn)} of the others."
    )


def format_share(count: int, total: int) -> str:
    return f"{count:,} of {total:,}" + (f" ({format_tenths(count / total)})" if total else "")


def class_sentence(class_rates: Rates) -> str:
    """The class with the lowest recall."""
    defined = np.flatnonzero(~np.isnan(class_rates.recall))
    worst = int(defined[np.argmin(class_rates.recall[defined])])
    if class_rates.recall[worst] == 1:
        return "Each class against all others. All items were predicted correctly."
    share = format_share(int(class_rates.tp[worst]), int(class_rates.tp[worst] + class_rates.fn[worst]))
    return f"Each class against all others. The lowest recall is that of {class_rates.labels[worst]}: {share}."


def class_table(class_rates: Rates) -> Table:
    names = ("precision", "recall", "specificity", "fscore")
    macro, micro = class_rates.macro, class_rates.micro
    return table_of(
        column("class", [*class_rates.labels, "mean of classes (macro)", "pooled counts (micro)"], name=True),
        *(
            column(
                f"F{class_rates.beta:g}" if name == "fscore" else name,
                [*getattr(class_rates, name), macro[name], micro[name]],
                digits(),
            )
            for name in names
        ),
        column("n", [*(class_rates.tp + class_rates.fn).tolist(), class_rates.n, class_rates.n]),
    )
