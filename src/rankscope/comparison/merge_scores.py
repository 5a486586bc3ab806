"""Merge scores of two evaluations, as of today and of last month, after a check that they are of one collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.comparison.common_queries import check_systems, measure_names_of
from rankscope.data.hits import freeze
from rankscope.data.queries import COLUMNS
from rankscope.data.scores import Scores
from rankscope.data.text import join_names, pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.typing import Bools, Floats

__all__ = [
    "check_same_collection",
    "join_scores",
]


#: The names of both in messages.
NAMES = ("the new scores", "the baseline")
ADVICE = "evaluate both with the same judgments and options"
#: Settings of what is known of the queries: groups, clusters and weights.
QUERY_SETTINGS = ("groups", "clusters", "weights")
#: Queries that a message names at most.
MOST_IN_MESSAGE = 3


def check_same_collection(
    a: Scores, b: Scores, measures: Iterable[str] | None = None, *, names: tuple[str, str] = NAMES
) -> None:
    """Raise unless two Scores can be compared: the same queries, judgments, conventions and measures.

    Parameters
    ----------
    a, b
        The scores.
    measures
        Full names of the measures that both must have. Default: all of `a`; `b` may have more.
    names
        What messages call the two.

    Raises
    ------
    InputError
        Queries, judgments or conventions differ; the message names the first difference.
    ParameterError
        One of the two lacks a measure, or is not Scores.

    Notes
    -----
    Judgments are compared by their fingerprints, if both are known; these hold grades, but no ids of documents. The
    setting `unjudged="bounds"` changes no value, so it may differ, and so may the version of rankscope.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels, run = {"q1": {"d1": 1}}, {"q1": {"d1": 2.0}}
    >>> check_same_collection(rs.evaluate(qrels, run, ["RR", "AP"]), rs.evaluate(qrels, run, ["AP", "P@5", "RR"]))
    """
    for scores in (a, b):
        check_systems(scores, None, 1)
    measure_names = a.measure_names if measures is None else tuple(measures)
    for scores, name in zip((a, b), names, strict=True):
        for measure in measure_names:
            if measure not in scores.measure_names:
                raise ParameterError(
                    f"no {measure} among the measures of {name} ({', '.join(scores.measure_names)}), expected it in "
                    f"both; evaluate again with -m {measure}"
                )
    refuse_different_judgments(a, b, names)
    refuse_different_settings("", comparable_settings(a.settings), comparable_settings(b.settings), names)
    for measure in measure_names:
        refuse_different_settings(f"{measure}: ", settings_of(a, measure), settings_of(b, measure), names)


def settings_of(scores: Scores, measure: str) -> Mapping[str, str]:
    """The parameters of a measure; none for scores made by hand without them."""
    return scores.measure_settings[scores.measure_names.index(measure)] if scores.measure_settings else {}


def same_query_order(a: Scores, b: Scores) -> bool:
    """Whether both have the same order of queries, on which fingerprints depend."""
    return a.query_ids == b.query_ids


def refuse_different_judgments(a: Scores, b: Scores, names: tuple[str, str]) -> None:
    """Raise InputError for other queries or other grades, with what changed."""
    only_a, only_b = set(a.query_ids) - set(b.query_ids), set(b.query_ids) - set(a.query_ids)
    if only_a and only_b and len(only_a) == len(a.query_ids):
        raise InputError(
            f"{names[0]} and {names[1]} have no queries in common ({join_names(sorted(only_a), MOST_IN_MESSAGE)}; "
            f"{join_names(sorted(only_b), MOST_IN_MESSAGE)}), expected the same; {ADVICE}"
        )
    differences = [
        f"{pluralise_queries(len(query_ids))} of {name} only ({join_names(sorted(query_ids), MOST_IN_MESSAGE)})"
        for query_ids, name in zip((only_a, only_b), names, strict=True)
        if query_ids
    ]
    changed = changed_queries(a, b)
    if changed:
        differences.append(
            f"other grades in {pluralise_queries(len(changed))} ({join_names(changed, MOST_IN_MESSAGE)})"
        )
    if differences:
        raise InputError(f"{'; '.join(differences)}; expected the same queries and judgments in both: {ADVICE}")
    if a.fingerprint and b.fingerprint and same_query_order(a, b) and a.fingerprint != b.fingerprint:
        raise InputError(
            f"{names[0]} and {names[1]} have the same queries but other judgments: the grades of judged documents "
            f"differ; {ADVICE}"
        )


def changed_queries(a: Scores, b: Scores) -> list[str]:
    """The queries of both whose grades differ, as far as that is known."""
    hashes_a, hashes_b = a.judgment_hashes, b.judgment_hashes
    if hashes_a is None or hashes_b is None:
        return []
    hash_of_query = dict(zip(b.query_ids, hashes_b.tolist(), strict=True))
    return [
        query
        for query, hashed in zip(a.query_ids, hashes_a.tolist(), strict=True)
        if hash_of_query.get(query, hashed) != hashed
    ]


def comparable_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """Settings without those that change no value."""
    return {
        key: value
        for key, value in settings.items()
        if key not in ("queries", *QUERY_SETTINGS) and (key, value) != ("unjudged", "bounds")
    }


def refuse_different_settings(prefix: str, a: Mapping[str, str], b: Mapping[str, str], names: tuple[str, str]) -> None:
    for key in dict.fromkeys((*a, *b)):
        if a.get(key) != b.get(key):
            text_a, text_b = (
                f"{settings.get(key, 'not set')} for {name}" for settings, name in zip((a, b), names, strict=True)
            )
            raise InputError(f"{prefix}{key} is {text_a} and {text_b}, expected the same; {ADVICE}")


def join_scores(a: Scores, b: Scores, measures: object = None) -> Scores:
    """The systems of two scores in one, if both come from the same queries, judgments and settings.

    Parameters
    ----------
    a
        Scores; their systems come first.
    b
        More scores. A system with the name of one in `a` is renamed to "name (baseline)".
    measures
        A measure, or a list of measures. Default: all measures of `a`.

    Returns
    -------
    Scores
        The scores of all systems, without bounds. A note says if two versions of rankscope computed them, or if it is
        unknown whether both use the same judgments.

    Raises
    ------
    InputError
        Queries, judgments or settings differ.
    ParameterError
        A measure is missing from `b`, or two systems have the same name.
    UnknownName
        A measure is missing from `a`.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels, run = {"q1": {"d1": 1}}, rs.Run({"q1": {"d1": 2.0}}, name="bm25")
    >>> join_scores(rs.evaluate(qrels, run, "RR"), rs.evaluate(qrels, run, "RR")).systems
    ('bm25', 'bm25 (baseline)')
    """
    check_systems(a, None, 1)  # before its measures are used
    measure_names = measure_names_of(a, measures)
    check_same_collection(a, b, measure_names)
    names_b = [f"{name} (baseline)" if name in a.systems else name for name in b.systems]
    systems = (*a.systems, *names_b)
    if len(set(systems)) < len(systems):
        raise ParameterError(f"two systems have one name among {', '.join(systems)}; give one of the runs another name")
    index_of_query = {query: i for i, query in enumerate(b.query_ids)}
    order = np.array([index_of_query[query] for query in a.query_ids], np.intp)
    selected_a, selected_b = (
        scores.select(measures=[scores.measure_names.index(name) for name in measure_names]) for scores in (a, b)
    )
    query_columns, query_settings = join_query_columns(a, b, order)
    values: Floats = np.concatenate([selected_a.values, selected_b.values[:, :, order]])
    missing: Bools = np.concatenate([selected_a.missing, selected_b.missing[:, order]])
    return replace(
        selected_a,
        systems=systems,
        values=freeze(values),
        missing=freeze(missing),
        bounds=None,
        lists=None
        if selected_a.lists is None or selected_b.lists is None
        else freeze(np.concatenate([selected_a.lists, selected_b.lists[:, :, order]])),
        settings={key: value for key, value in a.settings.items() if (key, value) != ("unjudged", "bounds")}
        | query_settings,
        query_columns=query_columns,
        notes=tuple(dict.fromkeys((*a.notes, *b.notes, *provenance_notes(a, b)))),
        unjudged_systems=(*a.unjudged_systems, *(names_b[b.systems.index(name)] for name in b.unjudged_systems)),
    )


def join_query_columns(
    a: Scores, b: Scores, order: npt.NDArray[np.intp]
) -> tuple[dict[str, tuple[Any, ...]], dict[str, str]]:
    """What is known of the queries by either of two scores, and its settings.

    order: the places of the queries of `a` among those of `b`. Raises InputError where a group, cluster or weight
    differs.
    """
    columns_b = {name: tuple(values[place] for place in order) for name, values in b.query_columns.items()}
    for name in COLUMNS:
        values_a, values_b = a.query_columns.get(name), columns_b.get(name)
        if values_a is not None and values_b is not None and values_a != values_b:
            query, *both = next(x for x in zip(a.query_ids, values_a, values_b, strict=True) if x[1] != x[2])
            raise InputError(
                f"the {name} of query {query!r} is {both[0]!r} for {NAMES[0]} and {both[1]!r} for {NAMES[1]}, expected "
                "the same; give both the same table of queries"
            )
    settings_b = {name: value for name, value in b.settings.items() if name in QUERY_SETTINGS}
    settings_a = {name: value for name, value in a.settings.items() if name in QUERY_SETTINGS}
    return {**columns_b, **a.query_columns}, {**settings_b, **settings_a}


def provenance_notes(a: Scores, b: Scores) -> list[str]:
    notes = []
    if a.version != b.version:
        notes.append(
            f"the baseline was computed by rankscope {b.version}, the new scores by {a.version}; the changelog says "
            "whether a number changed in between"
        )
    are_compared = a.judgment_hashes is not None and b.judgment_hashes is not None
    if not are_compared and not (a.fingerprint and b.fingerprint and same_query_order(a, b)):
        notes.append("it is unknown whether both use the same judgments; their queries are the same")
    return notes
