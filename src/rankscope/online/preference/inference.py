"""`interleaving_test`: which of several interleaved systems users prefer, by the credit of their clicks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from rankscope.errors import InputError, ParameterError
from rankscope.online.credit import OPTIMISED, Crediting
from rankscope.online.logs import IMPRESSION, Log, open_log
from rankscope.online.preference.confidence_sequence import Look, confidence_sequence
from rankscope.online.preference.result import InterleavingTest, Preference, Requirement
from rankscope.online.preference.settings import ANYTIME, SHARE, SUM, InterleavingTestSettings
from rankscope.online.preference.tally import Tally, UnitSums
from rankscope.settings import as_names
from rankscope.stats.cluster_sums import cluster_sums, effective_number
from rankscope.stats.distributions import special, t_pvalue
from rankscope.stats.inputs import seed_of
from rankscope.stats.intervals import bootstrap_interval, t_interval
from rankscope.stats.multiple_comparisons import adjust_pvalues
from rankscope.stats.paired_tests import bootstrap_test, sign_pvalue, sign_test, t_test
from rankscope.stats.power import difference_for_t, queries_for_t
from rankscope.typing import Ints

__all__ = [
    "interleaving_test",
    "run_interleaving_test",
]


def interleaving_test(
    log: Any,
    *,
    lists: Any = None,
    cluster_by: str | None = None,
    outcome: str | None = None,
    no_clicks: str = "drop",
    test: str = "t",
    correction: str = "holm",
    alpha: float = 0.05,
    difference: float | None = None,
    power: float = 0.8,
    systems: Sequence[str] = (),
    actions: Sequence[str] = ("click", "click_through"),
    columns: Mapping[str, str] | None = None,
    n_resamples: int = 2000,
    rng: Any = None,
    progress: Callable[[int], Any] | None = None,
) -> InterleavingTest:
    """Test which of several interleaved systems users prefer.

    Parameters
    ----------
    log
        A file of impressions with clicks, in one of the formats below; a data frame or a list of records with the
        columns of the first.
    lists
        A file of the lists that were shown, as `Interleaving.write_record` writes it, or of UBI queries. Default: the
        log has what is needed.
    cluster_by
        What is independent of each other: impressions of one user, session or query are a cluster. One of 'user',
        'session', 'query', 'impression'. Default: user or else session, if the log has them; else impression.
    outcome
        What an impression counts: who has more credit (win), the difference of credit by click (share), or its sum over
        the clicks (sum). One of 'win', 'share', 'sum'. Default: win; share for probabilistic and optimised
        interleaving.
    no_clicks
        Impressions without clicks are dropped, or are ties. One of 'drop', 'tie'. Default: 'drop'.
    test
        Test and interval of the mean difference: cluster t, sign test of the units, cluster bootstrap, or the
        confidence sequence that may be looked at every day (anytime). One of 't', 'sign', 'bootstrap', 'anytime'.
        Default: 't'.
    correction
        Correction of p-values for several pairs of systems. One of 'holm', 'bonferroni', 'hochberg', 'hommel', 'bh',
        'by', 'none'. Default: 'holm'.
    alpha
        Significance level; intervals have the level 1 - alpha. Default: 0.05.
    difference
        Mean difference that another experiment should be able to show. Default: the observed one.
    power
        Statistical power of that experiment. Default: 0.8.
    systems
        Systems in this order. Default: those of the log.
    actions
        Actions of UBI events that count as clicks. Default: ('click', 'click_through').
    columns
        Names of columns in the log and in the lists, where NAME is query, user, session, time, list, clicks,
        click_teams, documents, team, credit, ranks, systems or propensity. Default: found by their usual names.
    n_resamples
        Number of bootstrap resamples. Default: 2000.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    progress
        Called with the number of bytes just read.

    Returns
    -------
    InterleavingTest
        The mean difference of each two systems, with interval and p-value.

    Raises
    ------
    InputError
        With file and line: something cannot be read, a click is not in its list, or nothing says which system gets the
        credit. No impression has clicks, or there is one system only.
    ParameterError
        A setting is out of range, or a confidence sequence is asked for of sums, which have no bound.

    Notes
    -----
    Formats of the log, as JSON lines:

    - an impression a line, with `clicks` (a list of ranks from 1, or of ids where `documents` has the list) and `user`,
      `session`, `query`, `time`; with `team` (the system of each document, null for none), `credit` or `ranks` by
      document with `systems`, or with `list` or `query` by which `lists` has them. Or with `click_teams`, the system of
      each clicked document. Also as Parquet.
    - responses of Solr with the field `[interleaving]`, beside which `clicks` stand
    - events of UBI (user behavior insights), with the team in `event_attributes.object.search_config`

    A system has the credit of a clicked document of its team (team draft), the probability that it placed the document
    (probabilistic), what the lists say (optimised), or by balanced interleaving 1 for a click on one of its first k
    documents: k is the better of the ranks that the lowest clicked document has in the lists of the systems.

    The mean is over impressions. Its error rests on the units, as that of a mean over clustered queries does. The sign
    test counts the units whose sum is above and below 0; its interval is that of t. The confidence sequence is of the
    mean over units, each with the impressions of its first day only, so that no value changes after it was looked at.

    References
    ----------
    Chapelle, Joachims, Radlinski and Yue (2012), "Large-scale validation and analysis of interleaved search
    evaluation". Hofmann, Whiteson and de Rijke (2011) for probabilistic, Radlinski and Craswell (2013) for optimised
    interleaving, Radlinski, Kurup and Joachims (2008) for the others. Waudby-Smith and Ramdas (2024) for confidence
    sequences.

    Examples
    --------
    >>> import rankscope as rs
    >>> log = [{"user": f"u{i}", "team": ["A", "B", "B", "A"], "clicks": [1 + (i % 3 == 0)]} for i in range(60)]
    >>> result = rs.online.interleaving_test(log)
    >>> result.preferences[0].wins, result.preferences[0].losses, result.preferences[0].pvalue < 0.01
    (40, 20, True)
    """
    settings = InterleavingTestSettings(
        cluster_by=cluster_by,
        outcome=outcome,
        no_clicks=no_clicks,
        test=test,
        correction=correction,
        alpha=alpha,
        difference=difference,
        power=power,
        systems=as_names(systems),
        actions=as_names(actions),
        columns=columns,
        n_resamples=n_resamples,
        seed=seed_of(rng),
    )
    return run_interleaving_test(log, settings, lists=lists, progress=progress)


#: The most that a difference of credit by click can be where credits are inverse ranks that were made fair; else 1.
FAIR_CREDIT_BOUND = 2.0


def run_interleaving_test(
    source: Any,
    settings: InterleavingTestSettings,
    *,
    lists: Any = None,
    progress: Callable[[int], Any] | None = None,
) -> InterleavingTest:
    """As `interleaving_test`, with its settings as one object."""
    units = ("user", "session") if settings.cluster_by is None else (settings.cluster_by,)
    needed = {*units, "clicks", "click_teams", "team", "credit", "ranks", "systems", "method"}
    needed |= {"list", "query"} if lists is not None else set()
    needed |= {"time"} if settings.test == ANYTIME else set()
    log = open_log(source, needed, lists=lists, columns=settings.columns, actions=settings.actions, progress=progress)
    crediting, tally = Crediting(log, settings.systems), Tally(settings)
    has_days = add_up(log, crediting, tally)
    estimates, notes = estimate_pairs(tally, settings)
    corrected = adjust_pvalues([estimate.pvalue for estimate in estimates], method=settings.correction).pvalue
    preferences = tuple(
        Preference(
            system_a=crediting.systems[a],
            system_b=crediting.systems[b],
            difference=estimate.mean,
            low=estimate.low,
            high=estimate.high,
            statistic=estimate.statistic,
            pvalue=estimate.pvalue,
            pvalue_corrected=float(pvalue),
            wins=int(tally.wins[row]),
            ties=int(tally.ties[row]),
            losses=int(tally.losses[row]),
            n=tally.n,
            n_clusters=estimate.n_clusters,
            requirement=requirement(estimate, tally.n, settings),
            looks=estimate.looks,
        )
        for row, ((a, b), estimate, pvalue) in enumerate(zip(tally.pairs, estimates, corrected, strict=True))
    )
    return InterleavingTest(
        systems=crediting.systems,
        preferences=preferences,
        credit=tally.credit / tally.n,
        method=crediting.method,
        cluster_by=tally.cluster_by,
        outcome=tally.outcome,
        n_read=tally.n_read,
        n_without_clicks=tally.n_without_clicks,
        n_clicks=tally.n_clicks,
        has_days=has_days,
        format_name=log.format_name,
        settings=settings,
        notes=(*log.notes, *notes),
    )


def add_up(log: Log, crediting: Crediting, tally: Tally) -> bool:
    """Add the impressions of a log to the tally; whether all say when they were.

    Raises InputError for a log without clicks, or of one system; ParameterError for outcomes that have no bound.
    """
    has_days = True
    for batch in log.batches:
        has_days &= "time" in batch.columns
        credits = crediting.credit(batch)
        if len(crediting.systems) > 1:
            tally.add(batch, credits, crediting.method)
        elif batch.click_row.size:
            raise InputError(
                f"{batch.where(0)}: clicks of the system {crediting.systems[0]!r} only, expected two or more; name all "
                "with systems (--systems)"
                if crediting.systems
                else f"{batch.where(0)}: clicks of no system, expected teams; check the names of the columns"
            )
    if not tally.n:
        raise InputError(f"{log.name}: no impression with clicks, expected some; check the log")
    if tally.settings.test == ANYTIME and tally.outcome == SUM:
        raise ParameterError(
            "test 'anytime' needs outcomes with a bound, and sums of credit have none; choose the outcome win or share "
            "(--outcome)"
        )
    return has_days


class Estimate(NamedTuple):
    """The mean outcome of a pair.

    Attributes
    ----------
    mean, low, high, statistic, pvalue, looks
        As `Preference` has them.
    sd
        Standard error times the square root of the effective number of units; NaN where it is not known, and 0 for
        outcomes that do not vary.
    n_clusters, n_effective
        Units, and how many of one size carry as much.
    """

    mean: float
    low: float
    high: float
    statistic: float
    pvalue: float
    sd: float
    n_clusters: int
    n_effective: float
    looks: tuple[Look, ...] = ()


def estimate_pairs(tally: Tally, settings: InterleavingTestSettings) -> tuple[list[Estimate], list[str]]:
    """The mean outcome of each pair, and notes."""
    if tally.cluster_by == IMPRESSION and not tally.holds_values:
        return [estimate_impressions(tally, pair, settings) for pair in range(len(tally.pairs))], []
    if tally.cluster_by == IMPRESSION:
        outcomes, days = np.concatenate(tally.values, axis=1), np.concatenate(tally.days)
        refuse_unsorted(days)
        units = UnitSums(np.ones(outcomes.shape[1]), outcomes, days)
    else:
        units = tally.by_unit()
    notes = []
    n_counted = int(units.n.sum())
    spread = tally.by_unit(first_day=False) if n_counted < tally.n else units
    if n_counted < tally.n:
        notes.append(
            f"the confidence sequence uses {n_counted:,} of {tally.n:,} impressions: those of the first day of each "
            f"{tally.cluster_by}"
        )
    if units.n.size < 2:
        raise InputError(f"one {tally.cluster_by} only, expected several; choose another cluster_by (--cluster-by)")
    return [estimate_units(units, spread, row, tally, settings) for row in range(len(tally.pairs))], notes


def refuse_unsorted(days: Ints) -> None:
    """Raise InputError where a day comes after a later one."""
    if (np.diff(days) < 0).any():
        raise InputError(
            "the log is not in the order of time, in which a confidence sequence takes single impressions; sort it, or "
            "choose a cluster_by (--cluster-by)"
        )


def estimate_impressions(tally: Tally, pair: int, settings: InterleavingTestSettings) -> Estimate:
    """The mean outcome of independent impressions, from their sums."""
    n = tally.n
    mean = float(tally.totals[pair] / n)
    variance = max(float(tally.squares[pair] / n - mean * mean), 0.0) * n / max(n - 1, 1)
    sd = float(np.sqrt(variance)) if n > 1 else np.nan
    if settings.test == "sign":
        statistic = float(tally.wins[pair])
        pvalue = float(sign_pvalue(tally.wins[[pair]], tally.losses[[pair]], "two-sided")[0])
    else:
        statistic = mean / (sd / np.sqrt(n)) if sd > 0 else np.nan
        pvalue = float(t_pvalue(np.asarray(statistic), n - 1, "two-sided")) if sd > 0 else np.nan
    half_width = float(special().stdtrit(n - 1, 1 - settings.alpha / 2) * sd / np.sqrt(n)) if n > 1 else np.nan
    return Estimate(mean, mean - half_width, mean + half_width, statistic, pvalue, sd, n, n)


def estimate_units(
    units: UnitSums, spread: UnitSums, pair: int, tally: Tally, settings: InterleavingTestSettings
) -> Estimate:
    """The mean outcome of a pair, with units as clusters.

    spread: the units with all of their impressions, by which an experiment is planned.
    """
    means, level = units.means[pair], 1 - settings.alpha
    weights = units.n
    interval = t_interval(means, confidence_level=level, weights=weights)
    result = t_test(means, weights=weights)
    n_clusters, n_effective = weights.size, effective_number(spread.n)
    mean, low, high = (float(value) for value in (interval.mean, interval.low, interval.high))
    statistic, pvalue = float(result.statistic), float(result.pvalue)
    spread_error = cluster_sums(spread.means[[pair]], None, spread.n).standard_errors[0]
    sd = float(spread_error * np.sqrt(n_effective))
    looks: tuple[Look, ...] = ()
    if settings.test == "sign":
        signs = sign_test(np.sign(means))
        statistic, pvalue = float(signs.statistic), float(signs.pvalue)
    elif settings.test == "bootstrap":
        options: dict[str, Any] = {"n_resamples": settings.n_resamples, "rng": settings.seed, "weights": weights}
        resampled = bootstrap_test(means, **options)
        ends = bootstrap_interval(means, confidence_level=level, **options)
        statistic, pvalue = float(resampled.statistic), float(resampled.pvalue)
        low, high = float(ends.low), float(ends.high)
    elif settings.test == ANYTIME:
        alpha = settings.alpha / (len(tally.pairs) if settings.correction != "none" else 1)
        bound = FAIR_CREDIT_BOUND if tally.method == OPTIMISED and tally.outcome == SHARE else 1.0
        looks = tuple(confidence_sequence(means, units.days, bound, alpha))
        mean, low, high, pvalue, statistic = looks[-1].mean, looks[-1].low, looks[-1].high, looks[-1].pvalue, np.nan
    return Estimate(mean, low, high, statistic, pvalue, sd, n_clusters, n_effective, looks)


def requirement(estimate: Estimate, n: int, settings: InterleavingTestSettings) -> Requirement | None:
    """What it takes to show a difference; None where the spread is not known or 0."""
    if not estimate.sd > 0:
        return None
    options: dict[str, Any] = {"power": settings.power, "alpha": settings.alpha}
    difference = settings.difference or abs(estimate.mean)
    n_clusters = None
    if difference > 0:
        with suppress(ParameterError):  # more than the search allows
            n_clusters = queries_for_t(difference, estimate.sd, **options)
    n_needed = None if n_clusters is None else ceil(n_clusters * n / estimate.n_effective)
    needed_units = None if n_clusters is None else ceil(n_clusters * estimate.n_clusters / estimate.n_effective)
    detectable = np.nan
    if settings.power > settings.alpha and estimate.n_effective >= 2:
        detectable = difference_for_t(int(estimate.n_effective), estimate.sd, **options)
    return Requirement(difference, n_needed, needed_units, float(detectable))
