"""RankEval's measures of predicted ranks against people's, of one list (`per_segment`) and of a set (`per_set`).

A list is a query and its items are documents, all retrieved and all judged: the machine ranks them, and the person's
ranks give their relevance. `SEGMENT_MEASURES` and `SET_MEASURES` declare each measure once: its name, its range, the
options that apply to it, and its source.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.agreement.rankeval.kendall_tau import (
    TauCounts,
    combine_by_fisher,
    combine_by_stouffer,
    permutation_pvalue,
    segment_statistics,
    tau_counts,
    tau_pvalues,
)
from rankscope.agreement.rankeval.paired_ranks import PairedRanks, apply_in_chunks, as_list, as_table
from rankscope.data.hits import Hits
from rankscope.data.ranking import NORMALISATIONS
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.kernels.means import nan_mean_of_list
from rankscope.kernels.segments import bounds
from rankscope.measures.base import Measure
from rankscope.measures.binary import RR
from rankscope.measures.cascade import ERR
from rankscope.measures.graded import DCG, nDCG
from rankscope.settings import Settings, choice, count, switch
from rankscope.stats.inputs import check_count
from rankscope.typing import Floats, Ints

__all__ = [
    "SEGMENT_MEASURES",
    "SET_MEASURES",
    "MeasureSettings",
    "RankCounts",
    "RankMeasure",
    "count_ranks",
    "farr",
    "gold_of_best",
    "hits_of_ranks",
    "per_segment",
    "per_set",
    "relevance_of_ranks",
    "taus_of",
]


@dataclass(frozen=True, kw_only=True)
class MeasureSettings(Settings):
    """The options of measures of predicted ranks; see `per_set`."""

    FUNCTIONS = (
        "rankscope.agreement:ranks",
        "rankscope.agreement:per_segment",
        "rankscope.agreement:per_set",
    )
    COMMANDS = ("agree ranks",)

    count_gold_ties: bool = switch(
        False,
        help="Count pairs that people tie: they agree if the prediction ties them, and disagree otherwise. Default: "
        "skip them.",
        argument="exclude_gold_ties",
        python_help="Skip pairs that people tie. If False, they agree if the prediction ties them and disagree "
        "otherwise. Default: True.",
    )
    ignore_predicted_ties: bool = switch(
        False,
        help="Skip pairs that only the prediction ties. Default: they disagree.",
        argument="penalise_predicted_ties",
        python_help="Count pairs that only the prediction ties as disagreeing. If False, skip them. Default: True.",
    )
    normalise: str = choice(
        "ceiling",
        NORMALISATIONS,
        help="Rank given to tied items, for MRR and for the human rank of the item that is predicted best.",
    )
    cutoff: int | None = count(
        None, help="Compute DCG, nDCG and ERR on the first K items only.", metavar="K", unset="all items"
    )

    @property
    def tie_options(self) -> dict[str, bool]:
        """The treatment of ties by tau, as arguments of `tau_counts`."""
        return {
            "exclude_gold_ties": not self.count_gold_ties,
            "penalise_predicted_ties": not self.ignore_predicted_ties,
        }


def taus_of(table: PairedRanks, settings: MeasureSettings) -> TauCounts:
    """The pairs of each list from which tau is computed."""
    return tau_counts(table.pair_counts, **settings.tie_options)


def relevance_of_ranks(table: PairedRanks) -> npt.NDArray[np.int64]:
    """(lists, items) n - gold rank + 1, of n items and ceiling ranks: n for a single best item; 0 without an item."""
    relevance = table.lengths[:, None] - table.gold_ranks() + 1
    return np.where(table.present, relevance, 0.0).astype(np.int64)


def best_relevance(table: PairedRanks) -> npt.NDArray[np.int64]:
    """(lists, items) 1 for the items that the person ranks best, all of them, else 0."""
    best = np.where(table.present, table.gold, np.inf).min(axis=1, initial=np.inf, keepdims=True)
    return np.asarray(table.present & (table.gold == best), np.int64)


def hits_of_ranks(
    table: PairedRanks,
    relevance: npt.NDArray[np.int64],
    *,
    ranks: Floats | None = None,
    ranked_items: npt.NDArray[np.bool_] | None = None,
) -> Hits:
    """The lists as hits; items that the machine ties are averaged over their orders.

    Parameters
    ----------
    table
        Ranks of people and of the machine.
    relevance
        Relevance of each item, (lists, items).
    ranks
        Ranks to use unchanged instead of the machine's, ties included, (lists, items).
    ranked_items
        The items that are ranked, (lists, items); the others are only judged.
    """
    low, high = (table.predicted_ranks("floor"), table.predicted_ranks("ceiling")) if ranks is None else (ranks, ranks)
    judged_items = np.nonzero(table.present)
    grades = relevance[judged_items]
    rows, columns = np.nonzero(table.present if ranked_items is None else ranked_items)
    order = np.lexsort(
        (-relevance[rows, columns], low[rows, columns], rows)
    )  # tied items by falling grade, as in the join
    rows, columns = rows[order], columns[order]
    first, last = low[rows, columns], high[rows, columns]
    n_ranked = np.bincount(rows, minlength=len(table))
    return Hits(
        query_ids=tuple(map(str, range(1, len(table) + 1))),
        offsets=bounds(n_ranked),
        rank=(first + last) / 2,
        first=first,
        last=last,
        relevance=relevance[rows, columns],
        judged=columns.astype(np.int64),
        retrieved=n_ranked,
        missing=np.zeros(len(table), np.bool_),
        grades=grades[np.lexsort((-grades, judged_items[0]))],
        grade_offsets=bounds(table.lengths),
        max_grade=int(grades.max(initial=0)),
        ties="average" if ranks is None else "given",
    )


def measure_or_nan(measure: Measure, hits: Hits, lengths: Ints) -> Floats:
    """(lists) the measure's values; NaN for a list without items."""
    return np.where(lengths > 0, measure(hits), np.nan)


