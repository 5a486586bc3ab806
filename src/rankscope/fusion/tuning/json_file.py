"""Learned fusions as JSON files."""

from __future__ import annotations

import json
import math
import os
from typing import Any, NoReturn

import numpy as np

from rankscope._version import __version__
from rankscope.data.text import pluralise
from rankscope.errors import InputError, RankscopeError
from rankscope.fusion.methods import INVERTED, METHODS, parse_weights
from rankscope.fusion.normalisation import NORMALISATIONS, normalise_pool
from rankscope.fusion.pool import load_pool
from rankscope.fusion.supervised import LEVEL_ENDS, SEGMENT_ENDS, TRAINED
from rankscope.fusion.tuning.candidates import Candidate, validate_candidate
from rankscope.fusion.tuning.result import FoldChoice, TrainedFusion, TriedSetting
from rankscope.io.core import refuse_devices, write_text
from rankscope.stats.inputs import is_real
from rankscope.typing import PathLike

__all__ = [
    "load_fusion",
    "save_fusion",
]


#: What the file is, and in which form; a form that changes what a file means gets another number.
FILE_KIND, FILE_FORM = "rankscope fusion", 1
#: What is a list of each run, and how long that is; of ProbFuse as its setting says, of others as it may be.
LISTS = ("shares", "levels")
LENGTHS = {"bayes-fuse": LEVEL_ENDS.size, "seg-fuse": SEGMENT_ENDS.size}
EXPECTED = "expected parameters that `rankscope fuse --save-parameters` wrote"


def save_fusion(trained: TrainedFusion, path: PathLike) -> None:
    """Write a learned fusion as JSON, whole or not at all: what was learned, the table of tuning, and the ids of the
    queries that it was learned from. The cross-fitted run is not in it.

    The same fusion gives the same bytes. Raises OutputError where it cannot be written.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import rankscope as rs
    >>> runs = [{f"q{i}": {"a": 3.0, "b": 2.0} for i in range(3)}, {f"q{i}": {"b": 3.0, "c": 2.0} for i in range(3)}]
    >>> trained = rs.fusion.train({f"q{i}": {"b": 1} for i in range(3)}, runs, "map-fuse", folds=3)
    >>> with TemporaryDirectory() as folder:
    ...     rs.fusion.save_fusion(trained, Path(folder, "my.json"))
    ...     again = rs.fusion.load_fusion(Path(folder, "my.json"))
    >>> again.parameters == trained.parameters
    True
    """
    about = {
        "kind": FILE_KIND,
        "form": FILE_FORM,
        "version": __version__,
        "method": trained.method,
        "normalise": trained.normalise,
        "setting": trained.setting,
        "parameters": trained.parameters,
        "runs": trained.runs,
        "measure": trained.measure,
        "higher_is_better": trained.higher_is_better,
        "signature": trained.settings,
        "cross_fitted_mean": trained.cross_fitted_mean,
        "runs_alone": trained.alone,
        "tried": [one._asdict() for one in trained.tried],
        "chosen_by_fold": [one._asdict() for one in trained.chosen],
        "notes": trained.notes,
        "queries": trained.queries,
    }
    write_text(path, format_json({key: without_nan(value) for key, value in about.items()}))


def without_nan(value: Any) -> Any:
    """NaN, which JSON does not have, as null."""
    if isinstance(value, dict):
        return {key: without_nan(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_nan(one) for one in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def as_float(value: Any) -> float:
    return math.nan if value is None else float(value)


def format_json(about: dict[str, Any]) -> str:
    """JSON with a line for each thing said, and for each setting that was tried."""
    lines = []
    for key, value in about.items():
        if key in ("tried", "chosen_by_fold") or (key == "parameters" and value):
            inner = value.items() if isinstance(value, dict) else value
            texts = [
                f"    {json.dumps(one[0])}: {json.dumps(one[1])}"
                if isinstance(value, dict)
                else f"    {json.dumps(one)}"
                for one in inner
            ]
            a, b = "{}" if isinstance(value, dict) else "[]"
            lines.append(f"  {json.dumps(key)}: {a}\n" + ",\n".join(texts) + f"\n  {b}")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def load_fusion(path: PathLike) -> TrainedFusion:
    """A fusion that `save_fusion` wrote, ready to fuse other runs: it gives what the one that was saved gives.

    Raises InputError for a file that is damaged, of another program or a later form. An example is at `save_fusion`.
    """
    name = os.fspath(path)
    refuse_devices(name)
    try:
        with open(name, encoding="utf-8") as file:
            about = json.load(file, parse_constant=refuse_constant)
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error}), {EXPECTED}; check the path") from None
    except (ValueError, RecursionError) as error:
        refuse_file(name, f"is no JSON, or is cut off ({str(error).splitlines()[0][:120]})")
    if not isinstance(about, dict) or about.get("kind") != FILE_KIND:
        refuse_file(name, "is JSON of something else")
    if about.get("form") != FILE_FORM:
        raise InputError(
            f"{name}: its form is {about.get('form')!r} (rankscope {about.get('version')}), expected {FILE_FORM}, "
            f"which rankscope {__version__} reads; train it again, or take the version that wrote it"
        )
    try:
        return parse_fusion(about)
    except KeyError as error:
        refuse_file(name, f"is damaged ({error.args[0] if error.args else error!r} is missing)")
    except DamagedFusion as error:
        refuse_file(name, f"is damaged ({error})")
    except Exception as error:  # whatever it holds, it is nothing that can fuse
        refuse_file(name, f"is damaged ({(str(error) or type(error).__name__).splitlines()[0][:120]})")


