"""Agreement of raters on labels: of every two, of all together, and of machines beside people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from rankscope.comparison.judges.agreement_rows import NAN, scale_of
from rankscope.comparison.judges.label_columns import (
    cluster_codes,
    encode_raters,
    item_weights,
    load_labels,
    usable_items,
)
from rankscope.comparison.judges.label_estimates import AgreementEstimates, CodedLabels, Statistics, estimate_agreement
from rankscope.comparison.judges.label_result import (
    FALLS_SHORT,
    PEOPLE,
    REACHES,
    UNDECIDED,
    Estimate,
    HumanCeiling,
    LabelAgreement,
    RaterGroup,
    RaterPair,
)
from rankscope.comparison.judges.label_settings import GRADED, STATISTICS, LabelSettings, LabelTableSettings
from rankscope.data.text import first_names, join_names, pluralise
from rankscope.errors import ParameterError
from rankscope.io.tables import LabelTable, find_label
from rankscope.settings import as_names
from rankscope.stats.confusion import MCC_UNDEFINED, Label, confusion_matrix, share_interval
from rankscope.stats.inputs import seed_of
from rankscope.typing import Ints, PathLike

__all__ = [
    "agree_label_table",
    "agree_labels",
]


#: Fewer items, or fewer labels but the commonest one, leave intervals too narrow.
FEW, RARE = 30, 10
#: Most raters: of more, pairs are too many to be read.
MAX_RATERS = 50
#: Pairs of labels whose second one is clearly the positive class.
PLAIN = ((0, 1), (-1, 1), (False, True), ("0", "1"), ("no", "yes"), ("false", "true"))


def agree_labels(
    labels: Mapping[str, Sequence[Label | None]] | PathLike | Any,
    *,
    raters: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    machines: str | Sequence[str] | None = None,
    order: Sequence[Label] | None = None,
    positive: Label | None = None,
    beta: float = 1.0,
    normalise: str | None = None,
    statistic: str | None = None,
    margin: float = 0.0,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: Any = 0,
) -> LabelAgreement:
    """How far raters give items the same labels: kappa, alpha, AC1, F and others, of every two and of all together.

    Parameters
    ----------
    labels
        The labels of each rater, as a mapping of lists in one order of the items (texts or numbers; None or NaN for no
        label), a data frame, or the path of a table. A column `cluster` says which items belong together, and a column
        `weight` how many items each one stands for. All other columns of a mapping are raters unless `raters` names
        some.
    raters
        Columns of the raters, two or more: alice,bob,gpt4. The first of two is the reference. Default: the columns true
        and predicted.
    columns
        Column names of clusters and weights of items: cluster=document,weight=w. Default: found by their usual names.
    machines
        Raters that are machines: each is compared with people, beside what people agree with each other. Default: all
        raters are people.
    order
        All labels from the lowest to the highest: bad,ok,good, also those that nobody gave. Weighted kappa, alpha and
        AC2 then count how far two labels are apart. Default: numbers by size; texts have no order.
    positive
        The positive class, for F, precision, recall and the other rates. Default: of two classes, the last in sorted
        order; of more than two, none.
    beta
        Weight of recall in the F measure: recall counts B times as much as precision; 1 gives F1. Default: 1.0.
    normalise
        Show the confusion matrix as shares of each row, of each column, or of all. One of 'row', 'column', 'all'.
        Default: counts.
    statistic
        Statistic by which machines are compared with people. One of 'agreement', 'kappa', 'kappa_linear',
        'kappa_quadratic', 'alpha_nominal', 'alpha_ordinal', 'alpha_interval', 'ac1', 'ac2_linear', 'ac2_quadratic',
        'fscore', 'mcc'. Default: alpha_ordinal for labels with an order, else alpha_nominal.
    margin
        How far below the agreement of people a machine may be and still reach it. Default: 0.0.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    n_resamples
        Number of bootstrap resamples of the items, or of clusters of items. Default: 2000.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.

    Returns
    -------
    LabelAgreement
        Statistics with intervals, confusion matrices, and each machine beside people. Labels have an order if they are
        numbers or `order` is given, and there are more than two.

    Raises
    ------
    InputError
        The lists have different lengths, no two raters labelled the same items, there is only one label, some raters
        have texts and others numbers, a column is missing, or a weight is not above 0.
    ParameterError
        There are fewer than two raters, a machine is no rater, the positive class is no label, the statistic needs an
        order or a positive class that is not there, or a setting is out of range.

    Notes
    -----
    Each statistic is of the items that its raters labelled. Items, or clusters, are drawn with equal chance and
    carry their weights. Intervals are BCa with Student's quantiles; shares of items that have neither clusters nor
    weights have Wilson's.

    References
    ----------
    Cohen (1960, 1968) for kappa; Krippendorff (2011) for alpha; Gwet (2008, 2014) for AC1 and AC2; see
    `rankscope.stats`, whose `cohens_kappa`, `krippendorffs_alpha` and `gwets_ac` give the same values.

    Examples
    --------
    >>> labels = {"ann": list("aabbab"), "bob": list("aabbba"), "gpt": list("aabaab")}
    >>> agreement = agree_labels(labels, machines="gpt")
    >>> round(agreement.pair("ann", "bob").statistics["kappa"].value, 4)
    0.3333
    >>> ceiling = agreement.ceilings[0]
    >>> round(ceiling.machine_agreement["kappa"].value, 4), round(ceiling.people_agreement["kappa"].value, 4)
    (0.3333, 0.3333)
    """
    table_settings = LabelTableSettings(raters=as_names(raters), columns=columns)
    settings = LabelSettings(
        machines=as_names(machines),
        order=names_of_labels(order),
        positive=positive,
        beta=beta,
        normalise=normalise,
        statistic=statistic,
        margin=margin,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        seed=seed_of(rng),
    )
    return agree_label_table(load_labels(labels, table_settings), settings)


def names_of_labels(order: Any) -> Any:
    """The labels as the command has them, as texts; anything else as it is, for the rule to refuse."""
    labels = as_names(order)
    if not isinstance(labels, tuple):
        return labels
    return tuple(str(label) if isinstance(label, Real | np.bool_) else label for label in labels)


def agree_label_table(table: LabelTable, settings: LabelSettings) -> LabelAgreement:
    """As `agree_labels`, with its settings as one object."""
    people, machines = divide_raters(table, settings)
    raters = (*people, *machines)
    all_classes, all_codes = encode_raters({name: table.labels[name] for name in raters}, settings.order)
    classes, codes, is_used = usable_items(raters, all_classes, all_codes, settings.order)
    weights, weight_notes = item_weights(table.weights, is_used)
    clusters = None if table.clusters is None else cluster_codes(table.clusters)[is_used]
    labels = CodedLabels(codes=codes, n_classes=len(classes), weights=weights, clusters=clusters)
    positive, positive_notes = positive_class(classes, settings)
    statistics = statistics_of(classes, positive, settings, n_raters=len(raters))
    statistic = ceiling_statistic(settings, statistics)
    sizes = [len(raters)] if len(raters) > 2 else []
    sizes += [len(people)] if machines and len(people) > 2 else []
    estimates = estimate_agreement(
        labels,
        statistics,
        groups=[range(size) for size in sizes],
        people=range(len(people)),
        machines=range(len(people), len(raters)),
        confidence_level=settings.confidence_level,
        n_resamples=settings.n_resamples,
        rng=settings.seed,
    )
    parts = ResultParts(people, machines, classes, labels, statistics, estimates, settings, table.weights is not None)
    pairs = tuple(parts.pair(i) for i in range(len(estimates.pairs)))
    return LabelAgreement(
        raters=raters,
        labels=classes,
        positive=positive,
        groups=tuple(parts.group(i, name) for i, name in zip(range(len(sizes)), ("all", PEOPLE), strict=False)),
        pairs=pairs,
        ceilings=tuple(parts.ceiling(i, statistic) for i in range(len(estimates.ceilings))),
        statistic=statistic,
        n_items=codes.shape[1],
        n_clusters=None if labels.clusters is None else estimates.n_units,
        is_weighted=table.weights is not None,
        settings=settings,
        notes=(*gap_notes(table, raters, all_codes), *weight_notes, *positive_notes, *parts.notes(pairs)),
    )


def statistics_of(
    classes: tuple[Label, ...], positive: Label | None, settings: LabelSettings, *, n_raters: int
) -> Statistics:
    """The statistics that these labels have."""
    positions = None
    if len(classes) > 2:
        positions = scale_of(classes)
        if positions is None and settings.order is not None:
            positions = np.arange(len(classes), dtype=np.float64)
    return Statistics(
        positions=positions,
        positive=None if positive is None else classes.index(positive),
        positive_name="" if positive is None else str(positive),
        by_class=tuple(map(str, classes)) if positive is None and n_raters == 2 else (),
        beta=settings.beta,
    )


def divide_raters(table: LabelTable, settings: LabelSettings) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """People and machines. Raises ParameterError for wrong names or numbers of raters."""
    raters, machines = tuple(table.labels), settings.machines or ()
    if len(raters) < 2:
        raise ParameterError(
            f"labels of {join_names(map(repr, raters)) or 'nobody'} only, expected those of two raters or more; name "
            "their columns with raters (--raters)"
        )
    if len(raters) > MAX_RATERS:
        raise ParameterError(f"{len(raters)} raters, expected at most {MAX_RATERS}; name some with raters (--raters)")
    for machine in machines:
        if machine not in raters:
            raise ParameterError(
                f"machines (--machines) has {machine!r}, which is none of the raters {join_names(raters)}; add it to "
                "raters (--raters), or correct it"
            )
    people = tuple(name for name in raters if name not in machines)
    if machines and not people:
        raise ParameterError("machines (--machines) names all raters; leave out those that are people")
    return people, tuple(name for name in raters if name in machines)


def positive_class(classes: tuple[Label, ...], settings: LabelSettings) -> tuple[Label | None, list[str]]:
    """The positive class, or None, and a note where it was chosen. Raises ParameterError if it is no label."""
    positive = settings.positive
    if positive is None:
        if len(classes) != 2:
            return None, []
        lower = tuple(label.lower() if isinstance(label, str) else label for label in classes)
        if settings.order is not None or lower in PLAIN:
            return classes[1], []
        note = f"{classes[1]!r} is the positive class, as the last in order; --positive (positive=) names another"
        return classes[1], [note]
    if isinstance(positive, str):
        positive = find_label(positive, classes)
    if positive not in classes:
        label_names = ", ".join(map(repr, classes[:10]))
        raise ParameterError(f"the positive class {positive!r} is none of the labels ({label_names}); name one of them")
    return classes[classes.index(positive)], []


def ceiling_statistic(settings: LabelSettings, statistics: Statistics) -> str:
    """The statistic that machines are compared by. Raises ParameterError if the labels do not have it."""
    has_order = statistics.positions is not None
    if settings.statistic is None:
        return "alpha_ordinal" if has_order else "alpha_nominal"
    if settings.statistic in GRADED and not has_order:
        raise ParameterError(
            f"statistic (--statistic) is {settings.statistic!r}, which needs three labels or more with an order; name "
            "their order with order (--order), or choose another statistic"
        )
    if settings.statistic == "fscore" and statistics.positive is None:
        raise ParameterError(
            "statistic (--statistic) is 'fscore', which needs a positive class; name it with positive (--positive)"
        )
    return settings.statistic


class ResultParts(NamedTuple):
    """What the parts of a result are made from."""

    people: tuple[str, ...]
    machines: tuple[str, ...]
    classes: tuple[Label, ...]
    labels: CodedLabels
    statistics: Statistics
    estimates: AgreementEstimates
    settings: LabelSettings
    is_weighted: bool

    @property
    def raters(self) -> tuple[str, ...]:
        return (*self.people, *self.machines)

    def of_row(self, row: int, label: str = "") -> dict[str, Estimate]:
        """The statistics of a row that are about this label."""
        estimates = self.estimates
        return {
            name: Estimate(*(float(numbers[i, row]) for numbers in (estimates.values, estimates.low, estimates.high)))
            for i, (name, key_label) in enumerate(estimates.keys)
            if key_label == label
        }

    def of_raters(self, row: int) -> dict[str, Estimate]:
        """The statistics of a row, with those of the positive class."""
        statistics = {name: e for name, e in self.of_row(row).items() if not is_average(name)}
        if self.statistics.positive is not None:
            statistics |= self.of_row(row, self.statistics.positive_name)
        return statistics

    def symmetric(self, row: int) -> dict[str, Estimate]:
        """The statistics that say the same from both sides."""
        return {name: e for name, e in self.of_raters(row).items() if name in STATISTICS}

    def group(self, i: int, name: str) -> RaterGroup:
        """The group of this index."""
        members = list(self.estimates.groups[i])
        return RaterGroup(
            name=name,
            raters=tuple(self.raters[r] for r in members),
            n=int(((self.labels.codes[members] >= 0).sum(axis=0) > 1).sum()),
            statistics=self.symmetric(i),
        )

    def pair(self, i: int) -> RaterPair:
        """The pair of this index."""
        a, b = self.estimates.pairs[i]
        codes, k = self.labels.codes, len(self.classes)
        both = (codes[a] >= 0) & (codes[b] >= 0)
        counts = np.bincount(codes[a][both] * k + codes[b][both], minlength=k * k).reshape(k, k)
        row = self.estimates.row_of_pair(i)
        statistics = self.of_raters(row)
        statistics["chance_agreement"] = statistics["chance_agreement"]._replace(low=NAN, high=NAN)
        if np.isnan(statistics["mcc"].value):
            statistics["mcc"] = Estimate(0.0, NAN, NAN)
        by_class = {label: self.of_row(row, label) for label in self.statistics.by_class}
        if not self.is_weighted and self.labels.clusters is None:
            statistics = self.with_wilson(statistics, counts, self.statistics.positive)
            by_class = {
                label: self.with_wilson(rates, counts, place) for place, (label, rates) in enumerate(by_class.items())
            }
        return RaterPair(
            raters=(self.raters[a], self.raters[b]),
            n=int(both.sum()),
            confusion=confusion_matrix(counts, labels=self.classes, normalise=self.settings.normalise),
            statistics=statistics,
            by_class=by_class,
            averages={name: e for name, e in self.of_row(row).items() if by_class and is_average(name)},
        )

    def with_wilson(
        self, estimates_by_name: dict[str, Estimate], counts: Ints, label: int | None
    ) -> dict[str, Estimate]:
        """The estimates with Wilson's intervals for shares of items."""
        parts = {"agreement": (int(np.trace(counts)), int(counts.sum()))}
        if label is not None:
            tp, n = int(counts[label, label]), int(counts.sum())
            n_true, n_called = int(counts[label].sum()), int(counts[:, label].sum())
            parts |= {
                "precision": (tp, n_called),
                "recall": (tp, n_true),
                "specificity": (n - n_true - n_called + tp, n - n_true),
                "fpr": (n_called - tp, n - n_true),
                "fnr": (n_true - tp, n_true),
            }
        level = self.settings.confidence_level
        ends = {
            name: share_interval(*part, confidence_level=level)
            for name, part in parts.items()
            if name in estimates_by_name
        }
        return estimates_by_name | {
            name: Estimate(estimates_by_name[name].value, float(low), float(high)) for name, (low, high) in ends.items()
        }

    def ceiling(self, i: int, statistic: str) -> HumanCeiling:
        """The machine beside people of this index."""
        ceiling, row = self.estimates.ceilings[i], self.estimates.row_of_ceiling(i)
        machine, people, difference = (self.symmetric(row + side) for side in range(3))
        present = self.labels.codes >= 0
        of_people = present[: len(self.people)]
        enough = present[ceiling.machine] & (of_people.sum(axis=0) > 1)
        if ceiling.left_out is not None:
            enough &= of_people[ceiling.left_out]
        return HumanCeiling(
            machine=self.raters[ceiling.machine],
            left_out=None if ceiling.left_out is None else self.raters[ceiling.left_out],
            n=int(enough.sum()),
            machine_agreement=machine,
            people_agreement=people,
            difference=difference,
            verdict=verdict_of(difference[statistic], self.settings.margin),
        )

    def notes(self, pairs: Sequence[RaterPair]) -> Iterator[str]:
        """What a reader should know of pairs and intervals."""
        n_skipped = len(self.raters) * (len(self.raters) - 1) // 2 - len(pairs)
        if n_skipped:
            yield f"{pluralise(n_skipped, 'pair')} of raters labelled no item in common: skipped"
        yield from pair_notes(pairs)
        estimates = self.estimates
        rows = slice(estimates.row_of_pair(0), estimates.row_of_pair(len(pairs)))
        is_missing = (estimates.share_undefined[:, rows] > 0.5) & ~np.isnan(estimates.values[:, rows])
        undefined = dict.fromkeys(estimates.keys[i][0] for i in np.flatnonzero(is_missing.any(axis=1)))
        unit = "items" if self.labels.clusters is None else "clusters"
        yield from interval_notes(pairs, estimates.n_units, unit, list(undefined))


def is_average(name: str) -> bool:
    """Whether this is an average over classes."""
    return name.endswith(("_macro", "_micro"))


def verdict_of(difference: Estimate, margin: float) -> str:
    """What the interval of the difference says."""
    if difference.low >= -margin:
        return REACHES
    return FALLS_SHORT if difference.high < -margin else UNDECIDED


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
