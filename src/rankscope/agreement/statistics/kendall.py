"""Variants of Kendall's tau: tables of what each of the five kinds of pairs counts, the numbers of pairs of each kind,
and tie calibration: the difference up to which scores of a metric tie so that it agrees most with people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError, UnknownName
from rankscope.kernels.pairs import PairCounts, count_pairs_by_row
from rankscope.kernels.rounding_ties import NOISE, best_places
from rankscope.stats.inputs import check_choice
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "ABSENT",
    "BY_SIGNS",
    "CLOSE",
    "CONVENTIONS",
    "KINDS",
    "CalibrationCurve",
    "Cell",
    "KendallConvention",
    "TieCalibration",
    "as_convention",
    "calibrate",
    "calibration_curve",
    "check_calibrated",
    "count_by_item",
    "count_by_judgment",
    "count_unscored_pairs",
    "kinds_of",
    "pair_indices",
    "pair_weights",
    "parse_table",
]


#: The coefficient of a pair; None: the pair is skipped.
Cell = float | None
X: Cell = None


@dataclass(frozen=True, kw_only=True)
class KendallConvention:
    """What each kind of pair counts: value = sum of coefficient x pairs / pairs that are not skipped.

    A coefficient is a number, or None to skip such pairs in both sums.

    Attributes
    ----------
    concordant, discordant
        Coefficients of pairs that the metric orders as people do, or the other way round.
    tied_human, tied_metric, tied_both
        Coefficients of pairs that only people tie, only the metric ties, or both tie.
    min_difference
        Pairs whose human scores differ by less are skipped; 0 skips none.
    name
        What results call it.
    source
        Where it was published.

    Examples
    --------
    >>> KendallConvention(concordant=1, discordant=-1).value_of(PairCounts(6, 3, 4, 1, 2)).item()  # (6 - 3) / (6 + 3)
    0.3333333333333333
    """

    concordant: Cell = X
    discordant: Cell = X
    tied_human: Cell = X
    tied_metric: Cell = X
    tied_both: Cell = X
    min_difference: float = 0.0
    name: str = "own"
    source: str = "the caller's own table"

    @property
    def cells(self) -> tuple[Cell, ...]:
        """In the order of `PairCounts`: x are people, y is the metric."""
        return self.concordant, self.discordant, self.tied_human, self.tied_metric, self.tied_both

    @property
    def numerator(self) -> Floats:
        """(5) the coefficient of a pair of each kind in the numerator."""
        return np.array([0.0 if cell is None else cell for cell in self.cells])

    @property
    def denominator(self) -> Floats:
        """(5) 1 for kinds that count, 0 for kinds that are skipped."""
        return np.array([0.0 if cell is None else 1.0 for cell in self.cells])

    @property
    def range(self) -> tuple[float, float]:
        """The least and the highest value there can be."""
        coefficients = [cell for cell in self.cells if cell is not None]
        return min(coefficients), max(coefficients)

    @property
    def keeps_pairs(self) -> bool:
        """Whether the same pairs count whatever the metric says: only then is there a best epsilon to look for."""
        counted = self.denominator
        return bool(counted[0] == counted[1] == counted[3] and counted[2] == counted[4])

    @property
    def settings(self) -> str:
        """The name, and of a table of one's own what it holds."""
        if CONVENTIONS.get(self.name) == self:
            return self.name
        coefficients = ",".join("x" if cell is None else f"{cell:g}" for cell in self.cells)
        return f"{self.name}({coefficients}{f';least={self.min_difference:g}' if self.min_difference else ''})"

    def sums(self, counts: PairCounts) -> tuple[Floats, Floats]:
        """Numerator and denominator of each list of counts.

        Parameters
        ----------
        counts
            The numbers of pairs of each kind; x are people, y is the metric.
        """
        kinds = (counts.concordant, counts.discordant, counts.tied_x, counts.tied_y, counts.tied_both)
        table = np.stack([np.asarray(kind, np.float64) for kind in kinds], axis=-1)
        return table @ self.numerator, table @ self.denominator

    def value_of(self, counts: PairCounts) -> Floats:
        """The value of each list of counts; NaN where no pair counts.

        Parameters
        ----------
        counts
            The numbers of pairs of each kind; x are people, y is the metric.
        """
        numerator, denominator = self.sums(counts)
        return np.asarray(
            np.divide(numerator, denominator, out=np.full(denominator.shape, np.nan), where=denominator > 0)
        )

    @classmethod
    def of_table(cls, table: Sequence[Sequence[Cell]]) -> KendallConvention:
        """From 3 x 3 coefficients: rows, people say <, =, >; columns, the metric says <, =, >; None leaves pairs out.

        Which of two translations is the first means nothing, so the table turned by half is the same table.
        Raises ParameterError for another shape, for what is no number, for a table that is not its own half turn, and
        where nothing counts.

        >>> KendallConvention.of_table([[1, -1, -1], [None, None, None], [-1, -1, 1]]).range
        (-1.0, 1.0)
        """
        rows = [list(row) for row in table]
        if len(rows) != 3 or any(len(row) != 3 for row in rows):
            raise ParameterError(
                "the table of coefficients is not 3 x 3 (rows, people say <, =, >; columns, the metric); expected 9 "
                "numbers, such as --table '1,-1,-1;x,x,x;-1,-1,1'"
            )
        cells = [as_cell(cell) for row in rows for cell in row]
        if cells != cells[::-1]:
            raise ParameterError(
                "the table of coefficients depends on the order of the two translations; expected the same number "
                "for (<, <) and (>, >), (<, >) and (>, <), (<, =) and (>, =), (=, <) and (=, >)"
            )
        if all(cell is None for cell in cells):
            raise ParameterError("the table of coefficients skips every pair; at least one cell must be a number")
        return cls(
            concordant=cells[0],
            tied_metric=cells[1],
            discordant=cells[2],
            tied_human=cells[3],
            tied_both=cells[4],
            name="own",
        )


