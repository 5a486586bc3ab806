"""Playback of judging: how soon each method would have found the relevant documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankscope.data.qrels import Qrels
from rankscope.data.result import Result
from rankscope.data.run import Run
from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import pluralise, pluralise_queries
from rankscope.errors import ParameterError, UnknownName
from rankscope.evaluation.joining import as_qrels
from rankscope.judging.pooling.judgment_pool import DEEP, check_budget
from rankscope.judging.pooling.methods import judging_order, validate_method
from rankscope.judging.pooling.run_lists import grades_of, read_lists
from rankscope.stats.inputs import check_count, seed_of
from rankscope.typing import Ints, PathLike

if TYPE_CHECKING:
    pass

__all__ = [
    "Played",
    "play_back",
]


#: Points of a curve in the figure, and lines of the table.
POINTS, LINES = 50, 10


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Played(Result):
    """What methods of pooling find, in the order in which they have documents judged.

    found: for each method (judged) whether the document was relevant. known: how many relevant documents there are
    among all that take part. `relevant(method)` is the curve; `frame()` the tidy table of up to 50 points of each:
    method, judged, relevant, share (of the known ones).
    """

    COLUMNS = ("method", "judged", "relevant", "share")

    relevance_by_method: Mapping[str, npt.NDArray[np.bool_]]
    n_relevant: int
    queries: int
    runs: int
    depth: int
    rel: int
    seed: int | None
    notes: tuple[str, ...]

    def relevant(self, method: str) -> Ints:
        """(judged) how many of the first documents judged are relevant. Raises UnknownName for another method."""
        full_name = next(
            (name for name in self.relevance_by_method if name == method or name.partition("(")[0] == method), None
        )
        if full_name is None:
            raise UnknownName("method played back", method, self.relevance_by_method)
        return np.cumsum(self.relevance_by_method[full_name])

    def curve_points(self, max_points: int) -> Ints:
        """Evenly spaced numbers of judged documents, at most `max_points`."""
        longest = max(is_relevant.size for is_relevant in self.relevance_by_method.values())
        return np.unique(np.linspace(0, longest, min(max_points, longest) + 1).round().astype(np.int64))[1:]

    def records(self) -> Iterator[tuple[str, int, int, float]]:
        """The rows of the tidy table."""
        for name in self.relevance_by_method:
            curve = self.relevant(name)
            for n_judged in self.curve_points(POINTS).tolist():
                n_relevant = int(curve[n_judged - 1])
                yield name, n_judged, n_relevant, n_relevant / self.n_relevant if self.n_relevant else float("nan")

    def sections(self) -> list[Section]:
        points = self.curve_points(LINES)
        curves = [self.relevant(name)[points - 1] for name in self.relevance_by_method]
        rows = tuple(
            (f"{n_judged:,}", *(f"{int(curve[i]):,}" for curve in curves)) for i, n_judged in enumerate(points.tolist())
        )
        curve_points = self.curve_points(POINTS)
        data = {
            "x": curve_points.tolist(),
            "x_title": "documents judged",
            "measures": list(self.relevance_by_method),
            "values": np.array(
                [self.relevant(name)[curve_points - 1] for name in self.relevance_by_method], np.float64
            ),
            "y_title": "relevant ones found",
        }
        figure = Figure("condition_lines", data) if curve_points.size > 1 else None
        return [
            Section(
                title="Relevant documents found",
                sentence=self.sentence(),
                table=Table(columns=("judged", *self.relevance_by_method), rows=rows, n_name_columns=0),
                figure=figure,
            )
        ]

    def sentence(self) -> str:
        """Which method finds half of the relevant documents first."""
        opening = (
            f"Of the documents among the first {self.depth} of {pluralise(self.runs, 'run')} for "
            f"{pluralise_queries(self.queries)}, {self.n_relevant:,} are relevant."
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
            depth_text = f", by {n_until_half['depth']:,} under depth"
        return f"{opening} Half of them are found by {n_until_half[fastest]:,} judgments under {fastest}{depth_text}."

    def signature_parts(self) -> list[str]:
        settings = [f"played back:{','.join(self.relevance_by_method)}", f"depth:{self.depth}", f"rel:{self.rel}"]
        settings += [f"runs:{self.runs}", f"queries:{self.queries}"]
        if self.seed is not None:
            settings.append(f"rng:{self.seed}")
        return [*settings]

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{', '.join(self.relevance_by_method)}, {self.n_relevant:,} relevant, depth {self.depth}"


def play_back(
    runs: Sequence[Run | PathLike | Any],
    qrels: Qrels | PathLike | Any,
    method: str | Sequence[str] = ("depth", "mtf", "hedge", "bandit"),
    budget: int | None = None,
    *,
    depth: int = DEEP,
    rel: int = 1,
    rate: float | None = None,
    beta: float | None = None,
    rng: Any = None,
    input: str | None = None,
) -> Played:
    """How many relevant documents each method finds by how many judgments, had these judgments been made in its order.

    One document a query is judged at a time, and what is found says what is next. A document without a judgment counts
    as judged not relevant. method: one of those of `pool`, or several. budget: judgments over all queries; by default
    all documents among the first `depth`. rate, beta: of the one method that has them.

    Raises as `pool`.

    >>> import rankscope as rs
    >>> one = rs.Run({"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, name="one")
    >>> two = rs.Run({"q": {"x": 3.0, "y": 2.0, "z": 1.0}}, name="two")
    >>> found = rs.judging.play_back([one, two], {"q": {"x": 1, "y": 1, "a": 0, "b": 0}}, ["depth", "bandit"])
    >>> found.relevant("depth").tolist(), found.relevant("bandit").tolist()
    ([1, 1, 2, 2, 2, 2], [1, 2, 2, 2, 2, 2])
    """
    names = [method] if isinstance(method, str) else list(method)
    if not names:
        raise ParameterError("no method given, expected at least one")
    if (rate is not None or beta is not None) and len(names) > 1:
        raise ParameterError("rate and beta are of one method; name only that one")
    methods = [validate_method(name, rate, beta) for name in dict.fromkeys(names)]
    check_count("depth", depth)
    check_count("rel", rel)
    if budget is not None:
        check_count("budget", budget)
    seed = seed_of(rng)
    judgments = as_qrels(qrels)
    lists = read_lists(runs, depth, input=input)
    grades = grades_of(lists, judgments)
    relevant, is_judged = grades >= rel, np.zeros(lists.size, np.bool_)
    if budget is not None:
        check_budget(budget, lists, is_judged)
    max_documents = lists.size if budget is None else min(budget, lists.size)
    relevance_by_method = {}
    for pooling_method in methods:
        doc, _ = judging_order(lists, pooling_method, relevant, is_judged, max_documents, np.random.default_rng(seed))
        relevance_by_method[str(pooling_method)] = relevant[doc]
    return Played(
        relevance_by_method=relevance_by_method,
        n_relevant=int(relevant.sum()),
        queries=len(lists.query_ids),
        runs=len(lists.systems),
        depth=depth,
        rel=rel,
        seed=seed if any(pooling_method.name == "thompson" for pooling_method in methods) else None,
        notes=lists.notes,
    )
