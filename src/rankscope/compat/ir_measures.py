"""The package ir_measures computed by rankscope: a provider for its pipeline, and its functions by name.

    from rankscope.compat import ir_measures  # instead of: import ir_measures

Names that are not defined here (measures, readers, `define`) come from ir_measures, which must be installed.
docs/ir_measures.md shows examples and lists the differences.
"""

from __future__ import annotations

import logging
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from importlib import import_module
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.grades import refuse_fractions
from rankscope.data.hits import Hits, freeze
from rankscope.data.join import Convention, Joiner
from rankscope.data.qrels import Qrels
from rankscope.data.row_input import is_mapping_of_mappings
from rankscope.data.run import Run
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.measures import MEASURES
from rankscope.measures.base import Measure
from rankscope.measures.presets import PRESETS
from rankscope.typing import Floats, Ints

__all__ = [
    "RankscopeEvaluator",
    "RankscopeProvider",
    "calc",
    "calc_aggregate",
    "evaluator",
    "install",
    "iter_calc",
    "pipeline",
    "provider",
    "uninstall",
]


PRESET = PRESETS["ir_measures"]
#: cwl_eval distributes all weight over so many ranks.
CWL_DEPTH = 1000
#: Measures of ir_measures -> ours, where the names differ.
OUR_NAMES = {"Accuracy": "AUC"}
#: Parameters of ir_measures -> ours, where the names differ.
OUR_PARAMETERS = {"max_rel": "gmax", "dcg": "gain"}
NAMES = (
    *("AP", "Accuracy", "AP_IA", "BPM", "Bpref", "Compat", "ERR", "ERR_IA", "INSQ", "INST", "IPrec", "Judged"),
    *("NERR8", "NERR9", "NERR10", "NERR11", "NRBP", "NumQ", "NumRel", "NumRet", "P", "P_IA", "R", "RBP", "RR", "Rprec"),
    *("SDCG", "SetAP", "SetF", "SetP", "SetR", "StRecall", "Success", "alpha_DCG", "alpha_nDCG", "infAP", "nDCG"),
    *("nERR_IA", "nNRBP"),
)
Grades = Callable[[Ints], Ints]


@dataclass(frozen=True)
class ClippedGrades:
    """Grades less `lowest`, at least 0; grades above `highest` count as `highest`.

    Attributes
    ----------
    lowest, highest
        Grades.
    """

    lowest: int
    highest: int | None = None

    def __call__(self, grades: Ints) -> Ints:
        clipped: Ints = np.clip(np.maximum(grades, 0), self.lowest, self.highest) - self.lowest
        return clipped


@dataclass(frozen=True)
class ReplacedGrades:
    """Some grades are replaced by others.

    Attributes
    ----------
    replacements
        Grade -> new grade.
    """

    replacements: tuple[tuple[int, int], ...]

    def __call__(self, grades: Ints) -> Ints:
        replaced = grades.copy()
        for grade, replacement in self.replacements:
            replaced[grades == grade] = replacement
        return replaced


class HitsView(NamedTuple):
    """The changes that a measure makes to the hits.

    Attributes
    ----------
    grades
        Change of the grades, if any.
    judged_only
        Remove documents without a judgment.
    """

    grades: ClippedGrades | ReplacedGrades | None = None
    judged_only: bool = False


class MeasureColumn(NamedTuple):
    """A measure of ir_measures, and how it is computed.

    Attributes
    ----------
    their_measure
        The measure of ir_measures.
    our_measure
        Ours; None for the number of queries, which is 1 for each.
    view
        Changes of the hits.
    scale
        Divisor of its values.
    needs_retrieved
        Whether it has no value if nothing relevant was retrieved.
    """

    their_measure: Any
    our_measure: Measure | None
    view: HitsView
    scale: float = 1.0
    needs_retrieved: bool = False


def translate(measure: Any, parameters: Mapping[str, Any]) -> MeasureColumn:
    """Our measure for one of ir_measures. parameters: those that have a value. Raises ParameterError."""
    name = measure.NAME
    if name not in NAMES:
        raise UnknownName("measure of ir_measures", str(measure), NAMES)
    arguments = dict(parameters)
    view = HitsView(grade_change(name, arguments), arguments.pop("judged_only", False))
    if name == "NumQ":
        return MeasureColumn(measure, None, view)
    measure_class = MEASURES[our_name(name, arguments)]
    if "max_rel" in arguments:  # the gain of a grade is its share of the way from min_rel to max_rel
        arguments["max_rel"] -= arguments.pop("min_rel")
    if "dcg" in arguments:  # DCG's only other form
        arguments["dcg"] = "exp" if arguments["dcg"] == "exp-log2" else "linear"
    our_arguments = {OUR_PARAMETERS.get(parameter, parameter): value for parameter, value in arguments.items()}
    scale = 1.0
    if name == "RBP" and "rel" in our_arguments and "cutoff" not in our_arguments:
        our_arguments["cutoff"] = CWL_DEPTH
        scale = 1 - our_arguments["p"] ** CWL_DEPTH
    if name == "SDCG":
        del our_arguments["gain"]
    known_fields = {field.name: field for field in fields(measure_class)}
    if "depth" in known_fields:
        our_arguments["depth"] = CWL_DEPTH
    missing_parameters = [
        parameter
        for parameter, field in known_fields.items()
        if field.default is MISSING and parameter not in our_arguments
    ]
    if missing_parameters:
        raise ParameterError(f"{measure} needs a {missing_parameters[0]}, expected a number behind it, as in {name}@10")
    preset_arguments = {
        parameter: value
        for parameter, value in PRESET.parameters.get(measure_class.name, {}).items()
        if parameter in known_fields
    }
    return MeasureColumn(
        measure, measure_class(**{**preset_arguments, **our_arguments}), view, scale, needs_retrieved=name == "Accuracy"
    )