def as_cell(value: object) -> Cell:
    if value is None:
        return None
    is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not is_number or not np.isfinite(value):  # type: ignore[call-overload]  # is_number was checked
        raise ParameterError(f"a coefficient is {value!r}, expected a number, or None to skip such pairs")
    return float(value)  # type: ignore[arg-type]  # a number, as was just checked


def strict_convention(name: str, tied_metric: Cell, source: str, least: float = 0.0) -> KendallConvention:
    """A convention that skips pairs that people tied; concordant pairs count 1, discordant ones -1."""
    return KendallConvention(
        concordant=1.0, discordant=-1.0, tied_metric=tied_metric, min_difference=least, name=name, source=source
    )


OLD = "Callison-Burch et al. (2010; 2011; 2012); a metric's tie counts against it"
TAU13 = "Macháček and Bojar (2013); a metric's ties are skipped"
TAU14 = "Macháček and Bojar (2014); a metric's tie counts neither way, but is counted"
#: Every named convention.
CONVENTIONS: Mapping[str, KendallConvention] = {
    convention.name: convention
    for convention in (
        *(strict_convention(name, -1.0, OLD) for name in ("wmt10", "wmt11", "wmt12", "tau10")),
        *(strict_convention(name, None, TAU13) for name in ("wmt13", "tau13")),
        *(strict_convention(name, 0.0, TAU14) for name in ("wmt14", "tau14")),
        KendallConvention(
            concordant=1.0,
            discordant=-1.0,
            tied_human=-1.0,
            tied_metric=-1.0,
            tied_both=1.0,
            name="tau23",
            source="Deutsch, Foster and Freitag (2023), table 1",
        ),
        KendallConvention(
            concordant=1.0,
            discordant=0.0,
            tied_human=0.0,
            tied_metric=0.0,
            tied_both=1.0,
            name="acc_eq",
            source="Deutsch, Foster and Freitag (2023), table 1",
        ),
        strict_convention(
            "darr", -1.0, "Bojar et al. (2017): pairs whose human scores differ by at least 25 points", 25.0
        ),
    )
}


def as_convention(statistic: str | KendallConvention | Sequence[Sequence[Cell]]) -> KendallConvention:
    """A convention by its name, as it is, or from a table of 3 x 3 coefficients. Raises as
    `KendallConvention.of_table`.

    Raises UnknownName for other names.

    >>> as_convention("wmt14").tied_metric, as_convention("wmt13").tied_metric
    (0.0, None)
    """
    if isinstance(statistic, KendallConvention):
        return statistic
    if isinstance(statistic, str):
        if statistic not in CONVENTIONS:
            raise UnknownName("convention", statistic, CONVENTIONS)
        return CONVENTIONS[statistic]
    return KendallConvention.of_table(statistic)


