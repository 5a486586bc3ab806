"""Playback of judging: how soon each method would have found the relevant documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.grades import level_above_grades
from rankscope.data.qrels import Qrels
from rankscope.data.result import Result
from rankscope.data.run import Run
from rankscope.data.text import pluralise, pluralise_queries
from rankscope.errors import ParameterError, UnknownName
from rankscope.evaluation.joining import as_qrels
from rankscope.judging.pooling.judgment_pool import DEEP, check_budget
from rankscope.judging.pooling.methods import (
    METHODS,
    PoolingMethod,
    beta_field,
    judging_order,
    pooling_method,
    rate_field,
)
from rankscope.judging.pooling.run_lists import grades_of, read_lists
from rankscope.settings import Settings, as_names, count, grade_level, names, seed_field
from rankscope.stats.inputs import seed_of
from rankscope.typing import Ints, PathLike

__all__ = [
    "PlaybackSettings",
    "Played",
    "play_back",
]


#: Points of a curve in the figure and the tidy table.
POINTS = 50


@dataclass(frozen=True, kw_only=True)
class PlaybackSettings(Settings):
    """Which judging is played back; see `play_back`."""

    FUNCTIONS = ("rankscope.judging:play_back",)

    methods: tuple[str, ...] = names(
        ("depth", "mtf", "hedge", "bandit"),
        table=METHODS,
        kind="pooling method",
        argument="method",
        help="Pooling method, or a list of pooling methods.",
    )
    budget: int | None = count(
        None, help="Number of documents judged, over all queries.", unset="all documents of the pool"
    )
    depth: int = count(DEEP, metavar="K", help="Pool depth: only the first `depth` documents of each list take part.")
    rel: float = grade_level(help="Minimum relevance that counts as relevant.")
    rate: float | None = rate_field("methods")
    beta: float | None = beta_field("methods")
    seed: int = seed_field()

    @property
    def pooling_methods(self) -> list[PoolingMethod]:
        """The methods with their parameters, each once."""
        return [pooling_method(name, self.rate, self.beta) for name in dict.fromkeys(self.methods)]

    def check(self) -> None:
        """Refuse no method, and parameters of one method among several."""
        if not self.methods:
            raise ParameterError("no method given, expected at least one")
        if (self.rate is not None or self.beta is not None) and len(self.methods) > 1:
            raise ParameterError("rate and beta belong to one method; name only that one")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Played(Result):
    """What pooling methods find, in the order in which they have documents judged.

    `relevant(method)` is the curve of a method. `frame()` is the tidy table of up to 50 points of each curve: method,
    judged, relevant, share (of the known relevant documents).

    Attributes
    ----------
    relevance_by_method
        For each method, whether each judged document was relevant, in the order of judging.
    n_relevant
        Number of known relevant documents in the pool.
    queries
        Number of queries.
    runs
        Number of runs.
    settings
        The settings of the playback.
    notes
        What a reader should know.
    """

    VIEW = "rankscope.judging.pooling.view:playback_sections"
    COLUMNS = ("method", "judged", "relevant", "share")

    relevance_by_method: Mapping[str, npt.NDArray[np.bool_]]
    n_relevant: int
    queries: int
    runs: int
    settings: PlaybackSettings
    notes: tuple[str, ...]

    def relevant(self, method: str) -> Ints:
        """How many of the first documents judged are relevant.

        Parameters
        ----------
        method
            Name of the method, with or without its parameters.

        Returns
        -------
        array of shape (judged)
            The counts after one document, after two, and so on.

        Raises
        ------
        UnknownName
            The method was not played back.
        """
        full_name = next(
            (name for name in self.relevance_by_method if name == method or name.partition("(")[0] == method), None
        )
        if full_name is None:
            raise UnknownName("method played back", method, self.relevance_by_method)
        return np.cumsum(self.relevance_by_method[full_name])

    def curve_points(self, max_points: int) -> Ints:
        """Evenly spaced numbers of judged documents.

        Parameters
        ----------
        max_points
            Maximum number of points.
        """
        longest = max(is_relevant.size for is_relevant in self.relevance_by_method.values())
        return np.unique(np.linspace(0, longest, min(max_points, longest) + 1).round().astype(np.int64))[1:]

    def records(self) -> Iterator[tuple[str, int, int, float]]:
        """The rows of the tidy table."""
        for name in self.relevance_by_method:
            curve = self.relevant(name)
            for n_judged in self.curve_points(POINTS).tolist():
                n_relevant = int(curve[n_judged - 1])
                yield name, n_judged, n_relevant, n_relevant / self.n_relevant if self.n_relevant else float("nan")

    def sentence(self) -> str:
        """Which method finds half of the relevant documents first."""
        opening = (
            f"The first {self.settings.depth} documents of {pluralise(self.runs, 'run')} for "
            f"{pluralise_queries(self.queries)} include {pluralise(self.n_relevant, 'relevant document')}."
        )
        if len(self.relevance_by_method) < 2 or not self.n_relevant:
            return opening
        n_until_half = {}
        for name in self.relevance_by_method:
            curve = self.relevant(name)
            if 2 * curve[-1] >= self.n_relevant:
                n_until_half[name] = int(np.searchsorted(curve, (self.n_relevant + 1) // 2)) + 1
        if not n_until_half:
            return f"{opening} No method finds half of them within these judgments."
        fastest = min(n_until_half, key=n_until_half.__getitem__)
        depth_text = ""
        if fastest != "depth" and "depth" in n_until_half:
            depth_text = f", depth with {n_until_half['depth']:,}"
        return (
            f"{opening} {fastest} finds half of them with {pluralise(n_until_half[fastest], 'judgment')}{depth_text}."
        )

    def signature_parts(self) -> list[str]:
        settings = self.settings
        parts = [f"played back:{','.join(self.relevance_by_method)}", *settings.parts("depth", "rel")]
        parts += [f"runs:{self.runs}", f"queries:{self.queries}"]
        if "thompson" in settings.methods:
            parts.append(f"rng:{settings.seed}")
        return parts

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{', '.join(self.relevance_by_method)}, {self.n_relevant:,} relevant, depth {self.settings.depth}"


def play_back(
    runs: Sequence[Run | PathLike | Any],
    qrels: Qrels | PathLike | Any,
    method: str | Sequence[str] = ("depth", "mtf", "hedge", "bandit"),
    budget: int | None = None,
    *,
    depth: int = DEEP,
    rel: float = 1,
    rate: float | None = None,
    beta: float | None = None,
    rng: Any = None,
    input: str | None = None,
) -> Played:
    """Replay complete judgments: how many relevant documents would each method have found by how many judgments?

    Parameters
    ----------
    runs
        List of runs, files, or anything that `Run` takes.
    qrels
        Judgments, or a file of them. A document without a judgment counts as judged not relevant.
    method
        Pooling method, or a list of pooling methods. Default: ('depth', 'mtf', 'hedge', 'bandit').
    budget
        Number of documents judged, over all queries. Default: all documents of the pool.
    depth
        Pool depth: only the first `depth` documents of each list take part. Default: 100.
    rel
        Minimum relevance that counts as relevant. Default: 1.
    rate
        For bandit and thompson: factor by which the earlier judgments of a run lose weight with each new one of that
        run. Default: 1, all judgments count alike.
    beta
        Learning rate of hedge; a smaller B gives losses more weight. Default: 0.1.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    input
        Format of the files. Default: detected from their content.

    Returns
    -------
    Played
        `relevant(method)` is the curve of a method; `frame()` the tidy table of all curves.

    Raises
    ------
    InputError, ParameterError, UnknownName
        As `pool`.

    Notes
    -----
    One document per query is judged at a time, and its judgment decides what is judged next. `rate` and `beta` are for
    a single method that has them.

    Examples
    --------
    >>> import rankscope as rs
    >>> one = rs.Run({"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, name="one")
    >>> two = rs.Run({"q": {"x": 3.0, "y": 2.0, "z": 1.0}}, name="two")
    >>> found = rs.judging.play_back([one, two], {"q": {"x": 1, "y": 1, "a": 0, "b": 0}}, ["depth", "bandit"])
    >>> found.relevant("depth").tolist(), found.relevant("bandit").tolist()
    ([1, 1, 2, 2, 2, 2], [1, 2, 2, 2, 2, 2])
    """
    settings = PlaybackSettings(
        methods=as_names(method), budget=budget, depth=depth, rel=rel, rate=rate, beta=beta, seed=seed_of(rng)
    )
    return play_back_methods(runs, qrels, settings, input=input)


def play_back_methods(
    runs: Sequence[Run | PathLike | Any],
    qrels: Qrels | PathLike | Any,
    settings: PlaybackSettings,
    *,
    input: str | None = None,
) -> Played:
    """As `play_back`, with its settings as one object."""
    judgments = as_qrels(qrels)
    if fault := level_above_grades(settings.rel, judgments.max_grade):
        raise ParameterError(f"{fault}, so that no method can find anything; choose a lower --rel (rel=)")
    lists = read_lists(runs, settings.depth, input=input)
    relevant, is_judged = grades_of(lists, judgments) >= settings.rel, np.zeros(lists.size, np.bool_)
    if settings.budget is not None:
        check_budget(settings.budget, lists, is_judged)
    max_documents = lists.size if settings.budget is None else min(settings.budget, lists.size)
    relevance_by_method = {}
    for method in settings.pooling_methods:
        rng = np.random.default_rng(settings.seed)
        doc, _ = judging_order(lists, method, relevant, is_judged, max_documents, rng)
        relevance_by_method[str(method)] = relevant[doc]
    return Played(
        relevance_by_method=relevance_by_method,
        n_relevant=int(relevant.sum()),
        queries=len(lists.query_ids),
        runs=len(lists.systems),
        settings=settings,
        notes=lists.notes,
    )
