"""What the order of systems is worth with fewer judgments: dropped at random, or those that a shallower pool would have
held.
"""

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
from rankscope.kernels.means import mean_of
from rankscope.kernels.segments import bounds, group_of, place_in_group
from rankscope.kernels.ties import join_ties
from rankscope.measures.association import tau_ap
from rankscope.stability.ablation_result import Ablation, AblationLevels
from rankscope.stats.correlation_values import pairs_of
from rankscope.stats.inputs import check_count, check_share, seed_of
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "SHARES",
    "JudgmentSubset",
    "PooledJudgments",
    "ablate",
    "judgments_of",
]


#: So many relevant and not relevant documents of each query are kept at least, where it has them.
LEAST = (1, 10)
#: The relevance of a document that is in the pool, but was not judged.
POOLED = -1


@dataclass(frozen=True, eq=False)
class JudgmentSubset:
    """The judgments that are left. marked: (judged) which of all judgments these are.

    relevance, places, grades, grade_offsets: as `Hits.rejudged` takes them.
    """

    marked: Bools
    relevance: Ints
    places: Ints
    grades: Ints
    grade_offsets: Ints
    memory: dict[Any, Any] = field(default_factory=dict)

    def seen_by(self, hits: Hits) -> Hits:
        """The hits of one run by these judgments. All runs share what follows from the judgments alone."""
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

    offsets: (queries + 1). relevance: (judged). best: (judged) the best rank at which some run lists it, infinite where
    none does. rel: least relevance that counts.
    """

    offsets: Ints
    relevance: Ints
    best: Floats
    rel: int

    @cached_property
    def query(self) -> Ints:
        """(judged) the query of each."""
        return group_of(self.offsets)

    @cached_property
    def judged(self) -> Bools:
        """(judged) which were judged: those of negative relevance were pooled only."""
        return np.asarray(self.relevance >= 0)

    @property
    def deepest(self) -> int:
        """The depth within which some run lists each judged document that any run lists; 0 where none lists any."""
        return int(np.ceil(self.best[np.isfinite(self.best)].max(initial=0)))

    @cached_property
    def stratum(self) -> Ints:
        """(judged) the query and whether it is relevant, not relevant, or not judged: 3 query + 0, 1 or 2."""
        return np.asarray(3 * self.query + np.where(self.judged, self.relevance < self.rel, 2), np.int64)

    @cached_property
    def sizes(self) -> Ints:
        """(3 queries) documents of each stratum."""
        return np.bincount(self.stratum, minlength=3 * (self.offsets.size - 1))

    def relevant_of(self, marked: Bools) -> Ints:
        """(queries) how many of the marked ones are relevant."""
        n = self.offsets.size - 1
        return np.bincount(self.query[marked & (self.relevance >= self.rel)], minlength=n)

    def shuffled(self, rng: np.random.Generator) -> Ints:
        """(judged) the turn of each within its stratum, from 0, in an order drawn anew."""
        order = np.lexsort((rng.random(self.relevance.size), self.stratum))
        turn = np.empty(order.size, np.int64)
        turn[order] = place_in_group(bounds(self.sizes))
        return turn

    def sampled(self, turn: Ints, share: float) -> JudgmentSubset:
        """What is left where of each stratum the first by `turn` are kept, this share of them, rounded half up.

        But at least `LEAST`. The others stay in the pool, unjudged.
        """
        counts = np.floor(share * self.sizes + 0.5).astype(np.int64)
        for s, least in enumerate(LEAST):
            counts[s::3] = np.maximum(counts[s::3], least)
        kept = self.judged & (turn < counts[self.stratum])
        relevance = np.where(self.judged & ~kept, POOLED, self.relevance)
        return self._kept(kept, relevance, np.ones(kept.size, np.bool_))

    def within(self, depth: int) -> JudgmentSubset:
        """What is left where only documents were pooled that some run ranks within the depth."""
        pooled = np.asarray(self.best <= depth)
        return self._kept(pooled & self.judged, self.relevance, pooled)

    def _kept(self, marked: Bools, relevance: Ints, there: Bools) -> JudgmentSubset:
        query = self.query[there]
        offsets = bounds(np.bincount(query, minlength=self.offsets.size - 1))
        places = np.full(there.size, -1)
        places[there] = place_in_group(offsets)
        grades = relevance[there]
        return JudgmentSubset(marked, relevance, places, grades[np.lexsort((-grades, query))], offsets)


def judgments_of(systems: Sequence[tuple[str, Hits]]) -> PooledJudgments:
    """All judgments, put together from the hits of runs that were joined with the same ones.

    Hits know the place of each judged document that the run lists, and the grades of all. So a document that no run
    lists has one of the grades left over; which, is nothing that a measure could tell. Raises ParameterError for runs
    that were joined with different judgments.
    """
    first = systems[0][1]
    n = first.grades.size
    relevance, best, listed = np.zeros(n, np.int64), np.full(n, np.inf), np.zeros(n, np.bool_)
    for name, hits in systems:
        if not same_judgments(hits, first):
            raise different_judgments_error(name, systems[0][0])
        place = first.grade_offsets[hits.query] + hits.judged
        if (relevance[place][listed[place]] != hits.relevance[listed[place]]).any():
            raise different_judgments_error(name, systems[0][0])
        relevance[place], listed[place] = hits.relevance, True
        best[place] = np.minimum(best[place], hits.rank)
    # Grades by query, then falling: what is left of each takes the places that are free, which are by query too.
    levels, level = np.unique(-first.grades, return_inverse=True)
    codes, total = np.unique(first.grade_query * levels.size + level.reshape(-1), return_counts=True)
    taken = first.grade_query[listed] * levels.size + np.searchsorted(levels, -relevance[listed])
    left = total - np.bincount(np.searchsorted(codes, taken), minlength=codes.size)
    if (left < 0).any():
        raise different_judgments_error(systems[-1][0], systems[0][0])
    relevance[~listed] = np.repeat(-levels[codes % levels.size], left)
    return PooledJudgments(first.grade_offsets, relevance, best, first.rel)


def different_judgments_error(name: str, first: str) -> ParameterError:
    return ParameterError(
        f"{name} was joined with other judgments or conventions than {first}, expected the same for all; join them "
        "together"
    )


def same_judgments(a: Hits, b: Hits) -> bool:
    """Whether both hold the same queries with the same grades, and were joined alike."""
    return (
        a.query_ids == b.query_ids
        and (a.rel, a.ties, a.precision) == (b.rel, b.ties, b.precision)
        and np.array_equal(a.grade_offsets, b.grade_offsets)
        and np.array_equal(a.grades, b.grades)
    )


SHARES = (0.9, 0.75, 0.5, 0.25, 0.1)
DEPTHS = (1, 2, 5, 10, 20, 50, 100)


class AblationDraws(NamedTuple):
    """What one kind of ablation asks for: its levels, and for each of them, one after the other, what is kept.

    iterations: how often each level is drawn.
    """

    kind: str
    levels: tuple[float, ...]
    iterations: int
    kept: Iterator[JudgmentSubset]


@dataclass(frozen=True, eq=False, kw_only=True)
class AblationBase:
    """The systems under all judgments."""

    scores: Scores
    joined: tuple[JoinedRun, ...]
    plan: Plan
    judgments: PooledJudgments

    def means(self, kept: JudgmentSubset) -> tuple[Floats, Hits]:
        """(systems, measures) by the judgments that are kept, and the hits of one of the systems."""
        hits = [kept.seen_by(one.hits) for one in self.joined]
        values = [
            self.plan.values(self.plan.read(one), name)[0] for one, name in zip(hits, self.scores.systems, strict=True)
        ]
        return summarise(np.array(values), [measure.summary for measure in self.plan.measures]), hits[0]


def ablate(
    joined: Sequence[JoinedRun],
    plan: Plan,
    *,
    shares: Sequence[float] = SHARES,
    depths: Sequence[int] | None = None,
    iterations: int = 10,
    rng: Any = None,
) -> Ablation:
    """How alike systems are ordered with fewer judgments: dropped at random, and of a shallower pool.

    At random: of each query, judged documents are shuffled once an iteration, relevant and not relevant ones apart, and
    of each of the two the first share is kept, rounded half up; but at least 1 relevant and 10 not relevant ones, where
    there are so many. The others count as in the pool, but not judged (relevance -1): only infAP can tell that from a
    document outside the pool. Smaller shares are parts of larger ones of the same iteration. By depth: only those
    documents are in the pool that one of these runs ranks within the depth (tied ones by their mean rank, where ties
    are averaged), and judgments of all others are dropped.

    For each level, all measures are computed anew from the kept judgments alone, as if there had never been more; ranks
    and lists stay as they are, and queries that lose all their relevant documents count as the plan says. Systems in
    the order of their means by all judgments, and by the kept ones, are compared by Kendall's tau-b and by the AP
    correlation, in which the order with all judgments is the truth.

    joined, plan: as `plan_and_join` gives them; at least 2 systems, joined with the same judgments. shares: of the
    judgments, each between 0 and 1. depths: whole numbers; default 1, 2, 5, 10, 20, 50, 100 as far as they drop
    something that a run lists, then the least depth that keeps all of it. iterations: draws of each share. rng: a seed
    or a Generator; each iteration has a stream of its own.

    Measures that need judgments by subtopic, and those of which neither direction is better, are left out; a note says
    so. Raises ParameterError for arguments out of range, fewer than 2 systems, runs joined with different judgments, no
    measure left; InputError where no run lists a judged document.

    Source: the random samples as in Buckley and Voorhees (SIGIR 2004); tau_AP: Yilmaz et al. (SIGIR 2008).

    >>> from rankscope.evaluation.engine import plan_and_join
    >>> import rankscope as rs
    >>> qrels = {"q": {"a": 1, "b": 1, "c": 0, "d": 0}}
    >>> good = rs.Run({"q": {"a": 3.0, "c": 2.0, "b": 1.0}}, name="good")
    >>> poor = rs.Run({"q": {"d": 3.0, "b": 2.0, "a": 1.0}}, name="poor")
    >>> plan, joined = plan_and_join(qrels, [good, poor], ["AP"], {}, None, None, None)
    >>> found = ablate(joined, plan, shares=[0.5], rng=1).depth
    >>> found.levels.tolist(), found.kept.tolist()  # a and d are ranked first, all four within 2
    ([1.0, 2.0], [0.5, 1.0])
    >>> found.tau.tolist(), found.values[:, 0].tolist()  # at depth 1 only a is relevant: (1/1 + 1/3) / 2
    ([[1.0, 1.0]], [0.6666666666666666])
    """
    check_count("iterations", iterations)
    falling = tuple(sorted({checked_share(share) for share in as_levels("shares", shares)}, reverse=True))
    base, notes = base_of(joined, plan)
    judgments = base.judgments
    if not judgments.deepest:
        raise InputError("no run lists a judged document, expected some; check that ids are written alike")
    if depths is None:
        rising = (*(d for d in DEPTHS if d < judgments.deepest), judgments.deepest)
    else:
        rising = tuple(sorted({checked_depth(depth) for depth in as_levels("depths", depths)}))
    seed = seed_of(rng)
    streams = np.random.default_rng(seed).spawn(iterations)
    turns = [judgments.shuffled(stream) for stream in streams]
    at_random = (judgments.sampled(turn, share) for share in falling for turn in turns)
    by_depth = (judgments.within(depth) for depth in rising)
    random, more = levels_of(base, AblationDraws("random", falling, iterations, at_random))
    depth, and_more = levels_of(base, AblationDraws("depth", rising, 1, by_depth))
    tied = [name for name in base.scores.measure_names if has_ties(truth_of(base.scores, name))]
    if tied:
        notes.append(
            f"systems are tied by all judgments, by {join_names(tied)}: there tau_AP is tau_AP,b, the mean of both "
            "directions"
        )
    return Ablation(
        scores=base.scores,
        n_judgments=int(judgments.judged.sum()),
        n_unlisted=int((judgments.judged & np.isinf(judgments.best)).sum()),
        iterations=iterations,
        seed=seed,
        random=random,
        depth=depth,
        notes=tuple(dict.fromkeys((*base.scores.notes, *notes, *more, *and_more))),
    )


def as_levels(name: str, levels: Any) -> list[Any]:
    try:
        found = list(levels)
    except TypeError:
        found = []
    if isinstance(levels, str) or not found:
        raise ParameterError(f"{name} are {levels!r}, expected a list of at least one")
    return found


def checked_share(share: Any) -> float:
    check_share("each of shares", share)
    return float(share)


def checked_depth(depth: Any) -> int:
    check_count("each of depths", depth)
    return int(depth)


def base_of(joined: Sequence[JoinedRun], plan: Plan) -> tuple[AblationBase, list[str]]:
    """What is computed once, and notes on the measures that are left out."""
    if len(joined) < 2:
        raise ParameterError(f"there {'is 1 system' if joined else 'are 0 systems'} to order, expected at least 2")
    by_subtopic = [m for m in plan.measures if m.needs_subtopics]
    undirected = [m for m in plan.measures if not m.needs_subtopics and m.higher_is_better is None]
    measures = tuple(m for m in plan.measures if m not in by_subtopic and m not in undirected)
    notes = []
    for gone, why in ((by_subtopic, "need judgments by subtopic"), (undirected, "say not which system is better")):
        if gone:
            notes.append(f"left out, since they {why}: {join_names(map(str, gone), len(gone))}")
    if not measures:
        raise ParameterError(f"no measure can be taken ({'; '.join(notes)}); expected at least one, such as AP")
    unjudged = "nonrelevant" if plan.unjudged == "bounds" else plan.unjudged
    plan = replace(plan, measures=measures, unjudged=unjudged, _settings={})
    judgments = judgments_of([(one.name, one.hits) for one in joined])
    scores = score_hits(plan, joined)
    return AblationBase(scores=scores, joined=tuple(joined), plan=plan, judgments=judgments), notes


def levels_of(base: AblationBase, draws: AblationDraws) -> tuple[AblationLevels, list[str]]:
    """All levels of one kind, and notes."""
    shape = (len(draws.levels), draws.iterations)
    judged, n = base.judgments.judged, max(int(base.judgments.judged.sum()), 1)
    had = base.judgments.relevant_of(judged) > 0
    means, kept, lost, follow = [], [], [], set[str]()
    settings = base.scores.measure_settings
    for one in draws.kept:
        found, hits = base.means(one)
        means.append(found)
        kept.append(int(one.marked.sum()) / n)
        lost.append(int((had & (base.judgments.relevant_of(one.marked) == 0)).sum()))
        now = base.plan.measure_settings(hits)  # some follow from the highest grade
        follow |= {name for name, a, b in zip(base.scores.measure_names, now, settings, strict=True) if a != b}
    drawn = np.array(means).transpose(2, 0, 1)  # measures, draws, systems
    taus, by_ap = (side.reshape(-1, *shape) for side in correlations(base.scores, drawn))
    levels = AblationLevels(
        kind=draws.kind,
        levels=np.array(draws.levels, np.float64),
        kept=np.array(kept).reshape(shape).mean(axis=1),
        lost=np.array(lost, np.float64).reshape(shape).mean(axis=1),
        tau=mean_of(taus, -1),
        tau_low=extreme(taus, np.fmin),
        tau_high=extreme(taus, np.fmax),
        tau_ap=mean_of(by_ap, -1),
        values=mean_of(mean_of(drawn, -1).reshape(-1, *shape), -1),
    )
    return levels, notes_on(base, draws, levels, taus, follow)


def notes_on(
    base: AblationBase, draws: AblationDraws, levels: AblationLevels, taus: Floats, follow: set[str]
) -> list[str]:
    notes = []
    how = "dropped at random" if draws.kind == "random" else "of a shallower pool"
    if follow:
        names = [name for name in base.scores.measure_names if name in follow]
        notes.append(
            f"with judgments {how}, no document of the highest grade is left at times, and settings of "
            f"{join_names(names)} that follow from it change"
        )
    if draws.kind == "depth" and levels.lost[0]:
        notes.append(
            f"with a pool of depth {levels.levels[0]:g}, {pluralise_queries(round(levels.lost[0]))} that had relevant "
            f"documents have none; they count as others without any (no_relevant:{base.plan.no_relevant})"
        )
    undefined = np.isnan(taus).sum(axis=(1, 2))
    for name, n in zip(base.scores.measure_names, undefined.tolist(), strict=True):
        if n:
            notes.append(
                f"with judgments {how}, {name} orders no systems in {n} of {taus[0].size} cases (all have one value, "
                "or one has none): these have no tau"
            )
    return notes


def correlations(scores: Scores, drawn: Floats) -> tuple[Floats, Floats]:
    """(measures, draws) tau-b and tau_AP of the systems' means with those by all judgments; NaN where there is none."""
    taus, by_ap = np.full((2, *drawn.shape[:2]), np.nan)
    for m, name in enumerate(scores.measure_names):
        truth = truth_of(scores, name)
        there = np.flatnonzero(np.isfinite(drawn[m]).all(axis=1))
        if not np.isfinite(truth).all() or not there.size:
            continue
        found = join_ties(scores.sign(name) * drawn[m, there])
        taus[m, there] = pairs_of(np.tile(truth, (len(found), 1)), found, "kendall_b").value
        ties: Literal["a", "b"] = "b" if has_ties(truth) else "a"
        # Where no two systems are apart there is no order that could be like the true one.
        apart = np.flatnonzero(np.isfinite(taus[m, there]))
        by_ap[m, there[apart]] = [tau_ap(truth, found[i], ties=ties) for i in apart.tolist()]
    return taus, by_ap


def truth_of(scores: Scores, name: str) -> Floats:
    """(systems) the means by all judgments, higher is better."""
    return np.asarray(join_ties(scores.sign(name) * scores.summary(name)[None])[0])


def has_ties(values: Floats) -> bool:
    return bool(np.isfinite(values).all()) and np.unique(values).size < values.size


def extreme(values: Floats, which: np.ufunc) -> Floats:
    return np.asarray(which.reduce(values, axis=-1))