def measure_gains(measure: Measure, table: PairedRanks) -> Floats:
    """(lists) the values of a measure with the relevance of `relevance_of_ranks`."""
    return apply_in_chunks(
        lambda chunk: measure_or_nan(measure, hits_of_ranks(chunk, relevance_of_ranks(chunk)), chunk.lengths), table
    )


def ndcg(table: PairedRanks, cutoff: int | None = None) -> Floats:
    """(lists) nDCG with gains 2^relevance - 1, averaged over the orders of items that the machine ties."""
    return measure_gains(nDCG(gain="exp", cutoff=cutoff), table)


def dcg(table: PairedRanks, cutoff: int | None = None) -> Floats:
    """(lists) DCG, as `ndcg` but not divided by the ideal."""
    return measure_gains(DCG(gain="exp", cutoff=cutoff), table)


def err(table: PairedRanks, cutoff: int | None = None) -> Floats:
    """(lists) ERR; the highest relevance of a list of n items is n, so lists of one length are measured together."""
    values = np.full(len(table), np.nan)
    lengths = np.unique(table.lengths).tolist()
    if len(lengths) == 1 and lengths[0]:  # most files: no copy
        return measure_gains(ERR(gmax=lengths[0], cutoff=cutoff), table)
    for n in filter(None, lengths):
        rows = np.flatnonzero(table.lengths == n)
        values[rows] = measure_gains(ERR(gmax=n, cutoff=cutoff), table.rows(rows))
    return values


def farr(table: PairedRanks, ties: str = "ceiling") -> Floats:
    """(lists) 1 / the machine's rank of the person's best; of several best, of the one it ranks highest.

    ties: how the machine's ranks are normalised.
    """

    def values(chunk: PairedRanks) -> Floats:
        hits = hits_of_ranks(chunk, best_relevance(chunk), ranks=chunk.predicted_ranks(ties))
        return measure_or_nan(RR(), hits, chunk.lengths)

    return apply_in_chunks(values, table)


