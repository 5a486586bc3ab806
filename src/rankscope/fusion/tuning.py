"""Fusion that learns from judgments: settings chosen by cross-validation over queries, parameters learned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.data.rows import names_of
from rankscope.data.run import Run
from rankscope.data.wording import queries, some_of
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.conventions import Plan, make_plan
from rankscope.evaluation.sources import as_qrels
from rankscope.fusion.candidates import Candidate, candidates
from rankscope.fusion.crossfit import Folds, Worth, folds_of, with_scores, worth_of
from rankscope.fusion.fused import Pooled, check_runs, fused_run, pooled
from rankscope.fusion.judged import judged
from rankscope.fusion.measured import measured_pool
from rankscope.fusion.methods import TURNS
from rankscope.fusion.parts import part_of
from rankscope.fusion.refining import Refining
from rankscope.fusion.scaled import scaled
from rankscope.fusion.tuned import Chosen, TrainedFusion, Tried
from rankscope.io.streams import one_stdin
from rankscope.kernels.means import mean_or_nan
from rankscope.kernels.ties import best_places
from rankscope.measures.base import Measure
from rankscope.parallel import run_units, workers_for
from rankscope.stats.inputs import check_count, seed_of
from rankscope.typing import Bools, Floats, Ints, PathLike

__all__ = ["train"]


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
    said by `cross_fitted`, the same runs fused fold by fold: there the setting, too, is chosen by the other folds alone
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
    todo = candidates(method, normalise, settings, len(runs))
    known = as_qrels(qrels, plan)
    given = pooled(runs, input=input, inverted=todo[0].normalise == TURNS)
    used = np.array([query in known.codes for query in given.pool.query_ids], np.bool_)
    notes = [*given.notes, *check_queries(known, given, used, folds)]
    pool = part_of(given.pool, used).pool
    cut = folds_of(measured_pool(pool, known, plan), judged(pool, known, rel), fold_of(pool.query_ids, folds, seed))
    cut, todo, said = normalised_for(cut, todo, given.names)
    shares = folds + 2 if refine else 1  # of the work, about
    tell = None if progress is None else lambda share: progress(share / shares)
    worths = worths_by(cut, todo, workers, tell)
    sign = 1.0 if plan.measures[0].higher_is_better else -1.0
    final = todo[best_of([worth.outer for worth in worths], sign)]
    by_fold = [final if not cut.nested else chosen_by_others(f, cut, todo, worths, sign) for f in range(folds)]
    tried = [tried_of(one, worth.outer, cut) for one, worth in zip(todo, worths, strict=True)]
    if refine:
        final, by_fold, further = refined(Refining(cut, sign), final, by_fold, tell)
        tried += [one for one in further if one.name not in {other.name for other in tried}]
    parameters = cut.learn(final)
    fused, values = cross_fitted(given, used, cut, by_fold, final, parameters)
    usual = notes_on_scores(given, [final, *by_fold])
    means = [mean_or_nan(values[cut.fold == f]) for f in range(folds)]
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
        settings=signed(plan, cut, settled),
        tried=tuple(tried),
        chosen=tuple(Chosen(str(one), int((cut.fold == f).sum()), means[f]) for f, one in enumerate(by_fold)),
        cross_fitted_mean=mean_or_nan(values),
        alone=tuple(mean_or_nan(cut.measured.alone(i)) for i in range(len(given.names))),
        notes=(*notes, *said, *usual),
        cross_fitted=fused_run(given.pool, fused, named(todo, by_fold), (*notes, *said, *usual)),
    )


def signed(plan: Plan, cut: Folds, settled: Mapping[str, str]) -> str:
    """The measure, and every setting that changes a number, in one line."""
    said = {**plan.settings(len(cut.measured.blank)), **plan.measure_settings(cut.measured.blank)[0], **settled}
    return " | ".join([plan.names[0], *(f"{name}:{value}" for name, value in said.items())])


def check_training(qrels: Any, runs: Any, *, measure: str | Measure, folds: int, rel: int) -> Plan:
    """What is measured. Raises ParameterError for arguments that make no sense, before anything is read."""
    check_runs(runs)
    one_stdin([qrels, *runs])
    plan = make_plan([measure], rel=rel)
    if len(plan.measures) != 1:
        raise ParameterError(f"{measure} is {len(plan.measures)} measures, expected one to choose by, as nDCG@10")
    only = plan.measures[0]
    if only.higher_is_better is None or only.summary == "none":
        raise ParameterError(f"of {only} neither higher nor lower is better, so that no setting can be; choose another")
    check_count("folds", folds, FEWEST)
    return plan


def check_queries(qrels: Qrels, given: Pooled, used: Bools, folds: int) -> list[str]:
    """Notes on queries that nothing is learned from. Raises InputError where too few are left."""
    judged_in_all, learned = len(qrels.query_ids), int(used.sum())
    if not learned:
        raise InputError(
            f"the runs and the qrels have no query in common (qrels: {some_of(qrels.query_ids)}; runs: "
            f"{some_of(names_of(given.pool.query_ids[:4]))}); check that they belong together"
        )
    if learned < folds:
        raise InputError(
            f"{queries(learned)} of the runs with judgments, expected at least one for each of {folds} folds; judge "
            f"more, or take fewer folds (at least {FEWEST})"
        )
    notes = []
    if judged_in_all > learned:
        verb = "is" if judged_in_all - learned == 1 else "are"
        notes.append(f"{judged_in_all - learned:,} of {queries(judged_in_all)} with judgments {verb} in no run")
    if used.size > learned:
        verb = "has" if used.size - learned == 1 else "have"
        notes.append(
            f"{used.size - learned:,} of {queries(used.size)} {verb} no judgments: fused with what all others taught"
        )
    return notes


def fold_of(query_ids: Sequence[bytes], folds: int, seed: int) -> Ints:
    """(queries) the fold of each: of a size that differs by one at most, whatever the order of the queries."""
    order = np.array(sorted(range(len(query_ids)), key=query_ids.__getitem__))
    found = np.empty(order.size, np.int64)
    found[np.random.default_rng(seed).permutation(order)] = np.arange(order.size) % folds
    return found


def normalised_for(cut: Folds, todo: list[Candidate], names: Sequence[str]) -> tuple[Folds, list[Candidate], list[str]]:
    """All scores normalised in every way that is tried; what cannot be is left out with a note.

    Raises InputError where nothing would be left.
    """
    ready, notes = {}, []
    hows = list(dict.fromkeys(one.normalise for one in todo))
    for how in hows:
        try:
            ready[how] = with_scores(cut, how, names)
        except InputError as error:
            if len(hows) == 1:
                raise
            notes.append(f"{how} was not tried: {error}")
    todo = [one for one in todo if one.normalise in ready]
    return replace(cut, ready=ready, nested=len(todo) > 1), todo, notes


def worths_by(
    cut: Folds, todo: Sequence[Candidate], workers: int | None, progress: Callable[[float], Any] | None
) -> list[Worth]:
    """What each candidate is worth."""
    tell = None if progress is None else lambda _: progress(1 / len(todo))
    number = workers_for(workers, len(todo) * cut.measured.pool.size >= ENOUGH)
    return list(run_units(worth_of, todo, workers=number, shared=cut, progress=tell))


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


def chosen_by_others(f: int, cut: Folds, todo: Sequence[Candidate], worths: Sequence[Worth], sign: float) -> Candidate:
    """What all folds but one choose for that one."""
    rest = cut.fold != f
    return todo[best_of([worth.inner[f, rest] for worth in worths if worth.inner is not None], sign)]


def refined(
    refining: Refining, final: Candidate, by_fold: Sequence[Candidate], tell: Callable[[float], Any] | None
) -> tuple[Candidate, list[Candidate], list[Tried]]:
    """Weights refined by all queries, and for each fold by those of the others; and what was tried by all of them."""
    cut = refining.folds
    found = []
    for f, start in enumerate([*by_fold, final]):
        tried = refining.search(start, cut.fold != f)  # no query is of the fold behind the last: all are counted
        found.append(tried[-1] if tried else start)
        if tell is not None:
            tell(1.0)
    return found[-1], found[:-1], [tried_of(one, refining.of(one), cut) for one in tried]


def cross_fitted(
    given: Pooled,
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
    found[part_of(given.pool, used).documents] = scores
    if not used.all():
        other = part_of(given.pool, ~used)
        found[other.documents] = final.fuse(other.pool, parameters, scaled(other.pool, final.normalise, given.names))
    return found, cut.measured.values(scores)


def notes_on_scores(given: Pooled, chosen: Sequence[Candidate]) -> list[str]:
    """What is to be said of normalisations that are used, as of lists of equal scores."""
    hows = dict.fromkeys(one.normalise for one in chosen)
    return [note for how in hows for note in scaled(given.pool, how, given.names).notes]


def tried_of(candidate: Candidate, values: Floats, cut: Folds) -> Tried:
    by_fold = tuple(mean_or_nan(values[cut.fold == f]) for f in range(len(cut.parts)))
    return Tried(str(candidate), mean_or_nan(values), by_fold)


def named(todo: Sequence[Candidate], by_fold: Sequence[Candidate]) -> str:
    """What the cross-fitted run is called: by its parameters where all folds have the same and learn no others."""
    if not by_fold[0].learns and len(set(map(str, by_fold))) == 1:
        return str(by_fold[0])
    methods = list(dict.fromkeys(one.method for one in todo))
    return f"{methods[0] if len(methods) == 1 else 'tuned'}(cross-fitted)"