def parse_table(text: str) -> KendallConvention:
    """A 3 x 3 table of coefficients as text: commas between numbers, semicolons between rows, x to leave out.

    Raises ParameterError where it is not that.

    >>> parse_table("1,x,-1; x,x,x; -1,x,1") == KendallConvention.of_table([[1, None, -1], [None] * 3, [-1, None, 1]])
    True
    """
    rows = [[cell.strip() for cell in row.split(",")] for row in text.split(";")]
    try:
        table = [[None if cell.lower() == "x" else float(cell) for cell in row] for row in rows]
    except ValueError:
        raise ParameterError(
            f"{text!r} is no table of coefficients, expected three rows of three as '1,-1,-1;x,x,x;-1,-1,1'"
        ) from None
    return KendallConvention.of_table(table)


Kinds = npt.NDArray[np.int8]
#: The kinds of a pair, in the order of `PairCounts`; people are x, the metric is y.
KINDS = ("concordant", "discordant", "tied_human", "tied_metric", "tied_both")
#: The kind of a pair with a missing value on either side, or whose human scores are too close.
ABSENT = len(KINDS)
#: The kind by the sign of the human difference (row: -1, 0, 1) and of the metric's (column); see `kinds_of`.
BY_SIGNS = np.array([[0, 3, 1], [2, 4, 2], [1, 3, 0]], np.int8)
#: How many pairs are compared at once: a few arrays of 8 MB.
PAIRS = 1 << 20
#: Differences this close to a threshold, relative to it, count as equal to it: .8 - .7 is not quite .1.
CLOSE = 1e-9


def pair_indices(n_items: int) -> tuple[Ints, Ints]:
    """The places of the first and the second item of every pair of a list."""
    first, second = np.triu_indices(n_items, 1)
    return first.astype(np.int64), second.astype(np.int64)


def kinds_of(gold: Floats, metric: Floats, *, epsilon: float = 0.0, least: float = 0.0) -> Kinds:
    """The kind of each pair of `pair_indices`, as its place in KINDS, (judgments, pairs); ABSENT for pairs that do not
    count.

    Values that differ from epsilon or least only by rounding (a billionth of it) are taken as equal to it.

    Parameters
    ----------
    gold, metric
        Values of people and of the metric, (judgments, items), where lower is better; NaN if there is none.
    epsilon
        Largest difference that is a tie of the metric.
    least
        Pairs with a smaller difference in the human values, ties included, are absent.
    """
    first, second = pair_indices(gold.shape[1])
    with np.errstate(over="ignore"):  # an infinite difference is a large one
        gold_differences, metric_differences = gold[:, first] - gold[:, second], metric[:, first] - metric[:, second]
    absent = np.isnan(gold_differences) | np.isnan(metric_differences)
    if least > 0:
        absent |= ~(np.abs(gold_differences) >= least * (1 - CLOSE))
    signs = [
        np.sign(np.where(absent, 0.0, differences)).astype(np.int8)
        for differences in (gold_differences, metric_differences)
    ]
    if epsilon > 0:
        signs[1][np.abs(metric_differences) <= epsilon * (1 + CLOSE)] = 0
    kinds = BY_SIGNS[signs[0] + 1, signs[1] + 1]
    kinds[absent] = ABSENT
    return kinds