class RankCounts(NamedTuple):
    """How often ranks occur.

    Attributes
    ----------
    ranks
        The ranks that occur, in rising order.
    counts
        In how many lists each occurs.
    share
        The percentage of all lists.
    """

    ranks: Floats
    counts: Ints
    share: Floats


def gold_of_best(table: PairedRanks, ties: str = "ceiling") -> Floats:
    """(lists) the person's rank of the item that the machine ranks best; of several, the worst; NaN without items.

    ties: how the person's ranks are normalised.
    """
    if not table.gold.size:
        return np.full(len(table), np.nan)

    def worst(chunk: PairedRanks) -> Floats:
        best = np.where(chunk.present, chunk.predicted, np.inf).min(axis=1, keepdims=True)
        ranks = np.where(chunk.present & (chunk.predicted == best), chunk.gold_ranks(ties), -np.inf)
        return np.where(chunk.lengths > 0, ranks.max(axis=1), np.nan)

    return apply_in_chunks(worst, table)


def count_ranks(ranks: Floats) -> RankCounts:
    """How often each rank occurs."""
    distinct, counts = np.unique(ranks[~np.isnan(ranks)], return_counts=True)
    return RankCounts(distinct, counts.astype(np.int64), 100.0 * counts / max(int(counts.sum()), 1))


class RankMeasure(NamedTuple):
    """A measure of agreement between predicted ranks and people's.

    Attributes
    ----------
    name
        Its name, also among the statistics of `rankscope.agreement.ranks`.
    text
        What it measures.
    range
        Its range in words; higher is better unless `text` says otherwise.
    compute
        Of a list: a table and the settings -> (lists) values, NaN where a list has none. Of a set: the value, a float;
        a p-value also takes the segment of each list, the number of permutations, a random seed, and `progress`.
    options
        The arguments of `per_segment` or `per_set` that apply to it.
    source
        The paper that defines it.
    mean_of
        Of a set: the measure of a list of which it is the mean; "" if it is no mean.
    """

    name: str
    text: str
    range: str
    compute: Callable[..., Any]
    options: tuple[str, ...] = ()
    source: str = ""
    mean_of: str = ""

    def label(self, settings: MeasureSettings) -> str:
        """The name with the cutoff, if there is one and it applies."""
        return f"{self.name}@{settings.cutoff}" if settings.cutoff and "cutoff" in self.options else self.name


TIE_OPTIONS = ("exclude_gold_ties", "penalise_predicted_ties")
AVRAMIDIS = "Avramidis (2013)"
KENDALL = "Kendall (1938)"

