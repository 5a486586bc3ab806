"""The provider for pipelines of ir_measures, which is loaded here by its name."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

import numpy as np

from rankscope.compat.ir_measures.input_data import read_judgments, read_lists
from rankscope.compat.ir_measures.measure_translation import (
    NAMES,
    PRESET,
    HitsView,
    MeasureColumn,
    translate,
    values_of,
    with_changed_grades,
)
from rankscope.data.hits import Hits
from rankscope.data.join import Convention, Joiner
from rankscope.data.qrels import Qrels
from rankscope.errors import ParameterError
from rankscope.typing import Floats

__all__ = [
    "RankscopeEvaluator",
    "RankscopeProvider",
    "calc",
    "calc_aggregate",
    "evaluator",
    "install",
    "irm",
    "iter_calc",
    "pipeline",
    "provider",
    "uninstall",
]


try:  # by its name, since it is no dependency of rankscope
    irm: Any = import_module("ir_measures")
except ImportError as error:
    raise ImportError(f"rankscope.compat.ir_measures needs ir_measures ({error}); pip install ir-measures") from None
NOT_PROVIDED: Any = irm.providers.base.NOT_PROVIDED
Provider: Any = irm.Provider
Evaluator: Any = irm.Evaluator


class RankscopeProvider(Provider):  # type: ignore[misc]  # loaded at run time
    """All measures of ir_measures from one join of the run: `evaluator`, `calc_aggregate`, `calc`, `iter_calc`.

    Raises
    ------
    ParameterError
        A measure cannot be computed.
    InputError
        A document occurs twice in a list, a score is not finite, or an id is not a string.

    Notes
    -----
    Measures are an iterable of ir_measures' measures. Qrels are `{query: {document: relevance}}`, a data frame with
    query_id, doc_id, relevance and, for subtopics, iteration, an iterable of named tuples with these fields, or a
    `rankscope.Qrels`. Runs are the same with score, or a `rankscope.Run`. A query missing from the run has the
    measure's DEFAULT, 0; one without judgments is skipped.

    References
    ----------
    Agrees with ir_measures 0.4.3; docs/ir_measures.md says where it does not.

    Examples
    --------
    >>> from ir_measures import ERR, RR, nDCG
    >>> from rankscope.compat.ir_measures import provider
    >>> means = provider.calc_aggregate([nDCG @ 10, RR @ 2], {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0, "c": 0.5}})
    >>> {measure: round(value, 4) for measure, value in means.items()}
    {nDCG@10: 0.6309, RR@2: 0.5}
    """

    NAME = "rankscope"

    def __init__(self) -> None:
        super().__init__()
        registry = irm.measures.registry
        any_value = irm.providers.base.Any()
        self.SUPPORTED_MEASURES = [
            type(registry[name])(**dict.fromkeys(registry[name].SUPPORTED_PARAMS, any_value))
            for name in NAMES
            if name in registry
        ]

    def supports(self, measure: Any) -> bool:
        """Whether the measure can be computed with these parameters."""
        if not super().supports(measure):
            return False
        try:
            read_measure(measure)
        except ParameterError:
            return False
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> RankscopeEvaluator:
        return RankscopeEvaluator(measures, qrels)


class RankscopeEvaluator(Evaluator):  # type: ignore[misc]  # loaded at run time
    """Measures and judgments, prepared; each call takes one run. Made by `provider.evaluator(measures, qrels)`."""

    def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
        self._columns = [read_measure(measure) for measure in dict.fromkeys(measures)]
        by_subtopic = any(
            column.our_measure is not None and column.our_measure.needs_subtopics for column in self._columns
        )
        self._qrels, query_ids = read_judgments(qrels, by_subtopic)
        if by_subtopic and self._qrels is not None and self._qrels.subtopics is not None:
            warn_of_single_subtopic(self._qrels)
        self._memory: dict[Any, dict[Any, Any]] = {}  # by change of grades
        super().__init__([column.their_measure for column in self._columns], query_ids)

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """A `Metric` for each measure and judged query: those that the run answers first, then the others."""
        hits = self._join(run)
        answered = set()
        if hits is not None:
            rows = np.flatnonzero(hits.retrieved > 0)
            names = [hits.query_ids[i] for i in rows]
            answered.update(names)
            for column, values in self._values(hits):
                for query, value in zip(names, values[rows].tolist(), strict=True):
                    if value == value:
                        yield irm.Metric(query_id=query, measure=column.their_measure, value=value)
        missing = sorted(self.qrel_qids - answered)
        for column in sorted(self._columns, key=lambda column: str(column.their_measure)):
            for query in missing if not column.needs_retrieved else []:
                yield irm.Metric(query_id=query, measure=column.their_measure, value=column.their_measure.DEFAULT)

    def _values(self, hits: Hits) -> Iterator[tuple[MeasureColumn, Floats]]:
        """The values of each measure, all from the same hits."""
        views: dict[HitsView, Hits] = {}
        for column in self._columns:
            if column.view not in views:
                views[column.view] = self._view(hits, column.view)
            yield column, values_of(column, views[column.view])

    def _join(self, run: Any) -> Hits | None:
        """The hits; None where the run answers no judged query."""
        lists = read_lists(run)
        if self._qrels is None or lists is None:
            return None
        joiner = Joiner(self._qrels, Convention(precision=PRESET.precision, may_merge=False), lists.name)
        if lists.mapping is not None:
            joiner.add_mapping(lists.mapping)
        else:
            joiner.add(lists.rows())
        return joiner.finish() if joiner.has_judged_query else None

    def _view(self, hits: Hits, view: HitsView) -> Hits:
        if view.grades is not None:
            memory = self._memory.setdefault(view.grades, {})
            hits = with_changed_grades(hits, view.grades, memory)
        return hits.judged_only() if view.judged_only else hits


def read_measure(measure: Any) -> MeasureColumn:
    """Check a measure of ir_measures and translate it. Raises ParameterError."""
    if not isinstance(measure, irm.Measure):
        raise ParameterError(f"{measure!r} is not a measure of ir_measures, expected one such as nDCG @ 10")
    arguments = {name: measure[name] for name in measure.SUPPORTED_PARAMS if measure[name] is not NOT_PROVIDED}
    for parameter, info in measure.SUPPORTED_PARAMS.items():
        if info.required and parameter not in arguments:
            raise ParameterError(f"{measure} needs {parameter}, expected {measure.NAME}(..., {parameter}=...)")
    try:
        measure.validate_params()
    except AssertionError as error:
        raise ParameterError(f"{measure}: {error}; see ir_measures for what it takes") from None
    return translate(measure, arguments)


def warn_of_single_subtopic(qrels: Qrels) -> None:
    """Warn, by ir_measures' logger, where a measure of diversity has one subtopic only."""
    assert qrels.subtopics is not None
    if not qrels.subtopics.subtopic.any():
        logging.getLogger("ir_measures.rankscope").warning(
            "no query has more than one subtopic, which measures of diversity need; name subtopics in a column "
            "or field `iteration` of the qrels"
        )


#: The provider, known to ir_measures as `ir_measures.providers.registry["rankscope"]`.
provider = irm.providers.register(RankscopeProvider())
#: The provider, and for what it cannot compute (measures made with `define`) those of ir_measures.
pipeline = irm.providers.FallbackProvider([provider, *irm.DefaultPipeline.providers])
evaluator = pipeline.evaluator
calc_aggregate = pipeline.calc_aggregate
calc = pipeline.calc
iter_calc = pipeline.iter_calc


def install() -> None:
    """Make it the first choice of ir_measures' own pipeline, for all code that calls ir_measures. Once is enough.

    Examples
    --------
    >>> import ir_measures
    >>> from rankscope.compat.ir_measures import install, uninstall
    >>> install()
    >>> ir_measures.DefaultPipeline.providers[0].NAME
    'rankscope'
    >>> uninstall()
    >>> ir_measures.DefaultPipeline.providers[0].NAME
    'runtime'
    """
    uninstall()
    irm.DefaultPipeline.providers.insert(0, provider)


def uninstall() -> None:
    """Undo `install`; nothing happens where it was not called."""
    providers = irm.DefaultPipeline.providers
    providers[:] = [candidate for candidate in providers if candidate.NAME != RankscopeProvider.NAME]
