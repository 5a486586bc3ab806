"""Models as safetensors files, checked before use; loading runs no code from the file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from rankscope._version import __version__
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import DamagedFile, write_chunks
from rankscope.learning.optional_libraries import NotInstalled, load_safetensors
from rankscope.measures.base import Measure
from rankscope.registry import LazyRegistry
from rankscope.typing import PathLike

__all__ = [
    "KINDS",
    "arrays_under",
    "check_saving",
    "checked_array",
    "feature_names_in",
    "json_parameter",
    "load_ranker",
    "parts_of",
    "ranks_in",
    "rebuild_ranker",
    "save_ranker",
]


def checked_array(arrays: Mapping[str, Any], name: str, shape: tuple[int | None, ...], dtype: str) -> Any:
    """The array of this name. shape: None for any length. Raises DamagedFile for another shape or type and for numbers
    that are not finite, KeyError where it is missing.
    """
    array = arrays[name]
    fits_shape = len(array.shape) == len(shape) and all(
        expected_size in (None, size) for size, expected_size in zip(array.shape, shape, strict=True)
    )
    if not fits_shape or array.dtype != dtype:
        raise DamagedFile(f"{name} is {array.dtype} of shape {array.shape}, expected {dtype} of {shape}")
    if not np.isfinite(array).all():
        raise DamagedFile(f"{name} holds what is no finite number")
    return array


def feature_names_in(header: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the features. Raises DamagedFile where they are no unique names."""
    names = tuple(header["features"])
    all_text = isinstance(header["features"], list) and all(isinstance(name, str) for name in names)
    if not all_text or not names or len(set(names)) != len(names):
        raise DamagedFile("its features have no names of their own")
    return names


def ranks_in(header: Mapping[str, Any]) -> bool:
    """Whether the ranker sees ranks within lists; False where the file has no entry. Raises DamagedFile."""
    ranks = header.get("ranks", False)
    if not isinstance(ranks, bool):
        raise DamagedFile(f"ranks is {ranks!r}, expected true or false")
    return ranks


