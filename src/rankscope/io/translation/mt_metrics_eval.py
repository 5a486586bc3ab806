"""Folders of mt-metrics-eval: scores of people and of metrics, texts and documents, with one segment per line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rankscope.data.metric_scores import MetricScores, PairScores
from rankscope.data.rankings import Labels
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.io.translation.plain_texts import Lines, Texts, read_lines, refuse_unequal
from rankscope.io.translation.wmt_scores import NO_SCORE
from rankscope.kernels.numbers import parse_floats
from rankscope.kernels.order import first_repeat
from rankscope.kernels.text import encode
from rankscope.typing import PathLike

__all__ = [
    "ScoreFile",
    "list_mt_scores",
    "read_mt_documents",
    "read_mt_scores",
    "read_mt_system_scores",
    "read_mt_texts",
]


LEVELS = {"seg": "segments", "sys": "systems"}
#: The folder with a folder of metrics for each language pair.
METRIC_SCORES = "metric-scores"


class ScoreFile(NamedTuple):
    """A file of scores in a folder of mt-metrics-eval.

    Attributes
    ----------
    path
        The file.
    kind
        "human" or "metric".
    pair, name
        Language pair and name of the scores.
    level
        "seg" or "sys".
    """

    path: Path
    kind: str
    pair: str
    name: str
    level: str


def list_mt_scores(folder: PathLike, *, level: str = "seg") -> list[ScoreFile]:
    """List the files of scores: human-scores/PAIR.NAME.seg.score and metric-scores/PAIR/NAME.seg.score (.sys.score).

    Parameters
    ----------
    folder
        Folder of mt-metrics-eval; or its folder metric-scores; or one of the folders metric-scores/PAIR, with nothing
        but files of scores.
    level
        "seg" or "sys".

    Returns
    -------
    list of ScoreFile
        The files.
    """
    if level not in LEVELS:
        raise ParameterError(f"level={level!r}, expected one of {', '.join(LEVELS)}")
    root = Path(folder)
    if not os.path.isdir(root):
        raise InputError(f"{root}: no such folder, expected one with human-scores/ or metric-scores/")
    suffix = f".{level}.score"
    if holds_scores_only(root):
        pair = root.absolute().name
        files = [parse_score_path(path) for path in sorted(root.glob(f"*{suffix}"))]
        return [file if file.pair else file._replace(pair=pair if "-" in pair else "") for file in files]
    if root.absolute().name == METRIC_SCORES:
        root = root.absolute().parent if root.name != METRIC_SCORES else root.parent
        return [parse_score_path(path) for path in sorted(root.glob(f"{METRIC_SCORES}/*/*{suffix}"))]
    paths = [*root.glob(f"human-scores/*{suffix}"), *root.glob(f"{METRIC_SCORES}/*/*{suffix}")]
    return [parse_score_path(path) for path in sorted(paths)]


def holds_scores_only(folder: Path) -> bool:
    """Whether a folder holds files of scores, and nothing else but hidden files."""
    names = [name for name in os.listdir(folder) if not name.startswith(".")]
    return bool(names) and all(name.endswith(tuple(f".{level}.score" for level in LEVELS)) for name in names)


def parse_score_path(path: Path) -> ScoreFile:
    """The description of a file of scores, by its path."""
    name_parts = path.name.removesuffix(".gz").removesuffix(".zst").split(".")
    stem, level = name_parts, "seg"
    if len(name_parts) > 2 and name_parts[-1] == "score" and name_parts[-2] in LEVELS:
        stem, level = name_parts[:-2], name_parts[-2]
    if "-" in path.parent.name and path.parent.parent.name == METRIC_SCORES:
        return ScoreFile(path, "metric", path.parent.name, ".".join(stem), level)
    if len(stem) > 1 and "-" in stem[0]:
        return ScoreFile(path, "human", stem[0], ".".join(stem[1:]), level)
    return ScoreFile(path, "metric", "", ".".join(stem), level)


def read_mt_scores(
    path: PathLike, *, pair: str | None = None, name: str | None = None, higher_is_better: bool = True
) -> MetricScores:
    r"""Read the scores of one metric, or of people, on the segments of one language pair.

    Parameters
    ----------
    path
        A file of lines SYSTEM<TAB>SCORE, those of each system in the order of the segments, None for no score; or the
        folder of mt-metrics-eval.
    pair, name
        Language pair and name; in the folder they select human-scores/PAIR.NAME.seg.score or
        metric-scores/PAIR/NAME.seg.score. Default for a file: from its name.
    higher_is_better
        Direction of the scores.

    Returns
    -------
    MetricScores
        Segments are named 1, 2, ...

    Raises
    ------
    InputError
        With file and line: a line has no tab, a score is not a number, or systems have unequal numbers of lines.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "de-en.mqm.seg.score")
    >>> _ = path.write_text("A\t-1.5\nA\tNone\nB\t0\nB\t-5\n")
    >>> scores = read_mt_scores(path)
    >>> scores.metric, scores.pairs["de-en"].values.tolist()
    ('mqm', [[-1.5, nan], [0.0, -5.0]])
    """
    file = find_file(path, pair, name, "seg")
    systems, values = read_scored_lines(file.path)
    counts = np.bincount(systems.codes)
    n_segments = int(counts[0])
    if (counts != n_segments).any():
        system_code = int(np.flatnonzero(counts != n_segments)[0])
        raise InputError(
            f"{file.path}: {pluralise(int(counts[system_code]), 'line')} of system {systems.names[system_code]!r}, "
            f"expected {n_segments:,} as of {systems.names[0]!r}, one per segment; complete it (None where there is no "
            "score)"
        )
    table = values[np.argsort(systems.codes, kind="stable")].reshape(len(systems.names), n_segments)
    scores = PairScores(systems.names, tuple(map(str, range(1, n_segments + 1))), table)
    return MetricScores(file.name, {file.pair: scores}, higher_is_better, missing_scores_note(file, values))


def read_mt_system_scores(
    path: PathLike, *, pair: str | None = None, name: str | None = None, higher_is_better: bool = True
) -> MetricScores:
    """Read the scores of whole systems from a .sys.score: one line SYSTEM<TAB>SCORE per system.

    Parameters
    ----------
    path, pair, name, higher_is_better
        As for `read_mt_scores`.

    Returns
    -------
    MetricScores
        The scores.

    Raises
    ------
    InputError
        As for `read_mt_scores`, or a system occurs twice.
    """
    file = find_file(path, pair, name, "sys")
    systems, values = read_scored_lines(file.path)
    repeat = first_repeat(systems.codes)
    if repeat is not None:
        raise InputError(
            f"{file.path}:{repeat[0] + 1}: a second score of system {systems.names[systems.codes[repeat[0]]]!r}, "
            "expected one each; is this a file of segments (.seg.score)?"
        )
    scores = dict(zip(systems.names, values.tolist(), strict=True))
    return MetricScores.of(
        file.name, {file.pair: scores}, higher_is_better=higher_is_better, notes=missing_scores_note(file, values)
    )


def find_file(path: PathLike, pair: str | None, name: str | None, level: str) -> ScoreFile:
    """The file of scores at this path, with the names of its pair and its metric."""
    file_or_folder = Path(path)
    if not os.path.isdir(file_or_folder):
        score_file = parse_score_path(file_or_folder)
        if score_file.level != level and file_or_folder.name.endswith(".score"):
            raise InputError(
                f"{file_or_folder}: scores of {LEVELS[score_file.level]}, expected those of {LEVELS[level]}"
            )
        return score_file._replace(pair=score_file.pair if pair is None else pair, name=name or score_file.name)
    files = list_mt_scores(file_or_folder, level=level)
    if pair is None or name is None:
        raise ParameterError(
            f"{file_or_folder} is a folder, so say the language pair and the name of the scores (pair, name)"
        )
    for file in files:
        if (file.pair, file.name) == (pair, name):
            return file
    names = [file.name for file in files if file.pair == pair]
    pairs = sorted({file.pair for file in files})
    available = (
        f"{pair} has {join_names(names, 12)}" if names else f"there are scores for {join_names(pairs, 12) or 'no pair'}"
    )
    raise InputError(f"{file_or_folder}: no scores {name!r} of {LEVELS[level]} for {pair}; {available}")


def read_scored_lines(path: Path) -> tuple[Labels, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """The system and the score of each line, NaN for none."""
    lines = read_lines(path)
    if not lines:
        raise InputError(f"{path}: the file is empty, expected lines SYSTEM<TAB>SCORE")
    rows = [line.rstrip("\r").split("\t") if "\t" in line else line.split() for line in lines]
    for number, fields in enumerate(rows, 1):
        if len(fields) != 2 or not fields[0]:
            raise InputError(
                f"{path}:{number}: {pluralise(len(fields), 'field')}, expected 2 (SYSTEM<TAB>SCORE); correct this line"
            )
    texts = [fields[1].strip() for fields in rows]
    values, invalid = parse_floats(encode(texts))
    for row in np.union1d(invalid, np.flatnonzero(np.isinf(values))).tolist():
        if texts[row].lower().encode() not in NO_SCORE:
            raise InputError(
                f"{path}:{row + 1}: score {texts[row]!r}, expected a finite number, or None for none; correct this line"
            )
        values[row] = np.nan
    return Labels.of([fields[0] for fields in rows]), values


def missing_scores_note(file: ScoreFile, values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[str, ...]:
    missing = int(np.isnan(values).sum())
    pair_text = f" ({file.pair})" if file.pair else ""
    return (f"{file.name}{pair_text}: {pluralise(missing, 'line')} without a score",) if missing else ()


def read_mt_texts(folder: PathLike, pair: str, *, reference: str = "refA") -> Texts:
    """Read sources/PAIR.txt, references/PAIR.REFERENCE.txt and system-outputs/PAIR/SYSTEM.txt.

    Parameters
    ----------
    folder
        The folder.
    pair
        Language pair.
    reference
        Name of the reference.

    Returns
    -------
    Texts
        The texts.

    Raises
    ------
    InputError
        A file is missing (the message names the existing references), or has another number of lines than the source.
    """
    root = Path(folder)
    paths = [root / "sources" / f"{pair}.txt", root / "references" / f"{pair}.{reference}.txt"]
    references = [
        path.name.removeprefix(f"{pair}.").removesuffix(".txt") for path in root.glob(f"references/{pair}.*.txt")
    ]
    if not paths[1].is_file() and references:
        raise InputError(f"{paths[1]}: no such file; the references for {pair} are {join_names(sorted(references))}")
    outputs = sorted((root / "system-outputs" / pair).glob("*.txt"))
    if not outputs:
        raise InputError(f"{root / 'system-outputs' / pair}: no outputs (SYSTEM.txt), expected a file a system")
    texts: dict[Path, Lines] = {path: read_lines(path) for path in (*paths, *outputs)}
    refuse_unequal(texts, paths[0])
    systems = {path.name.removesuffix(".txt"): texts[path] for path in outputs}
    return Texts(pair, texts[paths[0]], texts[paths[1]], systems)


def read_mt_documents(folder: PathLike, pair: str) -> Lines:
    """Read the document of each segment from documents/PAIR.docs: lines DOMAIN<TAB>DOCUMENT.

    Parameters
    ----------
    folder
        The folder.
    pair
        Language pair.

    Returns
    -------
    tuple of str
        Names of documents.

    Raises
    ------
    InputError
        With file and line: a line has another form.
    """
    path = Path(folder) / "documents" / f"{pair}.docs"
    documents = []
    for number, line in enumerate(read_lines(path), 1):
        fields = line.split()
        if len(fields) != 2:
            raise InputError(f"{path}:{number}: {pluralise(len(fields), 'field')}, expected 2 (DOMAIN DOCUMENT)")
        documents.append(fields[1])
    return tuple(documents)
