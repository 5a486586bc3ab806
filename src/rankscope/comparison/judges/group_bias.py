"""Whether a judge errs alike in all groups of queries, such as two batches (drift), or head and tail queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankscope.comparison.judges.bias import NAN, ClusteredMean, Row, clustered_mean, holm
from rankscope.comparison.judges.common_documents import CommonDocuments
from rankscope.data.columns import column, columns_of, digits, table_of, thousands
from rankscope.data.queries import Queries
from rankscope.data.section import Section
from rankscope.data.text import format_p_cell, format_p_value, format_percent, join_names
from rankscope.stats.cluster_sums import cluster_sums
from rankscope.stats.distributions import special, t_pvalue
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "GroupBias",
    "bias_by_group",
    "difference_of_means",
    "group_rows",
    "group_section",
]


#: What is compared between groups, and how it is called.
ERRORS = {"bias": "bias in grades", "fpr": "false positive rate", "fnr": "false negative rate"}


@dataclass(frozen=True, kw_only=True)
class GroupBias:
    """An error of the second judge in a group of queries.

    Attributes
    ----------
    group
        The name of the group.
    error
        "bias", by how many grades it is above the first judge; "fpr", the share of documents that are relevant for it
        among those that are not for the first; "fnr", the share of those that are not for it among those that are.
    in_group
        Its mean in the group.
    difference
        By how much it is above its mean in all other groups.
    pvalue_corrected
        p of no difference, corrected for all groups and errors (Holm); NaN if undefined.
    """

    group: str
    error: str
    in_group: ClusteredMean
    difference: ClusteredMean
    pvalue_corrected: float = NAN


def difference_of_means(
    values: Floats, is_in: Bools, units: Ints, confidence_level: float
) -> tuple[ClusteredMean, float]:
    """A mean less that of all other values, its interval and p of no difference; NaN if undefined.

    The variance is that of the jackknife over units, which may reach over both sides. Degrees of freedom are those of
    Welch and Satterthwaite, from the effective number of units of each side.

    Parameters
    ----------
    values
        (documents) the values.
    is_in
        (documents) whether a value counts in the first mean.
    units
        (documents) what is independent: the query, or the cluster of queries.
    confidence_level
        The level of the interval.
    """
    n_in, n_out = int(is_in.sum()), int((~is_in).sum())
    nothing = ClusteredMean(NAN, NAN, NAN, n_in)
    if not n_in or not n_out:
        return nothing, NAN
    codes = np.unique(units, return_inverse=True)[1]
    moves, variances, dfs = [], [], []
    for mask in (is_in, ~is_in):
        sums = cluster_sums(values[None, mask], codes[mask], None)
        move = np.zeros(int(codes.max()) + 1)
        move[np.unique(codes[mask])] = np.sqrt((sums.n - 1) / sums.n) * sums.gaps[0]
        moves.append(move)
        variances.append(float((move**2).sum()))
        dfs.append(sums.df)
    value = float(values[is_in].mean() - values[~is_in].mean())
    variance = float(((moves[0] - moves[1]) ** 2).sum())
    if not (variance > 0 and min(dfs) > 0):
        return nothing._replace(value=value), NAN
    df = sum(variances) ** 2 / sum(v**2 / side_df for v, side_df in zip(variances, dfs, strict=True))
    error = np.sqrt(variance)
    half_width = float(special().stdtrit(df, (1 + confidence_level) / 2) * error)
    pvalue = float(t_pvalue(np.asarray(value / error), df, "two-sided"))
    return ClusteredMean(value, value - half_width, value + half_width, n_in), pvalue


def bias_by_group(
    common: CommonDocuments, queries: Queries, relevant: tuple[Bools, Bools], confidence_level: float
) -> tuple[GroupBias, ...]:
    """The errors of each group of queries, beside those of all others; empty with fewer than two groups.

    Parameters
    ----------
    common
        The documents that both judged.
    queries
        What is known of the queries of A.
    relevant
        (documents) whether a document is relevant for each judge.
    confidence_level
        The level of the intervals.
    """
    group = queries.group_codes[common.query]
    names = [name for i, name in enumerate(queries.groups) if (group == i).any()]
    if len(names) < 2:
        return ()
    units = common.query if common.clusters is None else common.clusters[common.query]
    a, b = common.grades
    samples = {
        "bias": ((b - a).astype(np.float64), np.ones(a.size, np.bool_)),
        "fpr": (relevant[1].astype(np.float64), ~relevant[0]),
        "fnr": ((~relevant[1]).astype(np.float64), relevant[0]),
    }
    biases, pvalues = [], []
    for name in names:
        is_group = group == queries.groups.index(name)
        for error, (values, counts) in samples.items():
            in_group = clustered_mean(
                values[counts & is_group], common.query[counts & is_group], confidence_level, common.clusters
            )
            difference, pvalue = difference_of_means(values[counts], is_group[counts], units[counts], confidence_level)
            biases.append(GroupBias(group=name, error=error, in_group=in_group, difference=difference))
            pvalues.append(pvalue)
    # Of two groups, the second differs from the first as the first from it: one test of each error.
    corrected = np.tile(holm(pvalues[: len(ERRORS)]), 2) if len(names) == 2 else holm(pvalues)
    return tuple(replace(bias, pvalue_corrected=p) for bias, p in zip(biases, corrected.tolist(), strict=True))


def group_rows(biases: Sequence[GroupBias]) -> Iterator[Row]:
    """Rows of the tidy table; the label is the group."""
    for bias in biases:
        yield f"{bias.error}_of_group", bias.group, "", "", *bias.in_group
        yield f"{bias.error}_of_group_beyond_others", bias.group, "", "", *bias.difference
        n = bias.difference.n
        yield f"{bias.error}_of_group_pvalue", bias.group, "", "", bias.pvalue_corrected, NAN, NAN, n


def group_section(biases: Sequence[GroupBias], names: tuple[str, str], confidence_level: float) -> Section:
    """The errors by group, and where they differ."""
    alpha = 1 - confidence_level
    n_groups = len(dict.fromkeys(bias.group for bias in biases))
    differing = [bias for bias in biases if bias.pvalue_corrected < alpha]
    if n_groups == 2:
        differing = [bias for bias in differing if bias.group == biases[0].group]
    findings = [
        f"{ERRORS[bias.error]} of {bias.group} ({bias.difference.value:+.2f}, p "
        f"{format_p_value(bias.pvalue_corrected)})"
        for bias in differing
    ]
    sentence = (
        f"{names[1]} does not judge all groups alike: other than in all other groups is the {join_names(findings)}."
        if findings
        else f"No error of {names[1]} is shown to differ between the groups."
    )
    return Section(
        title=f"Errors of {names[1]} by group of queries",
        sentence=sentence,
        table=table_of(
            column("group", [bias.group for bias in biases], name=True),
            column("error", [ERRORS[bias.error] for bias in biases], name=True),
            column("documents", [bias.in_group.n for bias in biases], thousands),
            column("value", [bias.in_group.value for bias in biases], digits(signed=True)),
            *columns_of(("beyond others", "low", "high"), [bias.difference for bias in biases], digits(signed=True)),
            column("p corrected", [bias.pvalue_corrected for bias in biases], format_p_cell),
        ),
        notes=(
            f"low and high: {format_percent(confidence_level)} confidence intervals of the difference from all other "
            "groups; p corrected: that of no difference, corrected for all of them (Holm)",
        ),
    )