#: The measures of one list by name.
SEGMENT_MEASURES: Mapping[str, RankMeasure] = {
    measure.name: measure
    for measure in (
        RankMeasure(
            "tau",
            "Kendall's tau: pairs in people's order minus pairs in the opposite order, divided by their sum; pairs "
            "that only the prediction ties are wrong",
            "-1 to 1",
            lambda table, settings: taus_of(table, settings).tau,
            TIE_OPTIONS,
            f"{KENDALL}; Callison-Burch et al. (2008)",
        ),
        RankMeasure(
            "tau_original",
            "tau without the pairs that the prediction ties",
            "-1 to 1",
            lambda table, _: tau_counts(table.pair_counts, penalise_predicted_ties=False).tau,
            (),
            KENDALL,
        ),
        RankMeasure(
            "pvalue",
            "two-sided p-value of tau, erfc(abs(z) / sqrt 2) with z = tau / sqrt((4n + 10) / (9n(n - 1))) for n items",
            "0 to 1",
            lambda table, settings: tau_pvalues(taus_of(table, settings).tau, table.lengths),
            TIE_OPTIONS,
            AVRAMIDIS,
        ),
        RankMeasure(
            "FARR",
            "1 / the predicted rank of the item that people rank best (of several, of the one that is predicted best)",
            "0 to 1",
            lambda table, settings: farr(table, settings.normalise),
            ("normalise",),
            "Radev et al. (2002)",
        ),
        RankMeasure(
            "DCG",
            "sum of (2^rel - 1) / log2(rank + 1) in the predicted order, where rel = n - human rank + 1 of n items",
            "at least 0",
            lambda table, settings: dcg(table, settings.cutoff),
            ("cutoff",),
            "Järvelin and Kekäläinen (2002); Burges et al. (2005)",
        ),
        RankMeasure(
            "nDCG",
            "DCG divided by that of people's own order",
            "0 to 1",
            lambda table, settings: ndcg(table, settings.cutoff),
            ("cutoff",),
            "Järvelin and Kekäläinen (2002); Burges et al. (2005)",
        ),
        RankMeasure(
            "ERR",
            "expected 1 / rank at which a reader of the predicted order stops; an item stops the reader with "
            "probability (2^rel - 1) / 2^n",
            "0 to 1",
            lambda table, settings: err(table, settings.cutoff),
            ("cutoff",),
            "Chapelle et al. (2009)",
        ),
        RankMeasure(
            "best_predicted",
            "human rank of the item that is predicted best (of several, the worst); lower is better",
            "1 to n",
            lambda table, settings: gold_of_best(table, settings.normalise),
            ("normalise",),
            AVRAMIDIS,
        ),
    )
}


def mean_measure(name: str, of_list: str, text: str) -> RankMeasure:
    """The mean of a measure of a list over the lists that have a value."""
    base = SEGMENT_MEASURES[of_list]
    return base._replace(
        name=name,
        text=text,
        compute=lambda table, settings: nan_mean_of_list(base.compute(table, settings)),
        mean_of=of_list,
    )


def signed_statistics(table: PairedRanks, settings: MeasureSettings, segments: Ints) -> Floats:
    """(segments) tau divided by its standard deviation by chance."""
    return segment_statistics(taus_of(table, settings), table.lengths, segments)


#: The measures of a set of lists by name.
SET_MEASURES: Mapping[str, RankMeasure] = {
    measure.name: measure
    for measure in (
        SEGMENT_MEASURES["tau"]._replace(
            text="tau over the pairs of all lists together",
            compute=lambda table, settings: taus_of(table, settings).micro,
        ),
        mean_measure("tau_macro", "tau", "mean of tau over lists, so that long and short lists weigh the same"),
        SEGMENT_MEASURES["tau_original"]._replace(
            text="the same without the pairs that the prediction ties",
            compute=lambda table, _: tau_counts(table.pair_counts, penalise_predicted_ties=False).micro,
        ),
        mean_measure("tau_original_macro", "tau_original", "mean of tau_original over lists"),
        mean_measure("MRR", "FARR", "mean of FARR"),
        mean_measure("DCG", "DCG", "mean of DCG"),
        mean_measure("nDCG", "nDCG", "mean of nDCG"),
        mean_measure("ERR", "ERR", "mean of ERR"),
        mean_measure("average_predicted", "best_predicted", "mean of best_predicted; lower is better"),
        RankMeasure(
            "pvalue_permutation",
            "share of random permutations of each segment's predicted ranks with a tau at least as far from the "
            "average of all permutations",
            "0 to 1",
            lambda table, settings, segments, n_resamples, rng, progress=None: permutation_pvalue(
                table, segments, **settings.tie_options, n_resamples=n_resamples, rng=rng, progress=progress
            ),
            (*TIE_OPTIONS, "segments", "n_resamples", "rng"),
        ),
        RankMeasure(
            "pvalue_fisher",
            "p-values of the segments combined: does any segment differ from chance?",
            "0 to 1",
            lambda table, settings, segments, *_: combine_by_fisher(signed_statistics(table, settings, segments)),
            (*TIE_OPTIONS, "segments"),
            "Fisher (1932)",
        ),
        RankMeasure(
            "pvalue_stouffer",
            "p-values of the segments combined: do all segments together tend in one direction?",
            "0 to 1",
            lambda table, settings, segments, *_: combine_by_stouffer(signed_statistics(table, settings, segments)),
            (*TIE_OPTIONS, "segments"),
            "Stouffer et al. (1949)",
        ),
    )
}


