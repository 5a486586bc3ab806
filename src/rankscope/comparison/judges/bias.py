"""Bias of the second judge: by grade of the first judge, and on the top documents of each system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from rankscope.comparison.judges.common_documents import CommonDocuments, rows_for_ranking
from rankscope.data.columns import column, columns_of, digits, table_of, thousands
from rankscope.data.hits import Hits
from rankscope.data.section import Section
from rankscope.data.text import format_p_cell, format_percent, join_names
from rankscope.settings import plain_number
from rankscope.stats.cluster_sums import effective_number
from rankscope.stats.distributions import special, t_pvalue
from rankscope.stats.intervals import t_interval
from rankscope.stats.multiple_comparisons import adjust_pvalues
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "DEPTH",
    "ClusteredMean",
    "GradeBias",
    "SystemTaste",
    "bias_by_grade",
    "bias_rows",
    "bias_section",
    "clustered_mean",
    "favour_of",
    "holm",
    "taste_by_system",
    "taste_section",
    "top_documents",
]


Row = tuple[str, str, str, str, float, float, float, int]
#: How many top documents of each list are examined.
DEPTH = 10
NAN = float("nan")


class ClusteredMean(NamedTuple):
    """A mean over documents with a confidence interval that allows for dependence within queries; NaN if undefined.

    Attributes
    ----------
    value
        The mean.
    low, high
        The confidence interval.
    n
        How many documents it is over.
    """

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, kw_only=True)
class GradeBias:
    """By how many grades the second judge is above the first.

    Attributes
    ----------
    grade
        The grade of the first judge; None for all documents.
    bias
        The mean difference, with its confidence interval.
    """

    grade: float | None
    bias: ClusteredMean


@dataclass(frozen=True, kw_only=True)
class SystemTaste:
    """How the judges agree on the documents that both judged among the first `DEPTH` of a system.

    Attributes
    ----------
    system
        The name of the system.
    same
        The share of documents with the same grade from both.
    bias
        By how many grades the second judge is above the first.
    favour
        By how many grades the second judge rates them above other documents with the same grade from the first.
    pvalue_corrected
        p of no favour, corrected for the number of systems (Holm); NaN if undefined.
    """

    system: str
    same: ClusteredMean
    bias: ClusteredMean
    favour: ClusteredMean
    pvalue_corrected: float = NAN


def clustered_mean(values: Floats, query: Ints, confidence_level: float, clusters: Ints | None = None) -> ClusteredMean:
    """The mean of values that depend on each other within a query, or within a cluster of queries.

    The variance is that of the sums over queries of the deviations from the mean; Student's quantile has as many
    degrees of freedom as queries, less one. Over clusters of queries the interval is that of `rankscope.stats`.

    Parameters
    ----------
    values
        (documents) the values.
    query
        (documents) the query of each.
    confidence_level
        The level of the interval.
    clusters
        (queries) the cluster of each query; None if queries are independent.
    """
    n = values.size
    if not n:
        return ClusteredMean(NAN, NAN, NAN, 0)
    if clusters is not None:
        interval = t_interval(values, confidence_level=confidence_level, clusters=clusters[query])
        return ClusteredMean(float(interval.mean), float(interval.low), float(interval.high), n)
    mean = float(values.mean())
    groups = np.unique(query, return_inverse=True)[1]
    sums = np.bincount(groups, values - mean)
    if sums.size < 2:
        return ClusteredMean(mean, NAN, NAN, n)
    error = np.sqrt(sums.size / (sums.size - 1) * (sums**2).sum()) / n
    half_width = float(special().stdtrit(sums.size - 1, (1 + confidence_level) / 2) * error)
    return ClusteredMean(mean, mean - half_width, mean + half_width, n)


def bias_by_grade(common: CommonDocuments, confidence_level: float) -> tuple[GradeBias, ...]:
    """The bias for each grade of the first judge, then for all documents."""
    a, b = common.grades
    grade_differences = (b - a).astype(np.float64)
    biases = [
        GradeBias(
            grade=plain_number(grade),
            bias=clustered_mean(
                grade_differences[a == grade], common.query[a == grade], confidence_level, common.clusters
            ),
        )
        for grade in np.unique(a).tolist()
    ]
    overall = clustered_mean(grade_differences, common.query, confidence_level, common.clusters)
    return (*biases, GradeBias(grade=None, bias=overall))


def top_documents(common: CommonDocuments, judged: str, hits: Sequence[Hits]) -> Bools:
    """(systems, documents) which documents are among the first of each system.

    hits: of each system, under the judgments of A, as `cut` gives them.
    """
    ranking_rows = rows_for_ranking(common, judged)[0]
    common_index = np.full(common.qrels_a.relevance.size, -1)  # row of A -> index of the common document
    common_index[common.rows_a] = np.arange(common.n_documents)
    is_top = np.zeros((len(hits), common.n_documents), np.bool_)
    for i, system_hits in enumerate(hits):
        is_top_hit = system_hits.rank <= DEPTH
        rows = ranking_rows[
            system_hits.grade_offsets[:-1][system_hits.query[is_top_hit]] + system_hits.judged[is_top_hit]
        ]
        is_top[i, common_index[rows][common_index[rows] >= 0]] = True
    return is_top


def taste_by_system(
    common: CommonDocuments, systems: Sequence[str], is_top: Bools, confidence_level: float
) -> tuple[SystemTaste, ...]:
    """How the judges agree on the top documents of each system. is_top: as `top_documents` gives it."""
    tastes, pvalues = [], []
    grade_differences = np.subtract(*common.grades[::-1]).astype(np.float64)
    for system, mask in zip(systems, is_top, strict=True):
        favour, pvalue = favour_of(mask, common, confidence_level)
        same, bias = (
            clustered_mean(values[mask], common.query[mask], confidence_level, common.clusters)
            for values in ((grade_differences == 0).astype(np.float64), grade_differences)
        )
        tastes.append(SystemTaste(system=system, same=same, bias=bias, favour=favour))
        pvalues.append(pvalue)
    return tuple(
        replace(taste, pvalue_corrected=pvalue) for taste, pvalue in zip(tastes, holm(pvalues).tolist(), strict=True)
    )


def favour_of(is_top: Bools, common: CommonDocuments, confidence_level: float) -> tuple[ClusteredMean, float]:
    """By how many grades B rates these documents above others of the same grade by A, and p of no such favour.

    The variance is that of sums by query, or by cluster of queries, of what each document adds: these documents, and
    the others that they are compared with.
    """
    a, b = common.grades
    codes = np.unique(a, return_inverse=True)[1]
    n_codes = int(codes.max()) + 1
    n_elsewhere = np.bincount(codes[~is_top], minlength=n_codes)
    sums = np.bincount(codes[~is_top], b[~is_top], minlength=n_codes)
    mean_elsewhere = np.divide(sums, n_elsewhere, out=np.full(n_codes, np.nan), where=n_elsewhere > 0)
    above = b - mean_elsewhere[codes]
    is_comparable = is_top & ~np.isnan(above)
    n = int(is_comparable.sum())
    if not n:
        return ClusteredMean(NAN, NAN, NAN, 0), NAN
    value = float(above[is_comparable].mean())
    n_top = np.bincount(codes[is_comparable], minlength=n_codes)
    share = np.divide(n_top, n_elsewhere, out=np.zeros(n_codes), where=n_elsewhere > 0)[codes]
    parts = np.where(is_comparable, above - value, np.where(is_top, 0.0, -share * np.nan_to_num(above))) / n
    units = common.query if common.clusters is None else common.clusters[common.query]
    by_unit = np.bincount(units, parts)
    sizes = np.bincount(units[is_comparable]).astype(np.float64)
    sizes = sizes[sizes > 0]
    if sizes.size < 2:
        return ClusteredMean(value, NAN, NAN, n), NAN
    error = float(np.sqrt(sizes.size / (sizes.size - 1) * (by_unit**2).sum()))
    df = sizes.size - 1 if common.clusters is None else effective_number(sizes) - 1
    half_width = float(special().stdtrit(df, (1 + confidence_level) / 2) * error)
    pvalue = float(t_pvalue(np.asarray(value / error), df, "two-sided")) if error > 0 else NAN
    return ClusteredMean(value, value - half_width, value + half_width, n), pvalue


def holm(pvalues: Sequence[float]) -> Floats:
    """The p-values corrected together; NaN where there is none."""
    values = np.array(pvalues, np.float64)
    is_defined = ~np.isnan(values)
    if is_defined.any():
        values[is_defined] = adjust_pvalues(values[is_defined], method="holm").pvalue
    return values


def bias_rows(biases: Sequence[GradeBias], tastes: Sequence[SystemTaste]) -> Iterator[Row]:
    """Rows of the tidy table."""
    for bias in biases:
        yield "bias", "" if bias.grade is None else str(bias.grade), "", "", *bias.bias
    for taste in tastes:
        for name in ("same", "bias", "favour"):
            yield f"{name}_at_{DEPTH}", "", "", taste.system, *getattr(taste, name)
        yield f"favour_pvalue_at_{DEPTH}", "", "", taste.system, taste.pvalue_corrected, NAN, NAN, taste.favour.n


def dependence_text(is_clustered: bool) -> str:
    """Within what documents may depend on each other."""
    return "a cluster of queries" if is_clustered else "a query"


def bias_section(
    biases: Sequence[GradeBias], names: tuple[str, str], confidence_level: float, *, is_clustered: bool = False
) -> Section:
    """The bias by grade, and a sentence on the bias over all documents. is_clustered: whether queries have clusters."""
    name_a, name_b = names
    overall = biases[-1].bias
    doubt = "" if overall.low > 0 or overall.high < 0 else "; the difference is not significant"
    side = "above" if overall.value > 0 else "below"
    if overall.value == 0:
        sentence = f"On average {name_b} gives the same grades as {name_a}."
    else:
        sentence = f"On average {name_b} is {abs(overall.value):.2f} grades {side} {name_a}{doubt}."
    caveat = (
        " A document with the lowest grade cannot be graded lower, and one with the highest cannot be "
        "graded higher, so bias at these two grades has one direction."
    )
    return Section(
        title=f"{name_b} minus {name_a}, by grade of {name_a}",
        sentence=sentence + caveat,
        table=table_of(
            column("grade", ["all" if bias.grade is None else bias.grade for bias in biases], name=True),
            column("documents", [bias.bias.n for bias in biases], thousands),
            *columns_of(("bias", "low", "high"), [bias.bias for bias in biases], digits(signed=True)),
        ),
        notes=(
            f"low and high: {format_percent(confidence_level)} confidence intervals, which allow for dependence "
            f"between the documents of {dependence_text(is_clustered)}",
        ),
    )


def taste_section(
    tastes: Sequence[SystemTaste], names: tuple[str, str], confidence_level: float, *, is_clustered: bool = False
) -> Section:
    """The bias by system, and which systems the second judge favours. is_clustered: whether queries have clusters."""
    name_a, name_b = names
    ordered = sorted(tastes, key=lambda taste: -np.nan_to_num(taste.favour.value, nan=-np.inf))
    significant = [taste for taste in tastes if taste.pvalue_corrected < 1 - confidence_level]
    favoured = sorted((taste for taste in significant if taste.favour.value > 0), key=lambda taste: -taste.favour.value)
    disfavoured = sorted(
        (taste for taste in significant if taste.favour.value < 0), key=lambda taste: taste.favour.value
    )
    clauses = [
        f"{verb} {join_names(f'{taste.system} ({taste.favour.value:+.2f})' for taste in group)}"
        for verb, group in (("favours", favoured), ("disfavours", disfavoured))
        if group
    ]
    opening = f"{name_b} {' and '.join(clauses) or 'does not favour or disfavour any system significantly'}"
    return Section(
        title=f"Bias of {name_b} by system",
        sentence=f"{opening}. Favour is by how many grades {name_b} rates the first {DEPTH} documents of a system "
        f"above other documents with the same grade from {name_a}.",
        table=table_of(
            column("system", [taste.system for taste in ordered], name=True),
            column("documents", [taste.same.n for taste in ordered], thousands),
            column("same grade", [taste.same.value for taste in ordered], digits()),
            column("bias", [taste.bias.value for taste in ordered], digits(signed=True)),
            *columns_of(("favour", "low", "high"), [taste.favour for taste in ordered], digits(signed=True)),
            column("p corrected", [taste.pvalue_corrected for taste in ordered], format_p_cell),
        ),
        notes=(
            f"low and high: {format_percent(confidence_level)} confidence intervals of favour, which allow for "
            f"dependence between the documents of {dependence_text(is_clustered)} and are not corrected for the number "
            "of systems; p corrected: that of no favour, corrected for it (Holm)",
        ),
    )
