"""Ablation of judgments: the order of systems with fewer judgments, dropped at random or those of a shallower pool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from rankscope.data.hits import Hits
from rankscope.data.scores import Scores, summarise
from rankscope.data.text import join_names, pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.conventions import Plan
from rankscope.evaluation.joining import JoinedRun
from rankscope.evaluation.scoring import score_hits
from rankscope.kernels.means import nan_mean
from rankscope.kernels.resample import share_of_sizes, shuffled_ranks
from rankscope.kernels.rounding_ties import join_ties
from rankscope.kernels.segments import bounds, group_of, place_in_group
from rankscope.measures.rank_similarity import tau_ap
from rankscope.stability.ablation_result import Ablation, AblationLevels
from rankscope.stats.correlation_values import make_list_pairs
from rankscope.stats.inputs import check_count, check_share, seed_of
from rankscope.typing import Bools, Floats, Grades, Ints

__all__ = [
    "SHARES",
    "JudgmentSubset",
    "PooledJudgments",
    "ablate_judgments",
    "judgments_of",
]


#: How many relevant and not relevant documents of each query are kept at least, where it has them.
MIN_KEPT = (1, 10)
#: The relevance of a document that is in the pool, but was not judged.
POOLED = -1


@dataclass(frozen=True, eq=False)
class JudgmentSubset:
    """The judgments that are kept, with the cache of what depends on them alone.

    Attributes
    ----------
    is_kept
        (judged) which of all judgments these are.
    relevance, places, grades, grade_offsets, memory
        As `Hits.rejudged` takes them.
    """

    is_kept: Bools
    relevance: Grades
    places: Ints
    grades: Grades
    grade_offsets: Ints
    memory: dict[Any, Any] = field(default_factory=dict)

    def rejudge(self, hits: Hits) -> Hits:
        """The hits of one run by these judgments. All runs share the cache of what depends on the judgments alone."""
        return hits.rejudged(
            relevance=self.relevance,
            places=self.places,
            grades=self.grades,
            grade_offsets=self.grade_offsets,
            memory=self.memory,
        )


@dataclass(frozen=True, eq=False)
class PooledJudgments:
    """All judgments, by query, then place as in `Hits.judged`.

    Attributes
    ----------
    offsets
        (queries + 1) where the judgments of each query begin.
    relevance
        (judged) the grades.
    best_rank
        (judged) the best rank in any run, infinite where no run lists the document.
    rel
        Least relevance that counts.
    """

    offsets: Ints
    relevance: Grades
    best_rank: Floats
    rel: float

    @cached_property
    def query(self) -> Ints:
        """(judged) the query of each."""
        return group_of(self.offsets)

    @cached_property
    def judged(self) -> Bools:
        """(judged) which documents were judged: those of negative relevance were pooled only."""
        return np.asarray(self.relevance >= 0)

    @property
    def max_depth(self) -> int:
        """The least depth of a pool that holds every judged document that any run lists; 0 without such documents."""
        return int(np.ceil(self.best_rank[np.isfinite(self.best_rank)].max(initial=0)))

    @cached_property
    def stratum(self) -> Ints:
        """(judged) the query and whether it is relevant, not relevant, or not judged: 3 query + 0, 1 or 2."""
        return np.asarray(3 * self.query + np.where(self.judged, self.relevance < self.rel, 2), np.int64)

    @cached_property
    def stratum_sizes(self) -> Ints:
        """(3 queries) how many documents each stratum has."""
        return np.bincount(self.stratum, minlength=3 * (self.offsets.size - 1))

    def relevant_of(self, marked: Bools) -> Ints:
        """(queries) how many of the marked documents are relevant."""
        n_queries = self.offsets.size - 1
        return np.bincount(self.query[marked & (self.relevance >= self.rel)], minlength=n_queries)

    def shuffle(self, rng: np.random.Generator) -> Ints:
        """(judged) the rank of each within its stratum, from 0, in a random order."""
        return shuffled_ranks(rng, self.stratum, self.stratum_sizes)

    def sample(self, draw_rank: Ints, share: float) -> JudgmentSubset:
        """The judgments where this share of each stratum, rounded half up, is kept: the first by `draw_rank`.

        At least `MIN_KEPT` are kept. The others stay in the pool, unjudged.
        """
        counts = share_of_sizes(share, self.stratum_sizes)
        for stratum, min_kept in enumerate(MIN_KEPT):
            counts[stratum::3] = np.maximum(counts[stratum::3], min_kept)
        is_kept = self.judged & (draw_rank < counts[self.stratum])
        relevance = np.where(self.judged & ~is_kept, POOLED, self.relevance)
        return self._kept(is_kept, relevance, np.ones(is_kept.size, np.bool_))

    def within(self, depth: int) -> JudgmentSubset:
        """The judgments of a pool of the documents that some run ranks within the depth."""
        is_pooled = np.asarray(self.best_rank <= depth)
        return self._kept(is_pooled & self.judged, self.relevance, is_pooled)

    def _kept(self, marked: Bools, relevance: Grades, in_pool: Bools) -> JudgmentSubset:
        query = self.query[in_pool]
        offsets = bounds(np.bincount(query, minlength=self.offsets.size - 1))
        places = np.full(in_pool.size, -1)
        places[in_pool] = place_in_group(offsets)
        grades = relevance[in_pool]
        return JudgmentSubset(marked, relevance, places, grades[np.lexsort((-grades, query))], offsets)


def judgments_of(systems: Sequence[tuple[str, Hits]]) -> PooledJudgments:
    """All judgments, reconstructed from the hits of runs that were joined with the same judgments.

    Hits hold the place of each judged document that the run lists, and the grades of all. A document that no run lists
    gets one of the remaining grades of its query; measures do not depend on which. Raises ParameterError for runs that
    were joined with different judgments.
    """
    reference = systems[0][1]
    n_judged = reference.grades.size
    relevance, best, is_listed = (
        np.zeros(n_judged, reference.grades.dtype),
        np.full(n_judged, np.inf),
        np.zeros(n_judged, np.bool_),
    )
    for name, hits in systems:
        if not same_judgments(hits, reference):
            raise different_judgments_error(name, systems[0][0])
        judged_index = reference.grade_offsets[hits.query] + hits.judged
        if (relevance[judged_index][is_listed[judged_index]] != hits.relevance[is_listed[judged_index]]).any():
            raise different_judgments_error(name, systems[0][0])
        relevance[judged_index], is_listed[judged_index] = hits.relevance, True
        best[judged_index] = np.minimum(best[judged_index], hits.rank)
    # The remaining grades, by query, then falling, go to the unlisted documents, which are by query too.
    grade_values, grade_index = np.unique(-reference.grades, return_inverse=True)
    group_codes, group_sizes = np.unique(
        reference.grade_query * grade_values.size + grade_index.reshape(-1), return_counts=True
    )
    listed_codes = reference.grade_query[is_listed] * grade_values.size + np.searchsorted(
        grade_values, -relevance[is_listed]
    )
    n_unlisted = group_sizes - np.bincount(np.searchsorted(group_codes, listed_codes), minlength=group_codes.size)
    if (n_unlisted < 0).any():
        raise different_judgments_error(systems[-1][0], systems[0][0])
    relevance[~is_listed] = np.repeat(-grade_values[group_codes % grade_values.size], n_unlisted)
    return PooledJudgments(reference.grade_offsets, relevance, best, reference.rel)


def different_judgments_error(name: str, first: str) -> ParameterError:
    return ParameterError(
        f"{name} was joined with other judgments or conventions than {first}, expected the same for all; join them "
        "together"
    )


def same_judgments(a: Hits, b: Hits) -> bool:
    """Whether both have the same queries with the same grades, and were joined with the same settings."""
    return (
        a.query_ids == b.query_ids
        and (a.rel, a.ties, a.precision) == (b.rel, b.ties, b.precision)
        and np.array_equal(a.grade_offsets, b.grade_offsets)
        and np.array_equal(a.grades, b.grades)
    )


SHARES = (0.9, 0.75, 0.5, 0.25, 0.1)
DEPTHS = (1, 2, 5, 10, 20, 50, 100)


class AblationDraws(NamedTuple):
    """The draws of one kind of ablation.

    Attributes
    ----------
    kind
        "random" or "depth".
    levels
        The shares of judgments, or the depths of the pool.
    iterations
        How many draws each level has.
    subsets
        The kept judgments of each draw, level by level.
    """

    kind: str
    levels: tuple[float, ...]
    iterations: int
    subsets: Iterator[JudgmentSubset]


@dataclass(frozen=True, eq=False, kw_only=True)
class AblationBase:
    """The systems with all judgments, to which those with fewer judgments are compared.

    Attributes
    ----------
    scores
        By all judgments.
    joined
        Each run, joined with all judgments.
    plan
        The measures and conventions.
    judgments
        All judgments.
    """

    scores: Scores
    joined: tuple[JoinedRun, ...]
    plan: Plan
    judgments: PooledJudgments

    def means(self, subset: JudgmentSubset) -> tuple[Floats, Hits]:
        """(systems, measures) means by the kept judgments, and the hits of one of the systems."""
        hits = [subset.rejudge(run.hits) for run in self.joined]
        values = [
            self.plan.values(self.plan.measured_hits(run_hits), name)[0]
            for run_hits, name in zip(hits, self.scores.systems, strict=True)
        ]
        return summarise(np.array(values), [measure.summary for measure in self.plan.measures]), hits[0]


def ablate_judgments(
    joined: Sequence[JoinedRun],
    plan: Plan,
    *,
    shares: Sequence[float] = SHARES,
    depths: Sequence[int] | None = None,
    iterations: int = 10,
    rng: Any = None,
) -> Ablation:
    """Compare the order of systems by all judgments with that by fewer: dropped at random, or from a shallower pool.

    At random: in each iteration, the relevant and the not relevant documents of each query are shuffled separately, and
    the first share of each is kept, rounded half up, but at least 1 relevant and 10 not relevant documents if there are
    as many. The others stay in the pool, unjudged (relevance -1); only infAP treats them differently from documents
    outside the pool. Within an iteration, smaller shares are subsets of larger ones. By depth: the pool contains only
    documents that one of these runs ranks within the depth (tied documents by their mean rank, if ties are averaged);
    judgments of all others are dropped.

    For each level, all measures are computed from the kept judgments only. Ranks and lists stay the same, and queries
    that lose all their relevant documents count as the plan says. The orders of systems by their means with all and
    with the kept judgments are compared by Kendall's tau-b and by the AP correlation, in which the order with all
    judgments is the reference.

    Measures that need judgments by subtopic, or that have no direction, are skipped; a note says so.

    Source: the random samples as in Buckley and Voorhees (SIGIR 2004); tau_AP: Yilmaz et al. (SIGIR 2008).

    Parameters
    ----------
    joined, plan
        What `plan_and_join` returns: at least 2 systems, joined with the same judgments.
    shares
        Shares of the judgments to keep, each between 0 and 1.
    depths
        Depths of the pool. Default: those of 1, 2, 5, 10, 20, 50 and 100 that drop a judgment of a document in a run,
        then the smallest depth that keeps all of these.
    iterations
        Number of draws for each share.
    rng
        Seed or `numpy.random.Generator`. Each iteration has its own random stream.

    Raises
    ------
    ParameterError
        Arguments are out of range, there are fewer than 2 systems, runs were joined with different judgments, or no
        measure is left.
    InputError
        No run contains a judged document.

    Examples
    --------
    >>> from rankscope.evaluation.conventions import ConventionSettings, InputSettings
    >>> from rankscope.evaluation.engine import plan_and_join
    >>> import rankscope as rs
    >>> qrels = {"q": {"a": 1, "b": 1, "c": 0, "d": 0}}
    >>> good = rs.Run({"q": {"a": 3.0, "c": 2.0, "b": 1.0}}, name="good")
    >>> poor = rs.Run({"q": {"d": 3.0, "b": 2.0, "a": 1.0}}, name="poor")
    >>> plan, joined = plan_and_join(qrels, [good, poor], ["AP"], ConventionSettings(), InputSettings())
    >>> by_depth = ablate_judgments(joined, plan, shares=[0.5], rng=1).depth
    >>> by_depth.levels.tolist(), by_depth.kept.tolist()  # a and d are ranked first, all four within 2
    ([1.0, 2.0], [0.5, 1.0])
    >>> by_depth.tau.tolist(), by_depth.values[:, 0].tolist()  # at depth 1 only a is relevant: (1/1 + 1/3) / 2
    ([[1.0, 1.0]], [0.6666666666666666])
    """
    check_count("iterations", iterations)
    sorted_shares = tuple(sorted({checked_share(share) for share in as_levels("shares", shares)}, reverse=True))
    base, notes = ablation_base(joined, plan)
    judgments = base.judgments
    if not judgments.max_depth:
        raise InputError("no run lists a judged document, expected some; check that ids are written alike")
    if depths is None:
        sorted_depths = (*(d for d in DEPTHS if d < judgments.max_depth), judgments.max_depth)
    else:
        sorted_depths = tuple(sorted({checked_depth(depth) for depth in as_levels("depths", depths)}))
    seed = seed_of(rng)
    streams = np.random.default_rng(seed).spawn(iterations)
    draw_ranks = [judgments.shuffle(stream) for stream in streams]
    random_subsets = (judgments.sample(draw_rank, share) for share in sorted_shares for draw_rank in draw_ranks)
    depth_subsets = (judgments.within(depth) for depth in sorted_depths)
    random, random_notes = compute_levels(base, AblationDraws("random", sorted_shares, iterations, random_subsets))
    depth, depth_notes = compute_levels(base, AblationDraws("depth", sorted_depths, 1, depth_subsets))
    tied_measures = [name for name in base.scores.measure_names if has_ties(reference_means(base.scores, name))]
    if tied_measures:
        notes.append(
            f"systems are tied by all judgments, by {join_names(tied_measures)}: tau_AP is then tau_AP,b, the mean of "
            "both directions"
        )
    return Ablation(
        scores=base.scores,
        n_judgments=int(judgments.judged.sum()),
        n_unlisted=int((judgments.judged & np.isinf(judgments.best_rank)).sum()),
        iterations=iterations,
        seed=seed,
        random=random,
        depth=depth,
        notes=tuple(dict.fromkeys((*base.scores.notes, *notes, *random_notes, *depth_notes))),
    )


def as_levels(name: str, levels: Any) -> list[Any]:
    try:
        values = list(levels)
    except TypeError:
        values = []
    if isinstance(levels, str) or not values:
        raise ParameterError(f"{name} are {levels!r}, expected a list of at least one")
    return values


def checked_share(share: Any) -> float:
    check_share("each of shares", share)
    return float(share)


def checked_depth(depth: Any) -> int:
    check_count("each of depths", depth)
    return int(depth)


def ablation_base(joined: Sequence[JoinedRun], plan: Plan) -> tuple[AblationBase, list[str]]:
    """The data for all levels, computed once, and notes on skipped measures."""
    if len(joined) < 2:
        raise ParameterError(f"there {'is 1 system' if joined else 'are 0 systems'} to order, expected at least 2")
    by_subtopic = [measure for measure in plan.measures if measure.needs_subtopics]
    undirected = [
        measure for measure in plan.measures if not measure.needs_subtopics and measure.higher_is_better is None
    ]
    measures = tuple(measure for measure in plan.measures if measure not in by_subtopic and measure not in undirected)
    notes = []
    for skipped, reason in (
        (by_subtopic, "need judgments by subtopic"),
        (undirected, "do not say which system is better"),
    ):
        if skipped:
            notes.append(f"skipped, since they {reason}: {join_names(map(str, skipped), len(skipped))}")
    if not measures:
        raise ParameterError(f"no measure can be used ({'; '.join(notes)}); expected at least one, such as AP")
    unjudged = "nonrelevant" if plan.unjudged == "bounds" else plan.unjudged
    plan = replace(plan, measures=measures, unjudged=unjudged, _settings={})
    judgments = judgments_of([(run.name, run.hits) for run in joined])
    scores = score_hits(plan, joined)
    return AblationBase(scores=scores, joined=tuple(joined), plan=plan, judgments=judgments), notes


def compute_levels(base: AblationBase, draws: AblationDraws) -> tuple[AblationLevels, list[str]]:
    """The numbers of all levels of one kind, and notes."""
    shape = (len(draws.levels), draws.iterations)
    is_judged, n_judged = base.judgments.judged, max(int(base.judgments.judged.sum()), 1)
    had_relevant = base.judgments.relevant_of(is_judged) > 0
    means, kept_shares, lost_queries, changed_names = [], [], [], set[str]()
    settings = base.scores.measure_settings
    for subset in draws.subsets:
        system_means, hits = base.means(subset)
        means.append(system_means)
        kept_shares.append(int(subset.is_kept.sum()) / n_judged)
        lost_queries.append(int((had_relevant & (base.judgments.relevant_of(subset.is_kept) == 0)).sum()))
        draw_settings = base.plan.measure_settings(hits)  # some settings depend on the highest grade
        changed_names |= {
            name for name, a, b in zip(base.scores.measure_names, draw_settings, settings, strict=True) if a != b
        }
    draw_means = np.array(means).transpose(2, 0, 1)  # measures, draws, systems
    taus, ap_taus = (
        correlation_values.reshape(-1, *shape) for correlation_values in correlations(base.scores, draw_means)
    )
    levels = AblationLevels(
        kind=draws.kind,
        levels=np.array(draws.levels, np.float64),
        kept=np.array(kept_shares).reshape(shape).mean(axis=1),
        lost=np.array(lost_queries, np.float64).reshape(shape).mean(axis=1),
        tau=nan_mean(taus, -1),
        tau_low=reduce_draws(taus, np.fmin),
        tau_high=reduce_draws(taus, np.fmax),
        tau_ap=nan_mean(ap_taus, -1),
        values=nan_mean(nan_mean(draw_means, -1).reshape(-1, *shape), -1),
    )
    return levels, level_notes(base, draws, levels, taus, changed_names)


def level_notes(
    base: AblationBase, draws: AblationDraws, levels: AblationLevels, taus: Floats, changed_names: set[str]
) -> list[str]:
    notes = []
    phrase = "dropped at random" if draws.kind == "random" else "of a shallower pool"
    if changed_names:
        names = [name for name in base.scores.measure_names if name in changed_names]
        notes.append(
            f"with judgments {phrase}, sometimes no document of the highest grade is left, and settings of "
            f"{join_names(names)} that follow from it change"
        )
    if draws.kind == "depth" and levels.lost[0]:
        notes.append(
            f"with a pool of depth {levels.levels[0]:g}, {pluralise_queries(round(levels.lost[0]))} that had relevant "
            f"documents have none; they count as others without any (no_relevant:{base.plan.no_relevant})"
        )
    undefined = np.isnan(taus).sum(axis=(1, 2))
    for name, n_undefined in zip(base.scores.measure_names, undefined.tolist(), strict=True):
        if n_undefined:
            notes.append(
                f"with judgments {phrase}, {name} orders no systems in {n_undefined} of {taus[0].size} cases (all have "
                "one value, or one has none): no tau for these"
            )
    return notes


def correlations(scores: Scores, draw_means: Floats) -> tuple[Floats, Floats]:
    """(measures, draws) tau-b and tau_AP of the systems' means with those by all judgments; NaN where undefined."""
    taus, ap_taus = np.full((2, *draw_means.shape[:2]), np.nan)
    for m, name in enumerate(scores.measure_names):
        truth = reference_means(scores, name)
        defined_draws = np.flatnonzero(np.isfinite(draw_means[m]).all(axis=1))
        if not np.isfinite(truth).all() or not defined_draws.size:
            continue
        values = join_ties(scores.sign(name) * draw_means[m, defined_draws])
        taus[m, defined_draws] = make_list_pairs(np.tile(truth, (len(values), 1)), values, "kendall_b").value
        ties: Literal["a", "b"] = "b" if has_ties(truth) else "a"
        # tau_AP needs an order: draws that tie all systems have none, and no tau-b either.
        with_order = np.flatnonzero(np.isfinite(taus[m, defined_draws]))
        ap_taus[m, defined_draws[with_order]] = [tau_ap(truth, values[i], ties=ties) for i in with_order.tolist()]
    return taus, ap_taus


def reference_means(scores: Scores, name: str) -> Floats:
    """(systems) the means by all judgments; higher is better."""
    return np.asarray(join_ties(scores.sign(name) * scores.summary(name)[None])[0])


def has_ties(values: Floats) -> bool:
    return bool(np.isfinite(values).all()) and np.unique(values).size < values.size


def reduce_draws(values: Floats, reduction: np.ufunc) -> Floats:
    return np.asarray(reduction.reduce(values, axis=-1))