def select_measure(
    name: str, kind: str, measures: Mapping[str, RankMeasure], settings: MeasureSettings, arguments: Mapping[str, bool]
) -> RankMeasure:
    """The measure of this name. arguments: whether the caller gave each further argument.

    Raises UnknownName, and ParameterError for an option that does not apply to it.
    """
    if not isinstance(name, str) or name not in measures:
        raise UnknownName(kind, str(name), measures)
    measure = measures[name]
    changed = {setting.argument: settings.is_changed(field) for field, setting in settings.declared().items()}
    for argument, is_given in {**changed, **arguments}.items():
        if is_given and argument not in measure.options:
            raise ParameterError(f"{argument} has no effect on {name}; leave it out")
    return measure


def per_segment(
    gold: Any,
    predicted: Any,
    measure: str,
    *,
    exclude_gold_ties: bool = True,
    penalise_predicted_ties: bool = True,
    normalise: str = "ceiling",
    cutoff: int | None = None,
    invert: bool = False,
) -> float:
    """A measure of one list: how well the predicted ranks of a few items agree with people's.

    Parameters
    ----------
    gold, predicted
        Ranks by people and by the prediction, in the same order of the items; the lowest number is the best. Lists,
        arrays or `rs.Ranking`.
    measure
        Name of the measure; see Notes.
    exclude_gold_ties
        Skip pairs that people tie. If False, they agree if the prediction ties them and disagree otherwise. Default:
        True.
    penalise_predicted_ties
        Count pairs that only the prediction ties as disagreeing. If False, skip them. Default: True.
    normalise
        Rank given to tied items, for MRR and for the human rank of the item that is predicted best. One of 'ceiling',
        'floor', 'middle', 'minimize'. Default: 'ceiling'.
    cutoff
        Compute DCG, nDCG and ERR on the first K items only. Default: all items.
    invert
        Read the predicted numbers as scores, of which the highest is the best. Default: False.

    Returns
    -------
    float
        The value; for tau and its p-value NaN if no pair counts: one item, or all tied by people.

    Raises
    ------
    InputError
        The lists have no items or different lengths, or hold NaN, infinite values, what is no number, or a gold rank
        below 0 (-1 means not ranked).
    UnknownName
        There is no such measure.
    ParameterError
        An option is out of range or does not apply to the measure, or DCG has more than 900 items.

    Notes
    -----
    DCG, nDCG and ERR are the mean over the orders of items that the prediction ties. Ties do not need to be normalised
    first. The p-value is coarse for short lists: for 4 items in full agreement it is .042, and the exact value is
    2/24 = .083 (both directions).

    Measures, with their ranges and the options that apply:

    - tau: Kendall's tau: pairs in people's order minus pairs in the opposite order, divided by their sum; pairs that
      only the prediction ties are wrong; -1 to 1. Options: exclude_gold_ties, penalise_predicted_ties. Kendall
      (1938); Callison-Burch et al. (2008).
    - tau_original: tau without the pairs that the prediction ties; -1 to 1. No options. Kendall (1938).
    - pvalue: two-sided p-value of tau, erfc(abs(z) / sqrt 2) with z = tau / sqrt((4n + 10) / (9n(n - 1))) for n
      items; 0 to 1. Options: exclude_gold_ties, penalise_predicted_ties. Avramidis (2013).
    - FARR: 1 / the predicted rank of the item that people rank best (of several, of the one that is predicted best);
      0 to 1. Options: normalise. Radev et al. (2002).
    - DCG: sum of (2^rel - 1) / log2(rank + 1) in the predicted order, where rel = n - human rank + 1 of n items; at
      least 0. Options: cutoff. Järvelin and Kekäläinen (2002); Burges et al. (2005).
    - nDCG: DCG divided by that of people's own order; 0 to 1. Options: cutoff. Järvelin and Kekäläinen (2002); Burges
      et al. (2005).
    - ERR: expected 1 / rank at which a reader of the predicted order stops; an item stops the reader with probability
      (2^rel - 1) / 2^n; 0 to 1. Options: cutoff. Chapelle et al. (2009).
    - best_predicted: human rank of the item that is predicted best (of several, the worst); lower is better; 1 to n.
      Options: normalise. Avramidis (2013).

    References
    ----------
    Avramidis (2013), "RankEval: open tool for evaluation of machine-learned ranking".

    Examples
    --------
    >>> per_segment([1, 2, 3, 3], [3, 4, 1, 2], "tau")  # 1 of 5 pairs agrees, the tied pair is skipped
    -0.6
    >>> per_segment([1, 2, 3, 3], [3, 4, 1, 2], "FARR")
    0.3333333333333333
    >>> per_segment([1, 2], [1, 2], "ERR")  # 3/4 + 1/2 * 1/4 * 1/4
    0.78125
    >>> per_segment([1, 2, 3], [1, 1, 2], "tau"), per_segment([1, 2, 3], [1, 1, 2], "tau_original")
    (0.3333333333333333, 1.0)
    """
    settings = MeasureSettings(
        count_gold_ties=not exclude_gold_ties,
        ignore_predicted_ties=not penalise_predicted_ties,
        normalise=normalise,
        cutoff=cutoff,
    )
    rank_measure = select_measure(measure, "measure of a list", SEGMENT_MEASURES, settings, {})
    return float(rank_measure.compute(as_list(gold, predicted, invert=invert), settings)[0])


