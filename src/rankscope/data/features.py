"""Features: a table of numbers for the documents of each query, with their grades."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import InitVar, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.grades import EXPECTED_GRADE, as_grades, invalid_grades
from rankscope.data.rows import first_duplicate
from rankscope.data.text import pluralise
from rankscope.errors import InputError
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, group_of
from rankscope.typing import Grades, Ints, Reals

__all__ = [
    "Features",
]


Where = Callable[[int], str]
#: Whole numbers beyond this are not exact in float64.
MAX_INTEGER = 2.0**53
#: The texts that None and NaN become in an array of texts.
TEXTS_OF_NONE = ("None", "nan", "<NA>", "NaT")


@dataclass(frozen=True, eq=False, kw_only=True)
class Features:
    """Documents as numbers, grouped by query: what a ranker learns from and scores.

    Attributes
    ----------
    values
        Finite numbers, (documents, features), float32 or float64 as given, C-contiguous.
    relevance
        Grades, (documents): int64 if all are whole, else float64; zeros if they are unknown.
    offsets
        Where the documents of each query begin, (queries + 1).
    query_ids
        Names of the queries.
    names
        Names of the features. Default: "1", "2", ...
    doc_ids
        Names of the documents; None if there are none.
    order
        Index of each document among the input rows; None if documents of a query were together already.
        `in_input_order` restores that order.
    name
        Name of the data.
    notes
        What a reader should know.
    comments
        What else a file said of each document, kept for writing; None if nothing.
    empty
        Names of features for which no document has a number.
    graded
        Whether the grades are known.
    where
        How an error names a row, from its index, as "file:line"; not kept. Default: by the number of the document.

    Raises
    ------
    InputError
        A number is not finite (the message has the row), shapes do not fit, a query is empty, there are no documents,
        or names of features or queries occur twice.

    Examples
    --------
    >>> features = Features.of([[0.5, 1.0], [0.1, 0.0], [0.2, 0.3]], [2, 0, 1], ["q1", "q2", "q1"])
    >>> features.query_ids, features.offsets.tolist(), features.relevance.tolist()
    (('q1', 'q2'), [0, 2, 3], [2, 1, 0])
    >>> features.notes
    ('features: the documents of 1 query were not together; they have been merged',)
    >>> features.in_input_order([9.0, 7.0, 8.0]).tolist()
    [9.0, 8.0, 7.0]
    """

    values: Reals
    relevance: Grades
    offsets: Ints
    query_ids: tuple[str, ...]
    names: tuple[str, ...] = ()
    doc_ids: Sequence[str] | None = None
    order: Ints | None = None
    name: str = "features"
    notes: tuple[str, ...] = ()
    comments: Sequence[str] | None = None
    empty: tuple[str, ...] = ()
    graded: bool = True
    where: InitVar[Where | None] = None

    def __post_init__(self, where: Where | None) -> None:
        fields = self.__dict__
        values = np.asarray(self.values)
        if values.dtype not in (np.float32, np.float64):
            values = values.astype(np.float64)
        fields["values"] = np.ascontiguousarray(values)
        grades = np.asarray(self.relevance)
        is_float = grades.dtype.kind == "f"
        fields["relevance"] = (
            to_grades(grades, f"{self.name}, document {{}}: grade") if is_float else np.asarray(grades, np.int64)
        )
        fields["offsets"] = np.asarray(self.offsets, np.int64)
        fields["query_ids"] = tuple(self.query_ids)
        if values.ndim == 2:
            fields["names"] = tuple(self.names) or tuple(str(i + 1) for i in range(values.shape[1]))
        self.check(where or (lambda row: f"{self.name}, document {row + 1}"))

    def check(self, where: Where) -> None:
        """Raise InputError unless numbers, grades, groups and names fit together.

        Parameters
        ----------
        where
            How a message names a row, from its index.
        """
        if self.values.ndim != 2 or not self.values.size:
            raise InputError(f"features of shape {self.values.shape}, expected (documents, features) with at least one")
        n_documents, n_features = self.values.shape
        if self.relevance.shape != (n_documents,):
            raise InputError(f"{self.relevance.size} grades for {n_documents} documents, expected one each")
        if len(self.names) != n_features or len(set(self.names)) != n_features:
            raise InputError(
                f"{len(set(self.names))} names for {n_features} features, expected one of its own for each"
            )
        if self.doc_ids is not None and len(self.doc_ids) != n_documents:
            raise InputError(f"{len(self.doc_ids)} names for {n_documents} documents, expected one each")
        if self.comments is not None and len(self.comments) != n_documents:
            raise InputError(f"{len(self.comments)} comments for {n_documents} documents, expected one each")
        lengths = np.diff(self.offsets)
        if self.offsets.ndim != 1 or self.offsets[:1].tolist() != [0] or int(self.offsets[-1]) != n_documents:
            raise InputError(
                f"the groups hold {int(lengths.sum())} documents, and there are {n_documents}; correct their sizes"
            )
        if (lengths < 1).any():
            raise InputError(
                f"group {int(np.argmax(lengths < 1)) + 1} is empty, expected at least one document in each"
            )
        if len(self.query_ids) != lengths.size:
            raise InputError(f"{len(self.query_ids)} names for {lengths.size} queries, expected one each")
        duplicate = first_duplicate(self.query_ids)
        if duplicate is not None:
            raise InputError(
                f"{self.name}: two queries are named {self.query_ids[duplicate]!r}, expected a name of its own for each"
            )
        with np.errstate(over="ignore", invalid="ignore"):
            total = self.values.sum(dtype=np.float64)  # nearly always finite, and quicker than a check of each value
        if not np.isfinite(total) and not np.isfinite(self.values).all():
            row, column = np.argwhere(~np.isfinite(self.values))[0]
            given_row = int(row) if self.order is None else int(self.order[row])
            raise InputError(
                f"{where(given_row)}: feature {self.names[column]!r} is {self.values[row, column]:g}, expected a "
                "finite number; write 0 for what is missing"
            )

    @classmethod
    def of(
        cls,
        values: npt.ArrayLike,
        relevance: npt.ArrayLike | None = None,
        queries: Sequence[Any] | npt.NDArray[Any] | None = None,
        *,
        sizes: npt.ArrayLike | None = None,
        **other_fields: Any,
    ) -> Features:
        """From rows in any order with the query of each, or from rows that are together with the size of each group.

        Parameters
        ----------
        values
            Numbers, (documents, features).
        relevance
            Grades, (documents). Default: unknown, zeros.
        queries
            Query of each row. Default: one query for all, or as `sizes` says.
        sizes
            Number of rows of each query, instead of `queries`.
        **other_fields
            Other fields of the class; with query_ids among them, queries are indices of these.

        Returns
        -------
        Features
            The documents, grouped by query.

        Raises
        ------
        InputError
            As for the class, or a query is None or NaN, or a size is not a whole number.
        """
        table = np.asarray(values)
        n_documents = len(table) if table.ndim else 0
        grades = np.zeros(n_documents, np.int64) if relevance is None else to_grades(relevance, "document {}: grade")
        other_fields.setdefault("graded", relevance is not None)
        if queries is not None and sizes is not None:
            raise InputError("queries and sizes were given, expected one of the two")
        if queries is None:
            group_sizes = np.array([n_documents]) if sizes is None else to_integers(sizes, "group {}: size")
            query_ids = other_fields.pop("query_ids", None) or tuple(str(i + 1) for i in range(group_sizes.size))
            return cls(values=table, relevance=grades, offsets=bounds(group_sizes), query_ids=query_ids, **other_fields)
        labels = np.asarray(queries)
        if labels.shape != (n_documents,):
            raise InputError(f"{labels.size} queries for {n_documents} documents, expected one each")
        refuse_missing_labels(queries, labels, other_fields.get("name", "features"))
        codes, query_ids, n_scattered = query_codes(labels)
        given_ids = other_fields.pop("query_ids", None)
        if given_ids is not None:
            query_ids = tuple(given_ids[int(code)] for code in query_ids)
        lengths = np.bincount(codes, minlength=len(query_ids))
        if not n_scattered:
            return cls(values=table, relevance=grades, offsets=bounds(lengths), query_ids=query_ids, **other_fields)
        order = np.argsort(codes, kind="stable")
        name = other_fields.get("name", "features")
        text_columns = {field: other_fields.pop(field, None) for field in ("doc_ids", "comments")}
        noun = "query" if n_scattered == 1 else "queries"
        note = f"{name}: the documents of {n_scattered} {noun} were not together; they have been merged"
        return cls(
            values=table[order],
            relevance=grades[order],
            offsets=bounds(lengths),
            query_ids=query_ids,
            order=order,
            doc_ids=take_texts(text_columns["doc_ids"], order),
            comments=take_texts(text_columns["comments"], order),
            **{**other_fields, "notes": (*other_fields.get("notes", ()), note)},
        )

    def __len__(self) -> int:
        """How many documents."""
        return len(self.values)

    def __repr__(self) -> str:
        counts = ((len(self.query_ids), "query", "queries"), (len(self), "document"), (len(self.names), "feature"))
        return f"Features({self.name!r}, {', '.join(pluralise(*count) for count in counts)})"

    @property
    def group(self) -> Ints:
        """(documents) the query of each."""
        return group_of(self.offsets)

    def in_input_order(self, scores: npt.ArrayLike) -> npt.NDArray[Any]:
        """Scores of the documents in the order of the input rows.

        Parameters
        ----------
        scores
            One score per document, (documents).

        Returns
        -------
        array of shape (documents)
            The scores, reordered.
        """
        document_scores = np.asarray(scores)
        if self.order is None:
            return document_scores
        in_input_order = np.empty_like(document_scores)
        in_input_order[self.order] = document_scores
        return in_input_order

    def select(self, queries: npt.ArrayLike) -> Features:
        """Some of the queries; `order` is not kept.

        Parameters
        ----------
        queries
            Indices of the queries.

        Returns
        -------
        Features
            Their documents.
        """
        index = np.asarray(queries, np.int64)
        lengths = np.diff(self.offsets)[index]
        rows = ranges(self.offsets[index], lengths)
        return Features(
            values=self.values[rows],
            relevance=self.relevance[rows],
            offsets=bounds(lengths),
            query_ids=tuple(self.query_ids[i] for i in index.tolist()),
            names=self.names,
            doc_ids=take_texts(self.doc_ids, rows),
            comments=take_texts(self.comments, rows),
            name=self.name,
            empty=self.empty,
            graded=self.graded,
        )

    def select_features(self, names: Sequence[str]) -> Features:
        """Some of the features, in this order.

        Parameters
        ----------
        names
            Names of features; a name that is missing here gives zeros.

        Returns
        -------
        Features
            The same documents.
        """
        column_of = {name: i for i, name in enumerate(self.names)}
        values = np.zeros((len(self), len(names)), self.values.dtype)
        present = [i for i, name in enumerate(names) if name in column_of]
        values[:, present] = self.values[:, [column_of[names[i]] for i in present]]
        return replace(self, values=values, names=tuple(names), where=None)


def take_texts(texts: Sequence[str] | None, rows: Ints) -> list[str] | None:
    """The texts of some rows, where there are any."""
    return None if texts is None else [texts[i] for i in rows.tolist()]


def to_integers(numbers: npt.ArrayLike, template: str) -> Ints:
    """Numbers as int64. template: begins the message; {} is the place of the number from 1. Raises InputError."""
    floats = np.asarray(numbers, np.float64)
    is_whole = (floats == np.floor(floats)) & (np.abs(floats) < MAX_INTEGER)  # NaN and infinities are refused, too
    if not is_whole.all():
        row = int(np.argmin(is_whole))
        raise InputError(f"{template.format(row + 1)} {floats.ravel()[row]:g}, expected a whole number")
    return floats.astype(np.int64)


def to_grades(numbers: npt.ArrayLike, template: str) -> Grades:
    """Numbers as grades. template: begins the message; {} is the place of the number from 1. Raises InputError."""
    floats = np.asarray(numbers, np.float64)
    invalid = invalid_grades(floats)
    if invalid.any():
        row = int(np.argmax(invalid))
        raise InputError(f"{template.format(row + 1)} {floats.ravel()[row]:g}, expected {EXPECTED_GRADE}")
    return as_grades(floats)


def refuse_missing_labels(raw_labels: Any, labels: npt.NDArray[Any], name: str) -> None:
    """Raise InputError for queries that are None or NaN. raw_labels: the labels before they became an array."""
    if labels.dtype.kind == "U" and not isinstance(raw_labels, np.ndarray) and np.isin(labels, TEXTS_OF_NONE).any():
        labels = np.asarray(raw_labels, object)  # beside texts, None and NaN become texts themselves
    if labels.dtype.kind == "f":
        missing = np.isnan(labels)
    elif labels.dtype.kind in "mM":
        missing = np.isnat(labels)
    elif labels.dtype.kind == "O":
        missing = np.frompyfunc(is_missing, 1, 1)(labels).astype(np.bool_)
    else:
        return
    if missing.any():
        row = int(np.argmax(missing))
        raise InputError(
            f"{name}, document {row + 1}: the query is {labels[row]!s}, expected a name; fill it in, or drop the "
            "document"
        )


def is_missing(label: Any) -> bool:
    """Whether a label is None, NaN or one of the missing values of pandas."""
    return (
        label is None or type(label).__name__ in ("NAType", "NaTType") or (isinstance(label, float) and label != label)
    )


def query_codes(labels: npt.NDArray[Any]) -> tuple[Ints, tuple[str, ...], int]:
    """The code of each row's query, the names of the queries in their first order, and how many are not together."""
    starts_stretch = np.ones(labels.size, np.bool_)
    starts_stretch[1:] = labels[1:] != labels[:-1]
    stretch_starts = np.flatnonzero(starts_stretch)
    code_of_label: dict[Any, int] = {}
    stretch_codes = np.array(
        [code_of_label.setdefault(label, len(code_of_label)) for label in labels[stretch_starts].tolist()], np.int64
    )
    n_scattered = int((np.bincount(stretch_codes, minlength=len(code_of_label)) > 1).sum()) if stretch_codes.size else 0
    return (
        np.repeat(stretch_codes, np.diff(np.append(stretch_starts, labels.size))),
        tuple(map(str, code_of_label)),
        n_scattered,
    )
