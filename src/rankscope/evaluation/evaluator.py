"""An evaluation prepared once and called again and again, for loops over many runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankscope.data.frames import is_mapping_of_mappings
from rankscope.data.join import Joiner
from rankscope.data.qrels import Qrels
from rankscope.data.scores import Scores
from rankscope.errors import ParameterError
from rankscope.evaluation.conventions import make_plan
from rankscope.evaluation.engine import score_hits
from rankscope.evaluation.sources import JoinedRun, as_qrels, join_run
from rankscope.measures.base import Measure
from rankscope.typing import PathLike

__all__ = ["Evaluator"]


class Evaluator:
    """Judgments and measures, prepared; a call takes one run and gives its Scores.

    Arguments as for `evaluate`. The same run gives the same numbers however often it is called.
    Raises ParameterError for arguments and InputError for judgments at once, InputError for a run when it is called.

    >>> import rankscope as rs
    >>> evaluator = rs.Evaluator({"q1": {"d1": 1}}, ["RR"])
    >>> [evaluator({"q1": ranking}).overall("RR") for ranking in ({"d1": 2.0, "d2": 1.0}, {"d1": 1.0, "d2": 2.0})]
    [1.0, 0.5]
    """

    def __init__(
        self,
        qrels: Qrels | PathLike | Any,
        measures: str | Measure | Iterable[str | Measure] | None = None,
        *,
        preset: str | None = None,
        rel: int = 1,
        ties: str | None = None,
        missing: str = "zero",
        no_relevant: str | None = None,
        unjudged: str = "nonrelevant",
    ) -> None:
        self.plan = make_plan(
            measures, preset=preset, rel=rel, ties=ties, missing=missing, no_relevant=no_relevant, unjudged=unjudged
        )
        self.qrels = as_qrels(qrels, self.plan)

    @property
    def measures(self) -> tuple[Measure, ...]:
        return self.plan.measures

    def __call__(self, run: Any) -> Scores:
        """The scores of one run: a Run, a path, or what `Run(...)` takes. Raises as `evaluate`."""
        return score_hits(self.plan, [self._join(run)])

    def _join(self, run: Any) -> JoinedRun:
        if is_mapping_of_mappings(run):  # the way of loops: no Run in between
            joiner = Joiner(self.qrels, self.plan.convention, "run")
            joiner.add_mapping(run)
            return JoinedRun("run", joiner.finish(), (), None)
        if isinstance(run, (list, tuple)):
            raise ParameterError("an Evaluator takes one run a call; call it for each, or pass all to `evaluate`")
        return join_run(self.qrels, run, self.plan.convention, None, None)
