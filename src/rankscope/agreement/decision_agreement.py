"""Agreement of decisions (which of two translations is better) between metrics and people, as confusion matrices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np

from rankscope.agreement.direction import directions
from rankscope.agreement.load import JudgmentSource, PeopleAndMetrics, ScoreSource, load
from rankscope.agreement.match import match
from rankscope.agreement.settings import DecisionSettings, Names, judgment_settings_of, metric_settings_of
from rankscope.agreement.statistics import KINDS, count_by_judgment, count_unscored_pairs
from rankscope.data.columns import column, digits, table_of, thousands
from rankscope.data.result import Result
from rankscope.data.section import Figure, Section
from rankscope.data.text import format_percent, pluralise
from rankscope.errors import InputError
from rankscope.kernels.rounding_ties import best_places
from rankscope.stats.confusion import ConfusionMatrix, Rates, confusion_matrix, rates
from rankscope.typing import Floats, Ints, PathLike

__all__ = [
    "LABELS",
    "DecisionAgreement",
    "count_decisions",
    "decisions",
]


#: The decisions on the first of two translations.
LABELS = ("better", "tie", "worse")
#: The rates of a class that are shown, by field of `Rates`.
CLASS_RATES = ("precision", "recall", "fscore")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DecisionAgreement(Result):
    """Which of two translations each metric prefers, compared with the preferences of people.

    `frame()` is the tidy table; its n is the number of pairs of translations.

    Attributes
    ----------
    metrics
        The names of the metrics.
    pairs
        The language pairs.
    kinds
        (metrics, 5) how many pairs of translations are of each kind of `rankscope.agreement.statistics.KINDS`.
    confusion
        The confusion matrix of each metric: rows are people, columns the metric. The order of two translations means
        nothing, so that every pair counts twice, once from each side.
    rates
        Accuracy, precision and the other rates of each metric.
    lost
        (metrics) how many pairs are skipped because a score is missing.
    settings
        How decisions were compared.
    gold
        The column of people.
    higher
        Those of the column of people and the metrics in which higher is better.
    notes
        What a reader should know.
    """

    COLUMNS = ("metric", "statistic", "label", "value", "n")

    metrics: tuple[str, ...]
    pairs: tuple[str, ...]
    kinds: Ints
    confusion: tuple[ConfusionMatrix, ...]
    rates: tuple[Rates, ...]
    lost: Ints
    settings: DecisionSettings
    gold: str
    higher: tuple[str, ...]
    notes: tuple[str, ...]

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table; NaN where a statistic has no value."""
        for m, metric in enumerate(self.metrics):
            rates, n = self.rates[m], int(self.kinds[m].sum())
            yield metric, "accuracy", "", rates.accuracy, n
            yield metric, "mcc", "", rates.mcc, n
            for i, label in enumerate(LABELS):
                for name in CLASS_RATES:
                    yield metric, name, label, float(getattr(rates, name)[i]), n
            for kind, count in zip(KINDS, self.kinds[m].tolist(), strict=True):
                yield metric, "pairs", kind, float(count), n
            for i, human_label in enumerate(LABELS):
                for j, metric_label in enumerate(LABELS):
                    label = f"{human_label} -> {metric_label}"
                    confusion = self.confusion[m]
                    yield metric, "count", label, float(confusion.counts[i, j]), n
                    if confusion.normalise is not None:
                        yield metric, f"share_of_{confusion.normalise}", label, float(confusion.values[i, j]), n

    def sections(self) -> tuple[Section, ...]:
        """The table of all metrics, and the matrix of each."""
        matrices = [
            matrix_section(name, confusion) for name, confusion in zip(self.metrics, self.confusion, strict=True)
        ]
        return (self.overview(), *matrices)

    def overview(self) -> Section:
        f = f"F{self.settings.beta:g}"
        class_columns = [
            (f"{f if name == 'fscore' else name}{suffix}", name, i)
            for i, suffix in ((0, ""), (1, " (tie)"))
            for name in CLASS_RATES
        ]
        lost_notes = [
            f"{metric}: {pluralise(int(n_lost), 'pair')} of judged translations skipped because a score is missing"
            for metric, n_lost in zip(self.metrics, self.lost, strict=True)
            if n_lost
        ]
        rate_notes = [
            f"{name}: {note}"
            for name, metric_rates in zip(self.metrics, self.rates, strict=True)
            for note in metric_rates.notes
        ]
        return Section(
            title="Decisions on pairs of translations",
            sentence=self.sentence(),
            table=table_of(
                column("metric", self.metrics, name=True),
                column("accuracy", (metric_rates.accuracy for metric_rates in self.rates), digits()),
                column("MCC", (metric_rates.mcc for metric_rates in self.rates), digits()),
                *(
                    column(title, (getattr(metric_rates, name)[i] for metric_rates in self.rates), digits())
                    for title, name, i in class_columns
                ),
                column("pairs", (kinds.sum() for kinds in self.kinds), thousands),
            ),
            notes=(*lost_notes, *rate_notes),
        )

    def sentence(self) -> str:
        """The sentence on the metric that is right most often, and on the columns."""
        best = int(best_places(np.array([metric_rates.accuracy for metric_rates in self.rates])).argmax())
        concordant, discordant, _, tied_by_metric, _ = self.kinds[best].tolist()
        n = concordant + discordant + tied_by_metric
        opening = ""
        if n:
            shares = [format_percent(round(count / n, 3)) for count in (concordant, discordant, tied_by_metric)]
            opening = (
                f"Of {pluralise(n, 'pair')} of translations of which people prefer one, {self.metrics[best]} prefers "
                f"the same in {shares[0]}, the other in {shares[1]}, neither in {shares[2]}. "
            )
        return (
            f"{opening}Accuracy is the share of pairs decided as by people, ties included. Precision, recall and F are "
            'those of "better" ("worse" has the same), then those of ties. MCC, Matthews\' correlation, is 1 if all '
            "decisions agree, and 0 for agreement by chance."
        )

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers."""
        named_pairs = [pair for pair in self.pairs if pair]
        return [
            "decisions on pairs",
            f"gold:{self.gold}",
            *directions(self.gold, self.metrics, self.higher),
            *([f"pairs:{','.join(named_pairs)}"] if named_pairs else []),
            *self.settings.parts("epsilon", "beta"),
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        pairs = pluralise(len(self.pairs), "language pair")
        return f"{pluralise(len(self.metrics), 'metric')}, {pairs}"


def matrix_section(metric: str, confusion: ConfusionMatrix) -> Section:
    """The section of one metric's matrix: a table and a figure."""
    shows_shares = confusion.normalise is not None
    cells = confusion.values if shows_shares else confusion.counts
    write = digits() if shows_shares else thousands
    share_of = {"row": "of its row", "column": "of its column", "all": "of all", None: ""}[confusion.normalise]
    explanation = (
        f"Each number is a share {share_of}." if shows_shares else "Each pair counts twice, once from each translation."
    )
    return Section(
        title=f"People and {metric}",
        sentence=(
            f"Rows: people find a translation better than another, as good, or worse. Columns: {metric}. {explanation}"
        ),
        table=table_of(
            column("", LABELS, name=True),
            *(column(label, values, write) for label, values in zip(LABELS, cells.T.tolist(), strict=True)),
        ),
        figure=Figure(
            "confusion_matrix",
            {
                "labels": LABELS,
                "counts": confusion.counts.tolist(),
                "rows": "people",
                "columns": metric,
                "normalise": confusion.normalise,
            },
        ),
    )


