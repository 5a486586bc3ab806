"""Fusion that learns from judgments: settings chosen by cross-validation over queries, weights refined, parameters
learned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.data.rows import decode_ids
from rankscope.data.run import Run
from rankscope.data.text import first_names, pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.conventions import Plan, make_plan
from rankscope.evaluation.joining import as_qrels
from rankscope.fusion.fuse_runs import fused_run
from rankscope.fusion.judgments import judge_pool
from rankscope.fusion.methods import INVERTED
from rankscope.fusion.normalisation import normalise_pool
from rankscope.fusion.pool import LoadedPool, check_runs, load_pool, pool_subset
from rankscope.fusion.tuning.candidates import Candidate, list_candidates
from rankscope.fusion.tuning.cross_fitting import (
    CandidateValues,
    Folds,
    evaluate_candidate,
    make_folds,
    measured_pool,
    normalise_folds,
)
from rankscope.fusion.tuning.result import FoldChoice, TrainedFusion, TriedSetting
from rankscope.io.core import check_single_stdin
from rankscope.kernels.means import mean_or_nan
from rankscope.kernels.ties import NOISE, best_places
from rankscope.measures.base import Measure
from rankscope.parallel import run_units, workers_for
from rankscope.stats.inputs import check_count, seed_of
from rankscope.typing import Bools, Floats, Ints, PathLike

__all__ = [
    "CoordinateAscent",
    "train",
]


#: Weights to try for a run, as shares of the greatest, and how often to go through all runs.
STEPS, PASSES = (0.0, 0.25, 0.5, 0.75, 1.0), 2


@dataclass(frozen=True, eq=False)
class CoordinateAscent:
    """sign: 1 where higher values are better, else -1. values: (queries) by name of what was tried, whoever asked."""

    folds: Folds
    sign: float
    values: dict[str, Floats] = field(default_factory=dict)

    def of(self, candidate: Candidate) -> Floats:
        """(queries) the values of a candidate that has nothing to learn but its setting."""
        name = str(candidate)
        if name not in self.values:
            measured, ready = self.folds.measured, self.folds.ready[candidate.normalise][0]
            parameters = candidate.learn(measured.pool, self.folds.known, ready)
            self.values[name] = measured.values(candidate.fuse(measured.pool, parameters, ready))
        return self.values[name]

    def mean(self, candidate: Candidate, counted: Bools) -> float:
        values = self.of(candidate)[counted]
        there = values[~np.isnan(values)]
        return self.sign * float(there.mean()) if there.size else -np.inf

    def search(self, start: Candidate, counted: Bools) -> list[Candidate]:
        """What was tried from there on, the best last; nothing where there are no weights to refine.

        counted: (queries) those whose judgments may be looked at, all but those of a fold. Values of other candidates
        are shared between searches, but which ones a search tries depends on these queries alone.
        """
        weights = start.setting.get("weights")
        if weights is None or len(weights) < 2:
            return []
        best = with_weights(start, [weight / max(weights) for weight in weights])
        highest = self.mean(best, counted)
        tried = {str(best): best}
        for _ in range(PASSES):
            before = best
            for i in range(len(weights)):
                for step in STEPS:
                    new = list(best.setting["weights"])
                    new[i] = step
                    one = with_weights(start, new)
                    if str(one) in tried or not any(new):
                        continue
                    tried[str(one)] = one
                    value = self.mean(one, counted)
                    if value > highest + NOISE * max(1.0, abs(highest)):
                        best, highest = one, value
            if best is before:
                break
        return [*(one for one in tried.values() if one is not best), best]


def with_weights(candidate: Candidate, weights: list[float]) -> Candidate:
    return Candidate(candidate.method, candidate.normalise, {**candidate.setting, "weights": weights})


#: One fold is fused, one is left out inside, and something has to be left to learn from.
FEWEST = 3
#: Settings times documents from which on several workers are faster than one: half a second of work.
ENOUGH = 5_000_000


def train(
    qrels: Qrels | PathLike | Any,
    runs: Sequence[Run | PathLike | Any],
    method: str | Sequence[str] = "weighted-sum",
    *,
    normalise: str | Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    measure: str | Measure = "nDCG@10",
    refine: bool = False,
    folds: int = 5,
    rel: int = 1,
    rng: Any = 0,
    input: str | None = None,
    workers: int | None = None,
    progress: Callable[[float], Any] | None = None,
) -> TrainedFusion:
    """Choose how to fuse these runs, and learn it from judgments.

    The judged queries are cut into folds at random. Each setting has its mean `measure` over all of them, where each
    fold is fused with what was learned from the others; the best is chosen, and taught by all. What that is worth is
    said by `cross_fit`, the same runs fused fold by fold: there the setting, too, is chosen by the other folds alone
    (by cross-validation within them), so that no judgment of a query takes part in how it is fused, but for the highest
    grade, which some measures know. Queries without judgments are fused with what all others taught.

    method: one of `TRAINED` or `METHODS`, or a list to choose among. normalise: one, or a list to choose among; by
    default "min-max", for methods that look at scores. settings: for settings by name ("weights", "k", ...) a value, or
    a list of those to try, in the place of the usual ones. refine: then change the best weights further, one run after
    the other, which takes longer and is of use for more than four runs. folds: at least 3. rel: the least relevance
    that counts. rng: how the queries are cut. input: the format of the files. workers: processes that share the
    settings; None: all cores where that pays and processes can be forked. The result is the same. progress: is told the
    share of the work just done.

    Raises InputError where runs and qrels have no query in common, fewer queries than folds, and as `fuse`;
    ParameterError for arguments; UnknownName.

    Source: Bartell et al. 1994 (weights chosen by judgments); nested cross-validation as in Varma and Simon 2006.

    >>> import rankscope as rs
    >>> good = {f"q{i}": {"a": 3.0, "b": 2.0, "c": 1.0} for i in range(6)}
    >>> bad = {f"q{i}": {"c": 9.0, "b": 8.0, "a": 1.0} for i in range(6)}
    >>> trained = rs.fusion.train({f"q{i}": {"a": 1} for i in range(6)}, [bad, good], measure="RR", folds=3)
    >>> trained.setting, trained.cross_fitted_mean
    ({'weights': [0.0, 1.0]}, 1.0)
    """
    plan = check_training(qrels, runs, measure=measure, folds=folds, rel=rel)
    workers_for(workers, False)  # a wrong one is told before anything is read
    seed = seed_of(rng)
    todo = list_candidates(method, normalise, settings, len(runs))
    known = as_qrels(qrels, plan)
    given = load_pool(runs, input=input, inverted=todo[0].normalise == INVERTED)
    used = np.array([query in known.codes for query in given.pool.query_ids], np.bool_)
    notes = [*given.notes, *check_queries(known, given, used, folds)]
    pool = pool_subset(given.pool, used).pool
    assigned = assign_folds(pool.query_ids, folds, seed)
    cut = make_folds(measured_pool(pool, known, plan), judge_pool(pool, known, rel), assigned)
    cut, todo, said = normalise_for_candidates(cut, todo, given.names)
    shares = folds + 2 if refine else 1  # of the work, about
    tell = None if progress is None else lambda share: progress(share / shares)
    worths = evaluate_candidates(cut, todo, workers, tell)
    sign = 1.0 if plan.measures[0].higher_is_better else -1.0
    final = todo[best_of([worth.outer for worth in worths], sign)]
    by_fold = [final if not cut.nested else choose_without_fold(f, cut, todo, worths, sign) for f in range(folds)]
    tried = [tried_setting(one, worth.outer, cut) for one, worth in zip(todo, worths, strict=True)]
    if refine:
        final, by_fold, further = refine_weights(CoordinateAscent(cut, sign), final, by_fold, tell)
        tried += [one for one in further if one.name not in {other.name for other in tried}]
    parameters = cut.learn(final)
    fused, values = cross_fit(given, used, cut, by_fold, final, parameters)
    usual = normalisation_notes(given, [final, *by_fold])
    settled = {"methods": ",".join(dict.fromkeys(one.method for one in todo)), "settings": str(len(tried))}
    settled |= ({"refined": "yes"} if refine else {}) | {"folds": str(folds), "rng": str(seed)}
    return TrainedFusion(
        method=final.method,
        normalise=final.normalise,
        setting=final.setting,
        parameters=parameters,
        runs=given.names,
        queries=cut.measured.blank.query_ids,
        measure=plan.names[0],
        higher_is_better=sign > 0,
        settings=signature_line(plan, cut, settled),
        tried=tuple(tried),
        chosen=fold_choices(by_fold, cut.fold, values),
        cross_fitted_mean=mean_or_nan(values),
        alone=tuple(mean_or_nan(cut.measured.alone(i)) for i in range(len(given.names))),
        notes=(*notes, *said, *usual),
        cross_fitted=fused_run(given.pool, fused, cross_fitted_name(todo, by_fold), (*notes, *said, *usual)),
    )


def signature_line(plan: Plan, cut: Folds, settled: Mapping[str, str]) -> str:
    """The measure, and every setting that changes a number, in one line."""
    said = {**plan.settings(len(cut.measured.blank)), **plan.measure_settings(cut.measured.blank)[0], **settled}
    return " | ".join([plan.names[0], *(f"{name}:{value}" for name, value in said.items())])


def check_training(qrels: Any, runs: Any, *, measure: str | Measure, folds: int, rel: int) -> Plan:
    """What is measured. Raises ParameterError for arguments that make no sense, before anything is read."""
    check_runs(runs)
    check_single_stdin([qrels, *runs])
    plan = make_plan([measure], rel=rel)
    if len(plan.measures) != 1:
        raise ParameterError(f"{measure} is {len(plan.measures)} measures, expected one to choose by, as nDCG@10")
    only = plan.measures[0]
    if only.higher_is_better is None or only.summary == "none":
        raise ParameterError(f"of {only} neither higher nor lower is better, so that no setting can be; choose another")
    check_count("folds", folds, FEWEST)
    return plan


def check_queries(qrels: Qrels, given: LoadedPool, used: Bools, folds: int) -> list[str]:
    """Notes on queries that nothing is learned from. Raises InputError where too few are left."""
    judged_in_all, learned = len(qrels.query_ids), int(used.sum())
    if not learned:
        raise InputError(
            f"the runs and the qrels have no query in common (qrels: {first_names(qrels.query_ids)}; runs: "
            f"{first_names(decode_ids(given.pool.query_ids[:4]))}); check that they belong together"
        )
    if learned < folds:
        raise InputError(
            f"{pluralise_queries(learned)} of the runs with judgments, expected at least one for each of {folds} "
            f"folds; judge more, or take fewer folds (at least {FEWEST})"
        )
    notes = []
    if judged_in_all > learned:
        verb = "is" if judged_in_all - learned == 1 else "are"
        notes.append(
            f"{judged_in_all - learned:,} of {pluralise_queries(judged_in_all)} with judgments {verb} in no run"
        )
    if used.size > learned:
        verb = "has" if used.size - learned == 1 else "have"
        notes.append(
            f"{used.size - learned:,} of {pluralise_queries(used.size)} {verb} no judgments: fused with what all "
            "others taught"
        )
    return notes


def assign_folds(query_ids: Sequence[bytes], folds: int, seed: int) -> Ints:
    """(queries) the fold of each: of a size that differs by one at most, whatever the order of the queries."""
    order = np.array(sorted(range(len(query_ids)), key=query_ids.__getitem__))
    found = np.empty(order.size, np.int64)
    found[np.random.default_rng(seed).permutation(order)] = np.arange(order.size) % folds
    return found


def normalise_for_candidates(
    cut: Folds, todo: list[Candidate], names: Sequence[str]
) -> tuple[Folds, list[Candidate], list[str]]:
    """All scores normalised in every way that is tried; what cannot be is left out with a note.

    Raises InputError where nothing would be left.
    """
    ready, notes = {}, []
    hows = list(dict.fromkeys(one.normalise for one in todo))
    for how in hows:
        try:
            ready[how] = normalise_folds(cut, how, names)
        except InputError as error:
            if len(hows) == 1:
                raise
            notes.append(f"{how} was not tried: {error}")
    todo = [one for one in todo if one.normalise in ready]
    return replace(cut, ready=ready, nested=len(todo) > 1), todo, notes


def evaluate_candidates(
    cut: Folds, todo: Sequence[Candidate], workers: int | None, progress: Callable[[float], Any] | None
) -> list[CandidateValues]:
    """What each candidate is worth."""
    tell = None if progress is None else lambda _: progress(1 / len(todo))
    number = workers_for(workers, len(todo) * cut.measured.pool.size >= ENOUGH)
    return list(run_units(evaluate_candidate, todo, workers=number, shared=cut, progress=tell))


def best_of(values: Sequence[Floats], sign: float) -> int:
    """The first whose mean is the best. values: (queries) of each candidate, NaN for those that do not count.

    Raises InputError where no query has a value.
    """
    table = np.array(values)
    counts = ~np.isnan(table)
    if not counts.any(axis=1).all():
        raise InputError(
            "the measure has no value on these queries, so that nothing can be chosen by it; choose another one"
        )
    means = sign * np.where(counts, table, 0.0).sum(axis=1) / counts.sum(axis=1)
    return int(best_places(means, max(1.0, float(np.abs(table[counts]).max()))).argmax())


def choose_without_fold(
    f: int, cut: Folds, todo: Sequence[Candidate], worths: Sequence[CandidateValues], sign: float
) -> Candidate:
    """What all folds but one choose for that one."""
    rest = cut.fold != f
    return todo[best_of([worth.inner[f, rest] for worth in worths if worth.inner is not None], sign)]


def refine_weights(
    refining: CoordinateAscent, final: Candidate, by_fold: Sequence[Candidate], tell: Callable[[float], Any] | None
) -> tuple[Candidate, list[Candidate], list[TriedSetting]]:
    """Weights refined by all queries, and for each fold by those of the others; and what was tried by all of them."""
    cut = refining.folds
    found = []
    for f, start in enumerate([*by_fold, final]):
        tried = refining.search(start, cut.fold != f)  # no query is of the fold behind the last: all are counted
        found.append(tried[-1] if tried else start)
        if tell is not None:
            tell(1.0)
    return found[-1], found[:-1], [tried_setting(one, refining.of(one), cut) for one in tried]


def cross_fit(
    given: LoadedPool,
    used: Bools,
    cut: Folds,
    by_fold: Sequence[Candidate],
    final: Candidate,
    parameters: Mapping[str, Any],
) -> tuple[Floats, Floats]:
    """(documents) the fused scores, each fold's by the others, and of queries without judgments by all; and the
    (queries) values of the judged ones.
    """
    scores = np.zeros(cut.measured.pool.size)
    for f, one in enumerate(by_fold):
        scores[cut.parts[f].documents] = cut.fuse(one, cut.learn(one, (f,)), f)
    found = np.empty(given.pool.size)
    found[pool_subset(given.pool, used).documents] = scores
    if not used.all():
        other = pool_subset(given.pool, ~used)
        found[other.documents] = final.fuse(
            other.pool, parameters, normalise_pool(other.pool, final.normalise, given.names)
        )
    return found, cut.measured.values(scores)


def normalisation_notes(given: LoadedPool, chosen: Sequence[Candidate]) -> list[str]:
    """What is to be said of normalisations that are used, as of lists of equal scores."""
    hows = dict.fromkeys(one.normalise for one in chosen)
    return [note for how in hows for note in normalise_pool(given.pool, how, given.names).notes]


def tried_setting(candidate: Candidate, values: Floats, cut: Folds) -> TriedSetting:
    by_fold = tuple(mean_or_nan(values[cut.fold == f]) for f in range(len(cut.parts)))
    return TriedSetting(str(candidate), mean_or_nan(values), by_fold)


def cross_fitted_name(todo: Sequence[Candidate], by_fold: Sequence[Candidate]) -> str:
    """What the cross-fitted run is called: by its parameters where all folds have the same and learn no others."""
    if not by_fold[0].learns and len(set(map(str, by_fold))) == 1:
        return str(by_fold[0])
    methods = list(dict.fromkeys(one.method for one in todo))
    return f"{methods[0] if len(methods) == 1 else 'tuned'}(cross-fitted)"


def fold_choices(by_fold: Sequence[Candidate], fold: Ints, values: Floats) -> tuple[FoldChoice, ...]:
    """What was chosen for each fold, and its mean there. fold, values: (queries)."""
    return tuple(
        FoldChoice(str(choice), int((fold == f).sum()), mean_or_nan(values[fold == f]))
        for f, choice in enumerate(by_fold)
    )