def judgment_chunks(gold: Floats) -> Iterator[slice]:
    """The slices of judgments that are compared at once."""
    n_items = gold.shape[1]
    chunk_size = max(1, PAIRS // max(1, n_items * (n_items - 1) // 2))
    for start in range(0, len(gold), chunk_size):
        yield slice(start, start + chunk_size)


def count_by_judgment(gold: Floats, metric: Floats, *, epsilon: float = 0.0, least: float = 0.0) -> PairCounts:
    """The kinds of pairs in each judgment, whole numbers of shape (judgments); arguments as for `kinds_of`.

    >>> gold, metric = np.array([[1.0, 2.0, 2.0]]), np.array([[0.3, 0.1, 0.1]])
    >>> count_by_judgment(gold, metric)
    PairCounts(concordant=array([0]), discordant=array([2]), tied_x=array([0]), tied_y=array([0]), tied_both=array([1]))
    """
    if epsilon <= 0 and least <= 0:
        return count_pairs_by_row(gold, metric)
    counts = np.zeros((len(KINDS), len(gold)), np.int64)
    for chunk in judgment_chunks(gold):
        kinds = kinds_of(gold[chunk], metric[chunk], epsilon=epsilon, least=least)
        for kind, row in enumerate(counts):
            row[chunk] = np.count_nonzero(kinds == kind, axis=1)
    return PairCounts(*counts)


def count_by_item(gold: Floats, metric: Floats, *, epsilon: float = 0.0, least: float = 0.0) -> PairCounts:
    """The kinds of pairs that each item is in, of shape (judgments, items); arguments as for `kinds_of`.

    Every pair is counted for both its items, so sums over items are twice those of `count_by_judgment`.
    """
    n_items = gold.shape[1]
    first, second = pair_indices(n_items)
    is_item = np.zeros((first.size, n_items), np.float32)
    is_item[np.arange(first.size), first] = is_item[np.arange(first.size), second] = 1
    counts = np.zeros((len(KINDS), *gold.shape), np.int64)
    for chunk in judgment_chunks(gold):
        kinds = kinds_of(gold[chunk], metric[chunk], epsilon=epsilon, least=least)
        for kind, table in enumerate(counts):
            table[chunk] = np.rint((kinds == kind).astype(np.float32) @ is_item)
    return PairCounts(*counts)


def count_unscored_pairs(gold: Floats, metric: Floats) -> int:
    """How many pairs that people judged have no score of the metric on at least one side.

    >>> count_unscored_pairs(np.array([[1.0, 2.0, 3.0, np.nan]]), np.array([[0.5, np.nan, 0.1, 0.2]]))  # A, B; B, C
    2
    """
    judged = ~np.isnan(gold)
    scored = judged & ~np.isnan(metric)
    n_judged, n_scored = (np.count_nonzero(mask, axis=1).astype(np.int64) for mask in (judged, scored))
    return int((n_judged * (n_judged - 1) // 2 - n_scored * (n_scored - 1) // 2).sum())


# Tie calibration


WEIGHING = ("none", "segment")
#: The kind that each kind of pair becomes when the metric's difference counts as a tie; absent stays absent.
TIED = np.array([3, 3, 4, 3, 4, ABSENT])


class TieCalibration(NamedTuple):
    """The calibrated epsilon of a metric.

    Attributes
    ----------
    epsilon
        The smallest epsilon with the highest value; NaN without pairs.
    value
        The value there, in the range of the convention; NaN without pairs.
    """

    epsilon: float
    value: float


class CalibrationCurve(NamedTuple):
    """The statistic at every epsilon that changes it.

    Attributes
    ----------
    epsilon
        Rising epsilons; the first is 0.
    value
        The statistic from each epsilon on.
    tied
        Share of counted pairs that the metric ties, in [0, 1].
    """

    epsilon: Floats
    value: Floats
    tied: Floats


def calibrate(
    gold: Floats,
    metric: Floats,
    *,
    convention: KendallConvention,
    grouping: str = "none",
    segment: Ints | None = None,
) -> TieCalibration:
    """The epsilon with the highest value of the statistic, if differences up to epsilon are ties of the metric.

    Every difference that occurs is tried, and 0, with one sort and cumulative sums of the change that each new tie
    makes.

    Parameters
    ----------
    gold, metric
        Values of people and of the metric, (judgments, items), where lower is better; NaN if there is none.
    convention
        Which pairs count, and how.
    grouping
        "none": all pairs have the same weight. "segment": all segments do.
    segment
        The segment of each judgment, (judgments), as whole numbers from 0. Default: each judgment is a segment.

    Returns
    -------
    TieCalibration
        The epsilon and the value.

    Raises
    ------
    ParameterError
        The convention is one in which the pairs that count depend on the metric, as "tau13": there the highest value
        may come from a few pairs.

    References
    ----------
    Deutsch, Foster and Freitag (2023), "Ties matter", section 5.

    Examples
    --------
    >>> from rankscope.agreement.statistics.kendall import CONVENTIONS
    >>> gold, metric = np.array([[1.0, 2.0, 2.0]]), np.array([[0.1, 0.7, 0.8]])
    >>> calibrate(gold, metric, convention=CONVENTIONS["acc_eq"])  # .7 and .8 tie, as people say
    TieCalibration(epsilon=0.10000000000000009, value=1.0)
    """
    steps = calibration_steps(gold, metric, convention, grouping, segment)
    if steps is None:
        return TieCalibration(float("nan"), float("nan"))
    # A gain within rounding is no gain: the smallest epsilon is kept.
    best = int(best_places(steps.gained, 1.0).argmax())
    if steps.gained[best] <= NOISE:
        return TieCalibration(0.0, steps.start)
    return TieCalibration(float(steps.epsilon[best]), steps.start + float(steps.gained[best]))


def calibration_curve(
    gold: Floats,
    metric: Floats,
    *,
    convention: KendallConvention,
    grouping: str = "none",
    segment: Ints | None = None,
) -> CalibrationCurve:
    """The statistic as a function of epsilon; `calibrate` finds its maximum.

    Parameters
    ----------
    gold, metric, convention, grouping, segment
        As in `calibrate`.

    Returns
    -------
    CalibrationCurve
        Each value holds from its epsilon up to the next one; empty without pairs. For `tied` all pairs that count have
        the same weight, whatever the grouping.

    Raises
    ------
    ParameterError
        As `calibrate`.

    References
    ----------
    Deutsch, Foster and Freitag (2023), "Ties matter", figure 3.

    Examples
    --------
    >>> from rankscope.agreement.statistics.kendall import CONVENTIONS
    >>> gold, metric = np.array([[1.0, 2.0, 2.0]]), np.array([[0.0, 0.5, 1.0]])
    >>> found = calibration_curve(gold, metric, convention=CONVENTIONS["acc_eq"])
    >>> found.epsilon.tolist(), found.value.round(4).tolist(), found.tied.round(4).tolist()
    ([0.0, 0.5, 1.0], [0.6667, 0.6667, 0.3333], [0.0, 0.6667, 1.0])
    """
    steps = calibration_steps(gold, metric, convention, grouping, segment)
    if steps is None:
        return CalibrationCurve(np.zeros(0), np.zeros(0), np.zeros(0))
    epsilon, value, tied = steps.epsilon, steps.start + steps.gained, steps.tied
    if epsilon[0] > 0:
        epsilon, value, tied = np.r_[0.0, epsilon], np.r_[steps.start, value], np.r_[0.0, tied]
    return CalibrationCurve(epsilon, value, tied)


class CalibrationSteps(NamedTuple):
    """The steps of a calibration: what each epsilon does to the statistic.

    Attributes
    ----------
    epsilon
        Rising epsilons.
    gained
        How much higher the statistic is at each epsilon.
    tied
        The share of pairs that the metric ties at each.
    start
        The statistic without epsilon.
    """

    epsilon: Floats
    gained: Floats
    tied: Floats
    start: float


def calibration_steps(
    gold: Floats, metric: Floats, convention: KendallConvention, grouping: str, segment: Ints | None
) -> CalibrationSteps | None:
    """The statistic at every epsilon; None where no pair counts. Raises as `calibrate`."""
    check_choice("grouping", grouping, WEIGHING)
    check_calibrated(convention)
    kinds = kinds_of(gold, metric, least=convention.min_difference)
    first, second = pair_indices(gold.shape[1])
    with np.errstate(over="ignore"):
        distances = np.abs(metric[:, first] - metric[:, second])
    coefficients, is_counted = np.append(convention.numerator, 0.0), np.append(convention.denominator, 0.0)
    weight = pair_weights(is_counted[kinds], segment) if grouping == "segment" else None
    counted_pairs = np.flatnonzero(is_counted[kinds].ravel())
    if not counted_pairs.size:
        return None
    kinds, distances = kinds.ravel()[counted_pairs], distances.ravel()[counted_pairs]
    share = (
        np.full(counted_pairs.size, 1 / counted_pairs.size) if weight is None else weight[counted_pairs // first.size]
    )
    current, change = coefficients[kinds], coefficients[TIED[kinds]] - coefficients[kinds]
    order = np.argsort(distances)
    sorted_distances = distances[order]
    # Sums over the pairs tied at each epsilon; of differences that are equal up to rounding, only the
    # last has all of them.
    group_ends = np.append(
        np.flatnonzero(sorted_distances[1:] > sorted_distances[:-1] * (1 + CLOSE)), sorted_distances.size - 1
    )
    gained = np.cumsum((share * change)[order])[group_ends]
    return CalibrationSteps(
        sorted_distances[group_ends], gained, (group_ends + 1) / counted_pairs.size, float(share @ current)
    )


def check_calibrated(convention: KendallConvention) -> None:
    """Raise ParameterError for a convention that has no best epsilon."""
    if not convention.keeps_pairs:
        raise ParameterError(
            f"{convention.name} leaves pairs out by what the metric says, so no epsilon is the best; calibrate acc_eq, "
            "tau23 or another convention that counts all ties of the metric, or give epsilon as a number"
        )


def pair_weights(counted: Floats | Bools, segment: Ints | None) -> Floats:
    """(judgments) the weight of each pair: all segments that have pairs weigh the same, 1 together.

    counted: (judgments, pairs) which count. segment: (judgments) of each; None: each is one.
    """
    segment_codes = np.arange(len(counted)) if segment is None else segment
    n_pairs = np.bincount(segment_codes, counted.sum(axis=1))
    n_segments = np.count_nonzero(n_pairs)
    weights = np.divide(1.0, n_pairs * n_segments, out=np.zeros(n_pairs.size), where=n_pairs > 0)
    return np.asarray(weights[segment_codes])