def arrays_under(arrays: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The arrays whose names begin with the prefix, without it: those of one ranker of a blend."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def json_parameter(value: Any) -> Any:
    """A parameter for JSON: measures and functions by their names, a random generator as None."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.random.Generator):
        return None
    if isinstance(value, (list, tuple)):
        return [json_parameter(item) for item in value]
    if callable(value) and not isinstance(value, Measure):
        return getattr(value, "__name__", type(value).__name__)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


#: The entries of the file that hold our JSON header, and the version of its format.
METADATA, KEY, FORM = "__metadata__", "rankscope", 2
#: The number of bytes before the header, which hold its length.
PREFIX = 8
#: Every kind of ranker and the module that saves and loads it. Files without a kind are networks.
KINDS: Mapping[str, Any] = LazyRegistry(
    {
        "network": "rankscope.learning.model_files.network",
        "trees": "rankscope.learning.model_files.trees",
        "blend": "rankscope.learning.model_files.blend",
        "torch": "rankscope.learning.torch.model_file",
    }
)


def check_saving() -> None:
    """Raise ParameterError now rather than after training where models cannot be saved."""
    load_safetensors()


def save_ranker(ranker: Any, path: PathLike, *, signature: str = "") -> None:
    """Save a trained ranker to a file (atomically).

    Parameters
    ----------
    ranker
        A trained `Ranker`, `TorchRanker` or `Blend`.
    path
        The file, in the format safetensors.
    signature
        A text for readers of the file.

    Raises
    ------
    ParameterError
        The ranker is not fitted, or the extra `learn` is not installed.
    OutputError
        The file cannot be written.

    Notes
    -----
    The same ranker gives the same bytes. The parameters are those of the training, whatever `set_params` changed later.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from rankscope.learning import Ranker
    >>> ranker = Ranker(hidden=()).fit([[0.9], [0.1]], [1, 0], qid=["q", "q"])
    >>> with TemporaryDirectory() as folder:
    ...     save_ranker(ranker, Path(folder, "my.model"))
    ...     again = load_ranker(Path(folder, "my.model"))
    >>> bool((again.predict([[0.5], [0.2]]) == ranker.predict([[0.5], [0.2]])).all())
    True
    """
    library = load_safetensors()
    ranker_header, arrays = parts_of(ranker)
    header = {"form": FORM, "version": __version__, "signature": signature, **ranker_header}
    write_chunks(path, [library.save(arrays, metadata={KEY: json.dumps(header)})])


def parts_of(ranker: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The JSON header with the kind, and the arrays by name. Raises ParameterError as `save_ranker`."""
    if not ranker.__sklearn_is_fitted__():
        raise ParameterError(f"this {type(ranker).__name__} is not fitted; call fit first")
    ranker_header, arrays = KINDS[ranker.kind].to_parts(ranker)
    return {"kind": ranker.kind, **ranker_header}, arrays


def load_ranker(path: PathLike) -> Any:
    """Load a ranker that `save_ranker` wrote; its scores are those of the saved one, bit for bit.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Ranker, TorchRanker or Blend
        The trained ranker.

    Raises
    ------
    InputError
        The file is damaged or not such a model.
    ParameterError
        The extra `learn` is not installed.

    Notes
    -----
    Nothing in the file is executed, whoever wrote it. A ranker that was trained by a measure that is not defined here
    predicts all the same.

    Examples
    --------
    See `save_ranker`.
    """
    library = load_safetensors()
    name = os.fspath(path)
    content = read_content(name)
    try:
        end = PREFIX + int.from_bytes(content[:PREFIX], "little")
        header = json.loads(json.loads(content[PREFIX:end])[METADATA][KEY])
        if header["form"] != FORM:
            raise DamagedFile(f"its form is {header['form']!r}, and this version of rankscope reads {FORM}")
        return rebuild_ranker(header, library.load(content))
    except NotInstalled:
        raise
    except KeyError as error:
        if error.args and error.args[0] in (METADATA, KEY):
            refuse_file(name, "is a safetensors file of another program")
        refuse_file(name, f"is damaged ({error.args[0]!r} is missing)")
    except DamagedFile as error:
        refuse_file(name, f"is damaged ({error})")
    except Exception as error:  # any other error: the bytes are no model
        reason = (str(error) or type(error).__name__).splitlines()[0]
        refuse_file(name, f"is damaged or cut off ({reason[:120]})")


def refuse_file(name: str, problem: str, advice: str = "train it again") -> NoReturn:
    raise InputError(f"{name}: {problem}, expected a model that `rankscope train` wrote; {advice}") from None


def read_content(name: str) -> bytes:
    """The bytes of a file that begins as a model does. Raises InputError for others, before all is read."""
    try:
        with open(name, "rb") as file:
            head = file.read(PREFIX + 1)
            size = os.fstat(file.fileno()).st_size
            if head[PREFIX:] != b"{" or int.from_bytes(head[:PREFIX], "little") > max(size - PREFIX, 0):
                if not head:
                    refuse_file(name, "is empty")
                refuse_file(name, "is no model, or is cut off", "name the model first, or train it again")
            return head + file.read()
    except OSError as error:
        raise InputError(
            f"{name}: cannot be read ({error.strerror or error}), expected a model that `rankscope train` wrote; check "
            "the path"
        ) from None


def rebuild_ranker(header: dict[str, Any], arrays: dict[str, Any]) -> Any:
    """The ranker from its header and arrays. Raises DamagedFile, KeyError and others for content that does not fit."""
    kind = header.get("kind", "network")
    if kind not in KINDS:
        raise DamagedFile(f"its kind is {kind!r}, expected one of {', '.join(KINDS)}")
    return KINDS[kind].from_parts(header, arrays)
