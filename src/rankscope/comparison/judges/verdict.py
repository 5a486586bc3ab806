"""Whether a judge may replace people: what changes under it, in simultaneous intervals, against a margin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankscope.comparison.judges.common_documents import JudgeSettings
from rankscope.data.columns import column, columns_of, digits, table_of
from rankscope.data.section import Section
from rankscope.data.text import format_percent, join_names
from rankscope.stats.cluster_sums import cluster_sums
from rankscope.stats.intervals import t_interval
from rankscope.stats.max_t import max_t_test
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "BESIDE",
    "REPLACES",
    "UNDECIDED",
    "Verdict",
    "verdict_of",
    "verdict_rows",
    "verdict_section",
    "verdicts_by_use",
]


REPLACES, BESIDE, UNDECIDED = "may replace people", "only beside people", "cannot be told"
#: Intervals of fewer queries, or clusters of queries, carry no verdict.
MIN_QUERIES = 10
NAN = float("nan")
#: What the values of systems may be used for.
MEANS, DIFFERENCES = "means of systems", "differences between systems"
NO_SYSTEM: Ints = np.empty(0, np.int64)
NO_FAMILY: Mapping[str, Bools] = {}


class Verdict(NamedTuple):
    """Whether the judge may replace people for one use of a measure.

    Attributes
    ----------
    measure
        The name of the measure.
    use
        What people's judgments are used for.
    verdict
        One of `REPLACES`, `BESIDE` and `UNDECIDED`.
    subject
        The system, or the difference of two, that decides: the one whose interval lies furthest outside the margin, or
        reaches furthest.
    change
        By how much it changes from A to B, on average over the queries.
    low, high
        Its interval, which holds together with those of all other systems and differences of the measure.
    n
        How many queries there are.
    """

    measure: str
    use: str
    verdict: str
    subject: str
    change: float
    low: float
    high: float
    n: int


def verdict_of(low: Floats, high: Floats, margin: float) -> tuple[str, int]:
    """The verdict of some changes, and the index of the one that decides; NaN for an interval that is unknown.

    The judge may replace people if all intervals lie within the margin. It is of use only beside people if one lies
    outside it. Else it cannot be told.
    """
    distance = np.nan_to_num(np.maximum(low, -high), nan=-np.inf)
    if (distance > margin).any():
        return BESIDE, int(distance.argmax())
    reach = np.maximum(-low, high)
    if np.isnan(reach).any():
        return UNDECIDED, int(np.isnan(reach).argmax())
    return REPLACES if (reach <= margin).all() else UNDECIDED, int(reach.argmax())


def verdicts_by_use(
    measure: str,
    systems: tuple[str, ...],
    changes: Floats,
    settings: JudgeSettings,
    sample: Mapping[str, Any],
    *,
    top: Ints = NO_SYSTEM,
    families: Mapping[str, Bools] = NO_FAMILY,
) -> tuple[Verdict, ...]:
    """The verdict for means of systems, for their differences, for those of the best systems and of families.

    Parameters
    ----------
    measure
        The name of the measure.
    systems
        The names of the systems.
    changes
        (systems, queries) the values under B less those under A.
    settings
        How the judges are compared: the margin, the level of all intervals together, and the bootstrap. The intervals
        of families are another set.
    sample
        Clusters and weights of the queries, as statistics take them.
    top
        Indices of the best systems, the best one first; none for no such verdict.
    families
        Family -> (systems) which are of it.
    """
    n_systems, n_queries = changes.shape
    if not n_queries:
        return ()
    is_enough = cluster_sums(changes, **sample).n >= MIN_QUERIES
    # The change of a mean is its difference from that of a system that never changes.
    first, second, change, low, high = simultaneous_changes(changes, settings, sample, is_enough=is_enough)

    def verdict(use: str, indices: Ints) -> Verdict:
        decision, i = verdict_of(low[indices], high[indices], settings.margin)
        i = int(indices[i])
        subject = systems[first[i]] + ("" if second[i] == n_systems else f" - {systems[second[i]]}")
        return Verdict(measure, use, decision, subject, float(change[i]), float(low[i]), float(high[i]), n_queries)

    is_mean = second == n_systems
    verdicts = [verdict(MEANS, np.flatnonzero(is_mean))]
    if n_systems > 1:
        verdicts.append(verdict(DIFFERENCES, np.flatnonzero(~is_mean)))
    if 1 < top.size < n_systems:
        in_top = np.isin(first, top) & np.isin(second, top)
        verdicts.append(verdict(f"{DIFFERENCES} among the best {top.size}", np.flatnonzero(in_top)))
    for family, mask in families.items():
        contrast = changes[mask].mean(axis=0) - changes[~mask].mean(axis=0)
        level = 1 - (1 - settings.confidence_level) / len(families)
        interval = t_interval(contrast, confidence_level=level, **sample)
        ends = (float(interval.low), float(interval.high)) if is_enough else (NAN, NAN)
        decision, _ = verdict_of(np.array([ends[0]]), np.array([ends[1]]), settings.margin)
        subject = f"{family} - others"
        verdicts.append(
            Verdict(
                measure, f"family {family} against others", decision, subject, float(interval.mean), *ends, n_queries
            )
        )
    return tuple(verdicts)


def simultaneous_changes(
    changes: Floats, settings: JudgeSettings, sample: Mapping[str, Any], *, is_enough: bool
) -> tuple[Ints, Ints, Floats, Floats, Floats]:
    """First and second system of each change, the change and the ends of its interval; NaN for too few queries.

    The second system is the number of systems where the change is that of a mean.
    """
    n_systems, n_queries = changes.shape
    table = np.concatenate((changes, np.zeros((1, n_queries))))
    if not is_enough:
        first, second = np.triu_indices(n_systems + 1, 1)
        means = cluster_sums(table, **sample).means
        nan = np.full(first.size, NAN)
        return first, second, means[first] - means[second], nan, nan
    pairs = max_t_test(
        table,
        resampling="bootstrap",
        n_resamples=settings.n_resamples,
        confidence_level=settings.confidence_level,
        rng=settings.seed,
        **sample,
    )
    return pairs.first, pairs.second, pairs.difference, pairs.low, pairs.high


def verdict_rows(verdicts: Sequence[Verdict]) -> Iterator[tuple[str, str, str, str, float, float, float, int]]:
    """Rows of the tidy table: the statistic is the verdict, as `may_replace_people`, and the label its use."""
    for verdict in verdicts:
        numbers = verdict.change, verdict.low, verdict.high, verdict.n
        yield verdict.verdict.replace(" ", "_"), verdict.use, verdict.measure, verdict.subject, *numbers


def verdict_section(
    verdicts: Sequence[Verdict], names: tuple[str, str], margin: float, confidence_level: float
) -> Section:
    """For which uses the judge may replace people, and the change that decides."""
    name_a, name_b = names
    clauses = []
    measures = list(dict.fromkeys(verdict.measure for verdict in verdicts))
    for name in (REPLACES, BESIDE, UNDECIDED):
        uses = [
            verdict.use + (f" by {verdict.measure}" if len(measures) > 1 else "")
            for verdict in verdicts
            if verdict.verdict == name
        ]
        if uses:
            clauses.append(f"{name[0].upper()}{name[1:]} for {join_names(uses)}.")
    return Section(
        title=f"May {name_b} be believed",
        sentence=f"{' '.join(clauses)} A change of up to {margin:g} from {name_a} to {name_b} is taken not to matter "
        "(--margin, margin=).",
        table=table_of(
            column("measure", [verdict.measure for verdict in verdicts], name=True),
            column("use", [verdict.use for verdict in verdicts], name=True),
            column("verdict", [verdict.verdict for verdict in verdicts], name=True),
            column("what decides", [verdict.subject for verdict in verdicts], name=True),
            *columns_of(
                ("change", "low", "high"),
                [(verdict.change, verdict.low, verdict.high) for verdict in verdicts],
                digits(signed=True),
            ),
        ),
        notes=(
            f"may replace people: all changes are within the margin; only beside people: one is beyond it; by "
            f"{format_percent(confidence_level)} intervals that hold for all systems and differences of a measure at "
            f"once, on queries like these and with this judge; at least {MIN_QUERIES} queries or clusters",
        ),
    )
