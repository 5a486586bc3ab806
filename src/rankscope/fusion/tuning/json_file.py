"""JSON files of trained fusions: `save_fusion`, `load_fusion`."""

from __future__ import annotations

import json
import math
import os
from typing import Any, NoReturn

import numpy as np

from rankscope._version import __version__
from rankscope.data.text import pluralise
from rankscope.errors import InputError, RankscopeError
from rankscope.fusion.methods import INVERTED, METHODS, weights_of_runs
from rankscope.fusion.normalisation import NORMALISATIONS, normalise_pool
from rankscope.fusion.pool import load_pool
from rankscope.fusion.supervised import LEVEL_ENDS, SEGMENT_ENDS, TRAINED
from rankscope.fusion.tuning.candidates import Candidate, validate_candidate
from rankscope.fusion.tuning.result import FoldChoice, TrainedFusion, TriedSetting
from rankscope.io.core import DamagedFile, refuse_devices, write_text
from rankscope.stats.inputs import is_real
from rankscope.typing import PathLike

__all__ = [
    "load_fusion",
    "save_fusion",
]


#: The kind of file, and its format version, which rises with every incompatible change.
FILE_KIND, FILE_FORM = "rankscope fusion", 1
#: Parameters that hold a list for each run, and the lengths of these; of ProbFuse by its setting, of others any.
LISTS = ("shares", "levels")
LENGTHS = {"bayes-fuse": LEVEL_ENDS.size, "seg-fuse": SEGMENT_ENDS.size}
EXPECTED = "expected parameters that `rankscope fuse --save-parameters` wrote"


