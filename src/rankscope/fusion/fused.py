"""Many runs into one: what `rankscope fuse` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.dicts import dict_rows
from rankscope.data.ranking import rank_rows
from rankscope.data.rows import Ints, Rows
from rankscope.data.run import Run
from rankscope.data.wording import queries
from rankscope.errors import InputError, ParameterError
from rankscope.fusion.majority import majorities
from rankscope.fusion.methods import METHODS, TURNS, Settings, settle
from rankscope.fusion.pool import Pool, pool_runs
from rankscope.fusion.scaling import lists_of, normalised
from rankscope.fusion.sums import Gains, borda_points, borda_shares, combined, of_rank
from rankscope.io.read import PathLike, read_run
from rankscope.io.streams import is_path, one_stdin
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, group_of
from rankscope.kernels.text import hashes

__all__ = ["fuse"]

Floats = npt.NDArray[np.float64]


def fuse(
    runs: Sequence[Run | PathLike | Any],
    method: str = "rrf",
    *,
    normalise: str | None = None,
    weights: Sequence[float] | None = None,
    k: float | None = None,
    p: float | None = None,
    gamma: float | None = None,
    sigma: float | None = None,
    input: str | None = None,
    name: str | None = None,
) -> Run:
    """Several runs fused into one run, query by query; higher is better, as in every run.

    runs: a list of runs, files or what `Run` takes. method: by ranks "rrf" (k, 60 by default), "isr", "log-isr",
    "logn-isr" (sigma, .01), "rbc" (p, .8), "borda", "condorcet"; by scores "comb-sum", "comb-mnz", "comb-gmnz" (gamma,
    1), "comb-anz", "comb-min", "comb-max", "comb-med". normalise: what is done to the scores of each list before, by
    default "min-max"; or "min-max-inverted" where lower scores are better (which turns lists round for methods by ranks
    too), "max", "sum", "z-score", "rank", "borda", "none". Lists whose scores are all equal become 0 under min-max, sum
    and z-score; a note of the run says so. weights: one for each run, for "rrf", "rbc", "borda", "condorcet" and
    "comb-sum". input: the format of the files. name: of the fused run, by default method and parameters.

    Lists are ranked, and documents of one fused score put in order, by document id, bytes falling. A query that some
    runs lack is fused from those that have it. Whichever order runs are given in, the scores are the same. Of one run,
    a method by ranks keeps the order ("log-isr" alone gives all 0, the logarithm of 1).

    Raises InputError for runs without a common query, a document twice in a list, a score that is not finite, and
    where "max" meets a list without a score above 0; ParameterError for weights and parameters; UnknownName.

    Source: Fox and Shaw 1993 (the Comb methods), Lee 1997, Aslam and Montague 2001 (Borda), Montague and Aslam 2002
    (Condorcet), Cormack et al. 2009 (RRF), Mourao et al. 2014 (ISR), Bailey et al. 2017 (RBC); numbers as ranx's.

    >>> import rankscope as rs
    >>> one, other = {"q": {"a": 9.0, "b": 8.0, "c": 7.0}}, {"q": {"b": 0.9, "d": 0.5}}
    >>> fused = rs.fusion.fuse([one, other], "rrf", k=60)
    >>> fused.name, fused.frame().rows()[0] == ("q", "b", 1 / 61 + 1 / 62)
    ('rrf(k=60)', True)
    """
    if is_path(runs) or isinstance(runs, (Run, Mapping)) or not isinstance(runs, Sequence):
        raise ParameterError("runs is no list, expected a list of runs")
    if not runs:
        raise ParameterError("no runs given, expected at least one")
    settings = settle(method, normalise, weights, {"k": k, "p": p, "gamma": gamma, "sigma": sigma}, len(runs))
    one_stdin(runs)
    read = [read_run(run, input=input) if is_path(run) else run if isinstance(run, Run) else Run(run) for run in runs]
    names, notes = numbered_names([run.name for run in read])
    rows = [rows_of(run, shown) for run, shown in zip(read, names, strict=True)]
    pool = pool_runs(rows, inverted=settings.normalise == TURNS)
    shared = shared_note(pool)
    with np.errstate(over="ignore", invalid="ignore"):  # told below
        scores, said = scores_of(pool, settings, names)
    if not np.isfinite(scores).all():
        raise InputError("fused scores are too large for numbers of 64 bits; normalise the scores of the runs")
    notes = [*dict.fromkeys(note for run in read for note in run.notes), *notes, *shared, *said]
    return Run.from_rows(fused_rows(pool, scores), name=name or str(settings), notes=tuple(notes))


def numbered_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names of which no two are alike, and a note where some had to be numbered."""
    found: list[str] = []
    taken = set(names)
    for i, name in enumerate(names):
        number, new = 1, name
        while new in found or (new != name and new in taken):
            number += 1
            new = f"{name}-{number}"
        found.append(new if name in names[:i] else name)
    alike = sorted({name for name in names if names.count(name) > 1})
    return found, [f"several runs are called {', '.join(alike)}: numbered as they were given"] if alike else []