def our_name(name: str, arguments: dict[str, Any]) -> str:
    """The name of our measure; a parameter that chooses among several is removed from the arguments."""
    if name == "NumRet" and "rel" in arguments:
        return "NumRelRet"
    if name == "SetP" and arguments.pop("relative", False):
        return "SetRelP"
    return OUR_NAMES.get(name, name)


def grade_change(name: str, arguments: dict[str, Any]) -> ClippedGrades | ReplacedGrades | None:
    """How a measure changes grades; None where it does not."""
    if "gains" in arguments:
        gains = arguments.pop("gains")
        all_integers = isinstance(gains, Mapping) and all(
            isinstance(number, int) for pair in gains.items() for number in pair
        )
        if not all_integers:
            raise ParameterError(f"{name}: gains is {gains!r}, expected whole numbers by grade, as {{1: 1, 2: 5}}")
        return ReplacedGrades(tuple(sorted(gains.items())))
    if "max_rel" in arguments:
        if arguments["min_rel"] >= arguments["max_rel"]:
            raise ParameterError(
                f"{name}: max_rel is {arguments['max_rel']}, expected above min_rel, {arguments['min_rel']}"
            )
        return ClippedGrades(arguments["min_rel"], arguments["max_rel"])
    return ClippedGrades(0) if name == "Judged" else None  # it counts negative grades as judgments


def with_changed_grades(hits: Hits, change_grades: Grades, memory: dict[Any, Any]) -> Hits:
    """The hits with changed grades. memory: cache of what depends on the judgments alone."""
    if "grades" not in memory:
        grades = change_grades(hits.grades)
        memory["grades"] = freeze(grades[np.lexsort((-grades, hits.grade_query))])
    grades = memory["grades"]
    return replace(
        hits,
        relevance=change_grades(hits.relevance),
        grades=grades,
        max_grade=int(grades.max()),
        _memory={},
        _pool_memory=memory,
    )


def values_of(column: MeasureColumn, hits: Hits) -> Floats:
    """(queries) the values; NaN where there is none."""
    if column.our_measure is None:
        return np.ones(len(hits))
    values = column.our_measure(hits) / column.scale
    if column.needs_retrieved:
        values[column.our_measure.used(hits) == 0] = np.nan
    return values


#: The subtopic where none is named.
ONLY_SUBTOPIC = "0"
JUDGMENT, SCORED = ("query_id", "doc_id", "relevance"), ("query_id", "doc_id", "score")


def read_judgments(data: Any, by_subtopic: bool) -> tuple[Qrels | None, set[str]]:
    """Judgments (None where there are none), and their queries.

    by_subtopic: whether a measure needs subtopics. Otherwise they are read only where the iteration differs between
    lines: then a document may occur more than once, and its highest relevance counts.
    """
    if isinstance(data, Qrels):
        return whole_qrels(data), set(data.query_ids)
    if isinstance(data, Mapping):
        if not is_mapping_of_mappings(data):
            raise InputError("qrels: a mapping whose values are not mappings; expected {query: {document: relevance}}")
        judgments: dict[str, Any] = {query: docs for query, docs in data.items() if docs}
        without_subtopics = not any(
            isinstance(docs, Mapping) for group in judgments.values() for docs in group.values()
        )
        if by_subtopic and without_subtopics:
            judgments = {query: {ONLY_SUBTOPIC: docs} for query, docs in judgments.items()}
        return (whole_qrels(Qrels(judgments)) if judgments else None), set(data)
    table = columns(data, "qrels", JUDGMENT, "iteration")
    if table is None:
        return None, set()
    subtopics = table.pop("iteration", None)
    if subtopics is not None and (by_subtopic or len(set(subtopics)) > 1):
        table["subtopic"] = subtopics
    elif by_subtopic:
        table["subtopic"] = [ONLY_SUBTOPIC] * len(table["query_id"])
    qrels = whole_qrels(Qrels(table))
    return qrels, set(qrels.query_ids)