def decisions(
    judgments: JudgmentSource,
    scores: ScoreSource = (),
    *,
    gold: str | None = None,
    pairs: Sequence[str] | None = None,
    metrics: Names | None = None,
    higher: Names = (),
    lower: Names = (),
    ranks: Names = (),
    duplicates: str | None = None,
    reference: str | None = None,
    lines: PathLike | None = None,
    columns: Mapping[str, str] | None = None,
    test_set: str | None = None,
    epsilon: float = 0.0,
    normalise: str | None = None,
    beta: float = 1.0,
) -> DecisionAgreement:
    """Which of two translations metrics prefer (better, tie, worse), compared with the preferences of people.

    Parameters
    ----------
    judgments, scores
        As `segments` takes them. All language pairs are counted together.
    gold
        Column with the human ranks or scores. Default: the column named "rank", "gold" or "human".
    pairs
        Language pairs to include, in this order. Default: all.
    metrics
        Metrics to include, in this order. Default: all.
    higher
        Columns in which higher is better, such as scores; other columns of judgments hold ranks.
    lower
        Metrics, or human scores, in which lower is better, such as TER and HTER.
    ranks
        Columns of ranks, 1 for the best, whose values or names do not say so, such as means of ranks.
    duplicates
        What to do with judgments that repeat an earlier one in all fields. One of 'keep', 'drop', 'refuse'. Default:
        keep, as WMT does.
    reference
        What to do with the reference if a ranking CSV of WMT ranks it as a system. One of 'keep', 'drop'. Default:
        keep.
    lines
        For WMT11: a file whose line i names segment i of the ranking CSV.
    columns
        Column names in a table, where NAME is segment, system, pair, judge or judgment: system=engine. Default: found
        by their usual names.
    test_set
        Test set to use from score files that hold several.
    epsilon
        Largest difference of two scores of a metric that counts as a tie. Default: 0.0.
    normalise
        Show the confusion matrix as shares of each row, of each column, or of all. One of 'row', 'column', 'all'.
        Default: counts.
    beta
        Weight of recall in the F measure: recall counts B times as much as precision; 1 gives F1. Default: 1.0.

    Returns
    -------
    DecisionAgreement
        A confusion matrix and its rates for each metric. Accuracy, precision, recall and F are in [0, 1], Matthews'
        correlation in [-1, 1]; higher is better. What divides 0 by 0 is NaN, with a note.

    Raises
    ------
    InputError
        No pair of translations has values of both people and a metric; otherwise as `segments`.
    ParameterError
        A setting is out of range.

    References
    ----------
    Deutsch, Foster and Freitag (2023), "Ties matter", for the accuracy, which is `acc_eq` over all pairs;
    `rankscope.stats.confusion` for the rates.

    Examples
    --------
    >>> from rankscope import Rankings
    >>> people = Rankings.of([{"A": 1, "B": 2, "C": 2}], name="rank")
    >>> found = decisions(people.with_column("judge", np.array([0.9, 0.5, 0.7]), higher_is_better=True))
    >>> found.confusion[0].counts.tolist()  # A better than B and C for both; the judge has no tie
    [[2, 0, 0], [1, 0, 1], [0, 0, 2]]
    >>> round(found.rates[0].accuracy, 4)
    0.6667
    """
    settings = DecisionSettings(epsilon=epsilon, normalise=normalise, beta=beta)
    judgment_settings = judgment_settings_of(
        gold=gold, pairs=pairs, higher=higher, duplicates=duplicates, reference=reference, lines=lines, columns=columns
    )
    metric_settings = metric_settings_of(metrics=metrics, lower=lower, ranks=ranks, test_set=test_set)
    return count_decisions(load(judgments, scores, judgment_settings, metric_settings, level="segment"), settings)