def rows_of(run: Run, name: str) -> Rows:
    """The rows of a run. Raises InputError for a score that is not finite."""
    rows = run._rows if run._rows is not None else dict_rows(run._mapping or {}, f"run {name!r}", "score")
    if not np.isfinite(rows.values).all():
        row = int(np.flatnonzero(~np.isfinite(rows.values))[0])
        where = rows.where(int(rows.docs.starts[row]))
        raise InputError(f"{where}: a score is {rows.values[row]}, expected a finite number; correct it")
    return rows


def shared_note(pool: Pool) -> list[str]:
    """A note on queries that some runs lack. Raises InputError where no two runs have a query in common."""
    runs = len(pool.entries)
    having = lists_of(pool, pool.entries)
    if runs > 1 and int(having.max(initial=0)) < 2:
        raise InputError(
            f"no query is in two of the {runs} runs ({queries(having.size)} in all); check that their queries are "
            "written alike"
        )
    lacked = int((having < runs).sum())
    if not lacked:
        return []
    verb = "is" if lacked == 1 else "are"
    return [f"{lacked:,} of {queries(having.size)} {verb} not in every run: fused from those that have it"]


def scores_of(pool: Pool, settings: Settings, names: Sequence[str]) -> tuple[Floats, list[str]]:
    """(documents) the fused scores, and notes."""
    method, given = settings.method, settings.parameters
    notes: list[str] = []
    if method == "condorcet":
        return majorities(pool, settings.weights), notes

    def gains(i: int) -> Gains:
        entry = pool.entries[i]
        if method == "borda":
            return borda_points(pool, entry)
        if not METHODS[method].scores:
            return of_rank(method, given.get("k", 0.0), given.get("p", 0.0), entry), None
        values, said = normalised(pool, entry, settings.normalise, names[i])
        notes.extend(said)
        return borda_shares(pool, entry, values) if settings.normalise == "borda" else (values, None)

    factors: dict[str, Callable[[Floats], Floats]] = {
        "isr": lambda count: count,
        "log-isr": np.log,
        "logn-isr": lambda count: np.log(count + given["sigma"]),
        "comb-mnz": lambda count: count,
        "comb-gmnz": lambda count: count ** given["gamma"],
    }
    kind = method.removeprefix("comb-") if method in ("comb-min", "comb-max", "comb-med", "comb-anz") else "sum"
    return combined(pool, gains, kind, settings.weights, factors.get(method)), notes


def fused_rows(pool: Pool, scores: Floats) -> Rows:
    """The fused lists, each from the best document down, in the order in which queries were first seen."""
    every = np.arange(scores.size)
    group = group_of(pool.offsets)
    rank = rank_rows(scores, pool.offsets, every, group, "doc_id_desc", pool.docs.take, str).rank
    sorted_ = np.empty(scores.size, np.int64)
    sorted_[pool.offsets[group] + rank - 1] = every
    lengths = np.diff(pool.offsets)
    if (pool.order[1:] < pool.order[:-1]).any():
        sorted_ = sorted_[ranges(pool.offsets[pool.order], lengths[pool.order])]
    ids = [pool.query_ids[i] for i in pool.order.tolist()]
    offsets: Ints = bounds(lengths[pool.order])
    docs = pool.docs.take(sorted_)
    return Rows(ids, offsets, docs, hashes(docs), scores[sorted_], lambda _: "the fused run")