def whole_qrels(qrels: Qrels) -> Qrels:
    """The judgments. Raises InputError for a grade that is a fraction, which ir_measures' providers do not take."""
    refuse_fractions(qrels.relevance, "qrels", "ir_measures", "use rankscope.evaluate, which takes fractions")
    return qrels


def read_lists(data: Any) -> Run | None:
    """A run; None where it is empty. Named tuples are read one query at a time."""
    if isinstance(data, Run):
        return data
    if isinstance(data, Mapping):
        return Run(data)
    if is_rows(data):
        lists = group_by_query(iter(data))
        return Run(lists) if lists else None
    table = columns(data, "run", SCORED)
    return None if table is None else Run(table)


def group_by_query(rows: Iterator[Any]) -> dict[str, dict[str, float]]:
    """Named tuples as `{query: {document: score}}`. Raises InputError for a document that a query holds twice."""
    lists: dict[str, dict[str, float]] = {}
    first_row = next(rows, None)
    if first_row is None:
        return lists
    refuse_missing_fields(SCORED, list(getattr(first_row, "_fields", ())), "run")
    query_id, doc_id, score = map(attrgetter, SCORED)
    try:
        for query, group in groupby(chain([first_row], rows), query_id):
            group_rows = list(group)
            docs = dict(zip(map(doc_id, group_rows), map(score, group_rows), strict=True))
            docs_before = lists.setdefault(query, docs)
            if len(docs) < len(group_rows) or (docs_before is not docs and docs_before.keys() & docs.keys()):
                doc_counts = Counter(chain(docs_before if docs_before is not docs else (), map(doc_id, group_rows)))
                repeated = next(doc for doc, n in doc_counts.items() if n > 1)
                raise InputError(
                    f"run: document {repeated!r} of query {query!r} stands twice; expected each document once a query; "
                    "remove one of the two"
                )
            docs_before.update(docs)
    except (AttributeError, TypeError) as error:
        raise InputError(f"run: a row cannot be read ({error}); {expected_form(SCORED)}") from None
    return lists


def is_rows(data: Any) -> bool:
    """Whether the data are an iterable of named tuples."""
    return isinstance(data, Iterable) and not isinstance(data, (str, bytes)) and not hasattr(data, "columns")


def refuse_missing_fields(required: tuple[str, ...], present: list[str], kind: str) -> None:
    """Raise InputError unless all required fields are present."""
    missing = [name for name in required if name not in present]
    if missing:
        present_text = ", ".join(map(repr, present)) or "no fields"
        raise InputError(f"{kind}: no {missing[0]!r} among {present_text}; {expected_form(required)}")


def columns(data: Any, kind: str, required: tuple[str, ...], optional: str | None = None) -> dict[str, Any] | None:
    """The columns of a data frame or of named tuples; None where there are no rows."""
    if hasattr(data, "columns"):
        present = [str(name) for name in data.columns]
        table = {name: data[name] for name in (*required, optional) if name in present}
    elif is_rows(data):
        rows = list(data)
        present = list(getattr(rows[0], "_fields", ())) if rows else list(required)
        table = {name: field_values(rows, name, kind) for name in (*required, optional) if name in present}
    else:
        raise InputError(f"{kind}: a {type(data).__name__}; {expected_form(required)}")
    refuse_missing_fields(required, present, kind)
    if not len(table[required[0]]):
        return None
    return {name: as_polars_values(column) for name, column in table.items()}


def expected_form(required: tuple[str, ...]) -> str:
    value = required[-1]
    return (
        f"expected {{query: {{document: {value}}}}}, a data frame with columns {', '.join(required)}, "
        "or named tuples with these fields"
    )


def field_values(rows: list[Any], name: str, kind: str) -> Any:
    """One field of all tuples; numbers as an array, so that integers and floats may be mixed."""
    try:
        values = list(map(attrgetter(name), rows))
        return array("d", values) if name in ("relevance", "score") else values
    except (AttributeError, TypeError, OverflowError) as error:
        raise InputError(f"{kind}: the field {name!r} of a row cannot be read ({error}); correct that row") from None


def as_polars_values(column: Any) -> Any:
    """A column of any library in a form that polars accepts."""
    kind = getattr(getattr(column, "dtype", None), "kind", "")
    if kind and kind in "iuf":
        return column.to_numpy()
    return column.tolist() if hasattr(column, "tolist") else list(column)


try:  # by its name, since it is no dependency of rankscope
    irm: Any = import_module("ir_measures")
except ImportError as error:
    raise ImportError(f"rankscope.compat.ir_measures needs ir_measures ({error}); pip install ir-measures") from None
__all__ += [name for name in irm.__all__ if name not in __all__]
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


def __getattr__(name: str) -> Any:
    """Names that are not defined here come from ir_measures."""
    if name.startswith("__") and name != "__version__":  # Python looks these up in every module
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(irm, name)