def count_decisions(inputs: PeopleAndMetrics, settings: DecisionSettings) -> DecisionAgreement:
    """As `decisions`, with judgments and metrics that are loaded, and the settings as one object.

    Parameters
    ----------
    inputs
        Human judgments and metrics.
    settings
        How decisions are compared.

    Raises
    ------
    InputError
        No judgment has two translations with values of both people and a metric.
    """
    matches, notes = match(inputs, "list", "keep")
    gold, *metrics = names = matches[0].names
    kinds, lost = np.zeros((len(metrics), len(KINDS)), np.int64), np.zeros(len(metrics), np.int64)
    for matched_scores in matches:
        scores = matched_scores.aligned()
        for m, values in enumerate(scores.metrics):
            kinds[m] += count_kinds(scores.people, values, settings.epsilon)
            lost[m] += count_unscored_pairs(scores.people, values)
    for name, counts in zip(metrics, kinds, strict=True):
        if not counts.any():
            raise InputError(
                f"no judgment has two translations with a value of both people and {name}; nothing to count"
            )
    tables = [matrix_of(*row) for row in kinds.tolist()]
    return DecisionAgreement(
        metrics=tuple(metrics),
        pairs=tuple(matched_scores.pair for matched_scores in matches),
        kinds=kinds,
        confusion=tuple(confusion_matrix(table, labels=LABELS, normalise=settings.normalise) for table in tables),
        rates=tuple(rates(table, labels=LABELS, beta=settings.beta) for table in tables),
        lost=lost,
        settings=settings,
        gold=gold,
        higher=tuple(compress(names, matches[0].higher)),
        notes=tuple(notes),
    )


def count_kinds(people: Floats, metric: Floats, epsilon: float) -> list[int]:
    """How many pairs of translations are of each kind of KINDS."""
    counts = count_by_judgment(people, metric, epsilon=epsilon)
    by_kind = (counts.concordant, counts.discordant, counts.tied_x, counts.tied_y, counts.tied_both)
    return [int(by_judgment.sum()) for by_judgment in by_kind]


def matrix_of(concordant: int, discordant: int, tied_human: int, tied_metric: int, tied_both: int) -> Ints:
    """(people, metric) the confusion matrix in which each pair counts from both sides."""
    return np.array(
        [
            [concordant, tied_metric, discordant],
            [tied_human, 2 * tied_both, tied_human],
            [discordant, tied_metric, concordant],
        ],
        np.int64,
    )