def per_set(
    gold: Any,
    predicted: Any,
    measure: str,
    *,
    exclude_gold_ties: bool = True,
    penalise_predicted_ties: bool = True,
    normalise: str = "ceiling",
    cutoff: int | None = None,
    invert: bool = False,
    segments: Any = None,
    n_resamples: int = 1_000,
    rng: Any = None,
) -> float:
    """A measure of many lists together: how well predicted ranks agree with people's.

    Parameters
    ----------
    gold, predicted
        Ranks by people and by the prediction: tables (lists, items) with NaN behind the last item of a list, as
        `Rankings.table` gives them, or sequences of lists of any lengths. The lowest number is the best.
    measure
        Name of the measure; see Notes.
    exclude_gold_ties
        Skip pairs that people tie. If False, they agree if the prediction ties them and disagree otherwise. Default:
        True.
    penalise_predicted_ties
        Count pairs that only the prediction ties as disagreeing. If False, skip them. Default: True.
    normalise
        Rank given to tied items, for MRR and for the human rank of the item that is predicted best. One of 'ceiling',
        'floor', 'middle', 'minimize'. Default: 'ceiling'.
    cutoff
        Compute DCG, nDCG and ERR on the first K items only. Default: all items.
    invert
        Read the predicted numbers as scores, of which the highest is the best. Default: False.
    segments
        For p-values: a name or number of the segment of each list; its items have the same places as in the other lists
        of the segment (NaN in both where a list lacks one). Default: each list is a segment of its own.
    n_resamples
        For pvalue_permutation: number of permutations. Default: 1000.
    rng
        For pvalue_permutation: seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same
        results.

    Returns
    -------
    float
        The value; NaN if no list has one.

    Raises
    ------
    InputError
        The numbers of lists or items differ, a NaN is in one table only, or a value is infinite, no number, or a gold
        rank below 0 (-1 means not ranked); or there is not one segment for each list.
    UnknownName
        There is no such measure.
    ParameterError
        An option is out of range or does not apply to the measure, or DCG has more than 900 items.

    Notes
    -----
    A list without a value is skipped in a mean. `rankscope.agreement.ranks` gives all measures at once, with intervals,
    from files or `Rankings`.

    p-values are two-sided and those of a prediction that might rank at random. Judgments of one segment share the
    predicted ranks, and so one permutation. The tau of a segment is that of the pairs of all its judgments, which
    pvalue_fisher and pvalue_stouffer treat as fully dependent, so that the p-value is not too small. Both assume an
    average of 0 by chance, which is too high if predicted ties are penalised.

    Measures, with their ranges and the options that apply:

    - tau: tau over the pairs of all lists together; -1 to 1. Options: exclude_gold_ties, penalise_predicted_ties.
      Kendall (1938); Callison-Burch et al. (2008).
    - tau_macro: mean of tau over lists, so that long and short lists weigh the same; -1 to 1. Options:
      exclude_gold_ties, penalise_predicted_ties. Kendall (1938); Callison-Burch et al. (2008).
    - tau_original: the same without the pairs that the prediction ties; -1 to 1. No options. Kendall (1938).
    - tau_original_macro: mean of tau_original over lists; -1 to 1. No options. Kendall (1938).
    - MRR: mean of FARR; 0 to 1. Options: normalise. Radev et al. (2002).
    - DCG: mean of DCG; at least 0. Options: cutoff. Järvelin and Kekäläinen (2002); Burges et al. (2005).
    - nDCG: mean of nDCG; 0 to 1. Options: cutoff. Järvelin and Kekäläinen (2002); Burges et al. (2005).
    - ERR: mean of ERR; 0 to 1. Options: cutoff. Chapelle et al. (2009).
    - average_predicted: mean of best_predicted; lower is better; 1 to n. Options: normalise. Avramidis (2013).
    - pvalue_permutation: share of random permutations of each segment's predicted ranks with a tau at least as far
      from the average of all permutations; 0 to 1. Options: exclude_gold_ties, penalise_predicted_ties, segments,
      n_resamples, rng.
    - pvalue_fisher: p-values of the segments combined: does any segment differ from chance?; 0 to 1. Options:
      exclude_gold_ties, penalise_predicted_ties, segments. Fisher (1932).
    - pvalue_stouffer: p-values of the segments combined: do all segments together tend in one direction?; 0 to 1.
      Options: exclude_gold_ties, penalise_predicted_ties, segments. Stouffer et al. (1949).

    References
    ----------
    Avramidis (2013), "RankEval: open tool for evaluation of machine-learned ranking"; its code skips lists with tau 0
    in tau_macro.

    Examples
    --------
    >>> gold, predicted = [[1, 2, 3], [1, 2]], [[1, 3, 2], [2, 2]]
    >>> per_set(gold, predicted, "tau"), round(per_set(gold, predicted, "tau_macro"), 4)  # (2 - 2) / 4, (1/3 - 1) / 2
    (0.0, -0.3333)
    >>> per_set(gold, predicted, "MRR", normalise="floor")
    1.0
    >>> round(per_set([[1, 2, 3, 4]] * 3, [[1, 2, 4, 3]] * 3, "pvalue_stouffer"), 4)  # z is 3 * 1.3587 / sqrt 3
    0.0186
    """
    settings = MeasureSettings(
        count_gold_ties=not exclude_gold_ties,
        ignore_predicted_ties=not penalise_predicted_ties,
        normalise=normalise,
        cutoff=cutoff,
    )
    check_count("n_resamples", n_resamples)
    is_given = {"segments": segments is not None, "n_resamples": n_resamples != 1_000, "rng": rng is not None}
    rank_measure = select_measure(measure, "measure of a set", SET_MEASURES, settings, is_given)
    table = as_table(gold, predicted, invert=invert)
    if "segments" not in rank_measure.options:
        return float(rank_measure.compute(table, settings))
    groups = np.arange(len(table)) if segments is None else np.unique(np.asarray(segments), return_inverse=True)[1]
    if groups.shape != (len(table),):
        raise InputError(f"{groups.size} segments for {len(table)} lists, expected one each")
    return float(rank_measure.compute(table, settings, groups, n_resamples, rng))