def save_fusion(trained: TrainedFusion, path: PathLike) -> None:
    """Save a trained fusion as JSON (atomically).

    Parameters
    ----------
    trained
        What `train` returned.
    path
        File to write to.

    Raises
    ------
    OutputError
        The file cannot be written.

    Notes
    -----
    The file holds what was learned, the table of tuning, and the ids of the training queries, but not the cross-fitted
    run. The same fusion gives the same bytes.

    Examples
    --------
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
    content = {
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
        "signature": trained.settings_text,
        "cross_fitted_mean": trained.cross_fitted_mean,
        "runs_alone": trained.alone,
        "tried": [setting._asdict() for setting in trained.tried],
        "chosen_by_fold": [choice._asdict() for choice in trained.chosen],
        "notes": trained.notes,
        "queries": trained.queries,
    }
    write_text(path, format_json({key: without_nan(value) for key, value in content.items()}))


def without_nan(value: Any) -> Any:
    """The value with None for NaN, which JSON lacks."""
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def as_float(value: Any) -> float:
    return math.nan if value is None else float(value)


def format_json(content: dict[str, Any]) -> str:
    """JSON with a line for each key, and for each setting that was tried."""
    lines = []
    for key, value in content.items():
        if key in ("tried", "chosen_by_fold") or (key == "parameters" and value):
            items = value.items() if isinstance(value, dict) else value
            item_lines = [
                f"    {json.dumps(item[0])}: {json.dumps(item[1])}"
                if isinstance(value, dict)
                else f"    {json.dumps(item)}"
                for item in items
            ]
            opening, closing = "{}" if isinstance(value, dict) else "[]"
            lines.append(f"  {json.dumps(key)}: {opening}\n" + ",\n".join(item_lines) + f"\n  {closing}")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def load_fusion(path: PathLike) -> TrainedFusion:
    """Load a fusion that `save_fusion` wrote, to fuse other runs with it.

    Parameters
    ----------
    path
        File that `save_fusion` or `rankscope fuse --save-parameters` wrote.

    Returns
    -------
    TrainedFusion
        The fusion; its `cross_fitted` is None. It fuses runs as the saved one does.

    Raises
    ------
    InputError
        The file is damaged, was written by another program, or has a later format.

    Examples
    --------
    See `save_fusion`.
    """
    name = os.fspath(path)
    refuse_devices(name)
    try:
        with open(name, encoding="utf-8") as file:
            content = json.load(file, parse_constant=refuse_constant)
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error}), {EXPECTED}; check the path") from None
    except (ValueError, RecursionError) as error:
        refuse_file(name, f"is no JSON, or is cut off ({str(error).splitlines()[0][:120]})")
    if not isinstance(content, dict) or content.get("kind") != FILE_KIND:
        refuse_file(name, "is JSON of something else")
    if content.get("form") != FILE_FORM:
        raise InputError(
            f"{name}: its form is {content.get('form')!r} (rankscope {content.get('version')}), expected {FILE_FORM}, "
            f"which rankscope {__version__} reads; train it again, or take the version that wrote it"
        )
    try:
        return parse_fusion(content)
    except KeyError as error:
        refuse_file(name, f"is damaged ({error.args[0] if error.args else error!r} is missing)")
    except DamagedFile as error:
        refuse_file(name, f"is damaged ({error})")
    except Exception as error:  # any other content cannot fuse either
        refuse_file(name, f"is damaged ({(str(error) or type(error).__name__).splitlines()[0][:120]})")


def refuse_constant(text: str) -> NoReturn:
    """Refuse NaN and Infinity, which JSON does not have."""
    raise ValueError(f"{text} is no number")


def refuse_file(name: str, problem: str) -> NoReturn:
    """Raise InputError for a file of another form."""
    raise InputError(f"{name}: {problem}, {EXPECTED}; train it again") from None


def parse_fusion(content: dict[str, Any]) -> TrainedFusion:
    """The fusion of a file. Raises DamagedFile, KeyError and others for invalid content."""
    names, ids = parse_names(content, "runs"), parse_names(content, "queries")
    method, normalise = content["method"], content["normalise"]
    if method not in (*METHODS, *TRAINED):
        raise DamagedFile(f"{method!r} is no method")
    if normalise not in NORMALISATIONS:
        raise DamagedFile(f"{normalise!r} is no normalisation")
    if not names or not isinstance(content["parameters"], dict) or not isinstance(content["setting"], dict):
        raise DamagedFile("runs or parameters are missing")
    trained = TrainedFusion(
        method=method,
        normalise=normalise,
        setting=content["setting"],
        parameters=content["parameters"],
        runs=names,
        queries=ids,
        measure=str(content["measure"]),
        higher_is_better=bool(content["higher_is_better"]),
        settings_text=str(content["signature"]),
        tried=tuple(
            TriedSetting(str(setting["name"]), as_float(setting["mean"]), tuple(map(as_float, setting["values"])))
            for setting in content["tried"]
        ),
        chosen=tuple(
            FoldChoice(str(choice["name"]), int(choice["queries"]), as_float(choice["value"]))
            for choice in content["chosen_by_fold"]
        ),
        cross_fitted_mean=as_float(content["cross_fitted_mean"]),
        alone=tuple(map(as_float, content["runs_alone"])),
        notes=parse_names(content, "notes"),
    )
    if len(trained.alone) != len(names) or trained.name not in [setting.name for setting in trained.tried]:
        raise DamagedFile("what was tried does not fit what was chosen")
    check_use(trained)
    return trained


def parse_names(content: dict[str, Any], key: str) -> tuple[str, ...]:
    if not isinstance(content[key], list) or not all(isinstance(item, str) for item in content[key]):
        raise DamagedFile(f"{key} is not a list of names")
    return tuple(content[key])


def check_use(trained: TrainedFusion) -> None:
    """Check that the fusion works, by fusing lists of one document."""
    runs = [{"query": {"document": 1.0}}] * len(trained.runs)
    try:
        validate_candidate(Candidate(trained.method, trained.normalise, trained.setting), len(runs))
        check_learned(trained)
        names, _, pool = load_pool(runs, inverted=trained.normalise == INVERTED)
        normalisation = "min-max" if trained.normalise == "max" else trained.normalise  # max needs scores above 0
        scores = trained.candidate.fuse(pool, trained.parameters, normalise_pool(pool, normalisation, names))
    except RankscopeError as error:
        raise DamagedFile(str(error)) from None
    if scores.shape != (1,) or not np.isfinite(scores).all():
        raise DamagedFile("its parameters give no scores")


def check_learned(trained: TrainedFusion) -> None:
    """Raise DamagedFile for parameters that would fuse only some lists, ParameterError for weights."""
    n_runs, size = len(trained.runs), LENGTHS.get(trained.method, trained.setting.get("segments"))
    if not trained.candidate.learns and trained.parameters != trained.setting:
        raise DamagedFile("its parameters are not those of its setting")
    for name, value in trained.parameters.items():
        value_lists = value if name in LISTS else [value if isinstance(value, list) else [value]]
        if not isinstance(value_lists, list) or not all(isinstance(values, list) for values in value_lists):
            raise DamagedFile(f"{name} are no lists")
        if not all(is_real(number) and math.isfinite(number) for values in value_lists for number in values):
            raise DamagedFile(f"{name} holds what is no finite number")
        if name == "weights":
            weights_of_runs(value, n_runs)
        elif isinstance(value, list) and len(value) != n_runs:
            raise DamagedFile(f"{name} of {pluralise(len(value), 'run')}, expected {n_runs}")
        if name in LISTS and size is not None and any(len(values) != size for values in value_lists):
            raise DamagedFile(f"{name} has lists that are not {size} long")