class DamagedFusion(Exception):
    """What does not fit."""


def refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def refuse_file(name: str, why: str) -> NoReturn:
    raise InputError(f"{name}: {why}, {EXPECTED}; train it again") from None


def parse_fusion(about: dict[str, Any]) -> TrainedFusion:
    """Raises Damaged, KeyError and others for what does not fit."""
    names, ids = texts_of(about, "runs"), texts_of(about, "queries")
    method, normalise = about["method"], about["normalise"]
    if method not in (*METHODS, *TRAINED):
        raise DamagedFusion(f"{method!r} is no method")
    if normalise not in NORMALISATIONS:
        raise DamagedFusion(f"{normalise!r} is no normalisation")
    if not names or not isinstance(about["parameters"], dict) or not isinstance(about["setting"], dict):
        raise DamagedFusion("runs or parameters are missing")
    found = TrainedFusion(
        method=method,
        normalise=normalise,
        setting=about["setting"],
        parameters=about["parameters"],
        runs=names,
        queries=ids,
        measure=str(about["measure"]),
        higher_is_better=bool(about["higher_is_better"]),
        settings=str(about["signature"]),
        tried=tuple(
            TriedSetting(str(one["name"]), as_float(one["mean"]), tuple(map(as_float, one["values"])))
            for one in about["tried"]
        ),
        chosen=tuple(
            FoldChoice(str(one["name"]), int(one["queries"]), as_float(one["value"])) for one in about["chosen_by_fold"]
        ),
        cross_fitted_mean=as_float(about["cross_fitted_mean"]),
        alone=tuple(map(as_float, about["runs_alone"])),
        notes=texts_of(about, "notes"),
    )
    if len(found.alone) != len(names) or found.name not in [one.name for one in found.tried]:
        raise DamagedFusion("what was tried does not fit what was chosen")
    check_use(found)
    return found


def texts_of(about: dict[str, Any], key: str) -> tuple[str, ...]:
    if not isinstance(about[key], list) or not all(isinstance(one, str) for one in about[key]):
        raise DamagedFusion(f"{key} is no list of names")
    return tuple(about[key])


def check_use(trained: TrainedFusion) -> None:
    """Fuse lists of one document, to see now whether that can be done."""
    runs = [{"query": {"document": 1.0}}] * len(trained.runs)
    try:
        validate_candidate(Candidate(trained.method, trained.normalise, trained.setting), len(runs))
        check_learned(trained)
        names, _, pool = load_pool(runs, inverted=trained.normalise == INVERTED)
        how = "min-max" if trained.normalise == "max" else trained.normalise  # of 1, -1 or anything else
        scores = trained.candidate.fuse(pool, trained.parameters, normalise_pool(pool, how, names))
    except RankscopeError as error:
        raise DamagedFusion(str(error)) from None
    if scores.shape != (1,) or not np.isfinite(scores).all():
        raise DamagedFusion("its parameters give no scores")


def check_learned(trained: TrainedFusion) -> None:
    """Raises Damaged for parameters that would fuse some lists and not others, ParameterError for weights."""
    runs, size = len(trained.runs), LENGTHS.get(trained.method, trained.setting.get("segments"))
    if not trained.candidate.learns and trained.parameters != trained.setting:
        raise DamagedFusion("its parameters are not those of its setting")
    for name, value in trained.parameters.items():
        lines = value if name in LISTS else [value if isinstance(value, list) else [value]]
        if not isinstance(lines, list) or not all(isinstance(line, list) for line in lines):
            raise DamagedFusion(f"{name} are no lists")
        if not all(is_real(one) and math.isfinite(one) for line in lines for one in line):
            raise DamagedFusion(f"{name} holds what is no finite number")
        if name == "weights":
            parse_weights(value, runs)
        elif isinstance(value, list) and len(value) != runs:
            raise DamagedFusion(f"{name} of {pluralise(len(value), 'run')}, expected {runs}")
        if name in LISTS and size is not None and any(len(line) != size for line in lines):
            raise DamagedFusion(f"{name} has lists that are not {size} long")
