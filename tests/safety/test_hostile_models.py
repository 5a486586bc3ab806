"""Models, parameters and tables that somebody made to break their reader: each is refused in one line, or harmless."""

from __future__ import annotations

import copy
import itertools
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankscope as rs
from rankscope.io.core import header_struct, pack_arrays, unpack_arrays
from rankscope.learning import Blend, Ranker, load_ranker, save_ranker
from rankscope.translation import load_lexicon, save_lexicon, train_language_model, train_lexicon
from rankscope.translation.language_model import LANGUAGE_MODEL_MAGIC as MODEL_MAGIC
from rankscope.translation.language_model.model_files import compact_chunks, read_compact
from rankscope.translation.lexicon import LEXICON_MAGIC

safetensors = pytest.importorskip("safetensors.numpy", reason="safetensors is not installed; models need it")

RNG = np.random.default_rng(2)
X, Y, QID = RNG.normal(size=(24, 3)), RNG.integers(0, 3, 24), np.repeat(np.arange(3), 8)
#: What may stand in the place of any value of JSON.
VALUES: list[Any] = [
    None, True, -1, 0, 10**9, 2**63, -(10**400), 1e308, float("inf"), float("nan"), "", "\x00", "../../etc/passwd",
    "__import__('os').abort()", [], [[]], {}, {"a": 1}, [None], [1] * 40, [10**30], ["a", "a"],
]  # fmt: skip


def small_trees() -> Ranker:
    pytest.importorskip("lightgbm", reason="lightgbm is not installed; trees need it")
    return Ranker("lambdamart(trees=3, leaves=3, min_documents=1)").fit(X, Y, QID)


def small_blend() -> Blend:
    parts = {"one": Ranker(hidden=(), epochs=1), "two": Ranker(hidden=(2,), epochs=1)}
    return Blend(parts).fit(X, Y, QID)


KINDS: dict[str, Callable[[], Any]] = {
    "network": lambda: Ranker(hidden=(2,), epochs=2).fit(X, Y, QID),
    "trees": small_trees,
    "blend": small_blend,
}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where values of JSON stand; of long lists the first two."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*path, key))


def with_value(about: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    found = copy.deepcopy(about)
    at = found
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return found


def strange_arrays(array: np.ndarray) -> Iterator[np.ndarray]:
    """Of other shapes and types, and with values that no model has, everywhere or in one place."""
    yield from (array[:0], array[None], np.concatenate([array, array]), array.astype("float16"), array.astype("int64"))
    if array.dtype.kind == "f":
        values: list[float] = [np.nan, np.inf, -np.inf, float(np.finfo(array.dtype).max), -1.0, 0.0, 1e-310]
    else:
        values = [np.iinfo(array.dtype).min, np.iinfo(array.dtype).max, 0, 1, 5]
    for value in values:
        for where in (..., (0,) * array.ndim, (-1,) * array.ndim):
            found = array.copy()
            found[where] = value
            yield found


def taken_apart(content: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    size = int.from_bytes(content[:8], "little")
    return json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["rankscope"]), safetensors.load(content)


def changed_models(kind: str, path: Path) -> Iterator[bytes]:
    """The model with one thing changed: each value of its header, each array."""
    save_ranker(KINDS[kind](), path)
    about, arrays = taken_apart(path.read_bytes())
    for place in places(about):
        for value in VALUES:
            yield safetensors.save(arrays, metadata={"rankscope": json.dumps(with_value(about, place, value))})
    for name in sorted(arrays):
        for array in strange_arrays(arrays[name]):
            changed = {**arrays, name: np.ascontiguousarray(array)}
            yield safetensors.save(changed, metadata={"rankscope": json.dumps(about)})


def in_one_line(error: Exception) -> None:
    assert "\n" not in str(error)


def tried(path: Path, content: bytes) -> bool:
    """Whether it was taken for a model; then its scores are finite numbers, or it says that they are none."""
    path.write_bytes(content)
    try:
        ranker = load_ranker(path)
    except rs.RankscopeError as error:
        in_one_line(error)
        return False
    try:
        scores = ranker.predict(X, qid=QID)
    except rs.RankscopeError as error:
        in_one_line(error)
    else:
        assert np.isfinite(scores).all()
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_with_anything_changed_is_refused_or_scores_with_numbers(tmp_path: Path, kind: str) -> None:
    """Every 43rd change; all of them in the slow one."""
    some = itertools.islice(changed_models(kind, tmp_path / "m"), 0, None, 43)
    taken = [tried(tmp_path / "m", content) for content in some]
    assert any(taken)
    assert not all(taken)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_model_with_any_change_at_all(tmp_path: Path, kind: str) -> None:
    taken = [tried(tmp_path / "m", content) for content in changed_models(kind, tmp_path / "m")]
    assert 0 < sum(taken) < len(taken)


def forest_with(path: Path, **arrays: Any) -> Path:
    about, found = taken_apart(path.read_bytes())
    changed = {name: np.asarray(value, found[name].dtype) for name, value in arrays.items()}
    path.write_bytes(safetensors.save({**found, **changed}, metadata={"rankscope": json.dumps(about)}))
    return path


def test_trees_that_go_in_circles_or_out_of_the_forest_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "m"
    save_ranker(small_trees(), path)
    good = path.read_bytes()
    _, arrays = taken_apart(good)
    children = arrays["children.0"]
    n = len(children)
    inner = int(np.flatnonzero(children[:, 0] != np.arange(n))[0])
    leaf = int(np.flatnonzero(children[:, 0] == np.arange(n))[0])
    for node, pair in (
        (inner, (inner, inner + 1)),  # to itself on one side
        (leaf, (0, 0)),  # back to the root
        (leaf, (leaf, 0)),
        (inner, (n, n)),
        (inner, (-1, inner + 1)),
        (inner, (np.iinfo(np.int32).max, np.iinfo(np.int32).min)),
    ):
        path.write_bytes(good)
        wrong = children.copy()
        wrong[node] = pair
        with pytest.raises(rs.InputError, match=r"children\.0 .*node"):
            load_ranker(forest_with(path, **{"children.0": wrong}))
    for name, value in (("feature.0", 3), ("feature.0", -1), ("roots.0", n), ("roots.0", -1)):
        path.write_bytes(good)
        with pytest.raises(rs.InputError, match=rf"{name} is not below"):
            load_ranker(forest_with(path, **{name: np.full_like(arrays[name], value)}))


def raw(header: Mapping[str, Any] | bytes, data: bytes = b"", length: int | None = None) -> bytes:
    """The bytes of a safetensors file, whatever they say."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


META = {"__metadata__": {"rankscope": json.dumps({"form": 1})}}
LARGE = [1 << 20, 1 << 20, 1 << 20]
HEADERS = {
    "a header of 2**63 bytes": raw(META, length=1 << 63),
    "a header of 2**64 - 1 bytes": raw(META, length=(1 << 64) - 1),
    "a header longer than the file": raw(META, length=10_000),
    "a shape of 2**60": raw({**META, "w": {"dtype": "F32", "shape": LARGE, "data_offsets": [0, 4]}}, bytes(4)),
    "a shape that overflows": raw({**META, "w": {"dtype": "F32", "shape": [1 << 62] * 4, "data_offsets": [0, 4]}}),
    "a negative size": raw({**META, "w": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}}, bytes(4)),
    "negative places": raw({**META, "w": {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}}, bytes(4)),
    "arrays that overlap": raw(
        {**META, **{k: {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]} for k in "vw"}}, bytes(8)
    ),
    "data beyond the file": raw({**META, "w": {"dtype": "F32", "shape": [9], "data_offsets": [0, 36]}}, bytes(4)),
    "an unknown type": raw({**META, "w": {"dtype": "OBJECT", "shape": [1], "data_offsets": [0, 8]}}, bytes(8)),
    "deep JSON": raw(b'{"a":' * 50_000 + b"1" + b"}" * 50_000),
    "deep JSON in our part": raw({"__metadata__": {"rankscope": '{"a":' * 50_000 + "1" + "}" * 50_000}}),
    "a blend of blends without end": raw(
        {"__metadata__": {"rankscope": '{"form":1,"kind":"blend","rankers":[' * 900 + "]}" * 900}}
    ),
    "a number of 10,000 digits": raw({"__metadata__": {"rankscope": '{"form":' + "9" * 10_000 + "}"}}),
    "no UTF-8": raw(b'{"__metadata__": {"rankscope": "\xff\xfe"}}'),
    "our part is a list": raw({"__metadata__": {"rankscope": "[]"}}),
    "no metadata": raw({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}, bytes(4)),
}


@pytest.mark.parametrize("what", HEADERS)
def test_a_header_that_lies_is_refused_in_one_line(tmp_path: Path, what: str) -> None:
    (tmp_path / "m").write_bytes(HEADERS[what])
    with pytest.raises(rs.InputError, match="`rankscope train`") as caught:
        load_ranker(tmp_path / "m")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(tmp_path))


def binary(magic: bytes, about: Mapping[str, Any], data: bytes) -> bytes:
    """A file of arrays whose header is whole, whatever it says."""
    header = json.dumps(about).encode()
    return header_struct(magic).pack(magic, len(header), zlib.crc32(header)) + header + data


def changed_binary(magic: bytes, content: bytes) -> Iterator[bytes]:
    about, arrays = unpack_arrays(magic, content)
    begin = header_struct(magic).size
    data = content[begin + int.from_bytes(content[len(magic) : len(magic) + 8], "little") :]
    for place in places(about):
        for value in (*VALUES, "<f8", "|O", "|V0", "<M8[s]", "<U1000000"):
            yield binary(magic, with_value(about, place, value), data)
    rest = {key: value for key, value in about.items() if key not in ("arrays", "version")}
    for name in sorted(arrays):
        for array in strange_arrays(arrays[name]):
            yield b"".join(pack_arrays(magic, rest, {**arrays, name: np.ascontiguousarray(array).ravel()}))


SENTENCES = ["das haus ist klein", "das buch ist alt", "ein haus"]


def test_a_language_model_with_anything_changed_is_refused_or_a_model(tmp_path: Path) -> None:
    model = train_language_model(SENTENCES, order=2)
    for content in changed_binary(MODEL_MAGIC, b"".join(compact_chunks(model))):
        try:
            found = read_compact(content, "some.lm")
        except rs.InputError as error:
            in_one_line(error)
        else:
            assert found.order >= 1
            assert "LanguageModel" in repr(found)


def test_a_lexicon_with_anything_changed_is_refused_or_a_lexicon(tmp_path: Path) -> None:
    path = tmp_path / "some.lexicon"
    save_lexicon(train_lexicon(SENTENCES, ["the house is small", "the book is old", "a house"]), path)
    for content in changed_binary(LEXICON_MAGIC, path.read_bytes()):
        path.write_bytes(content)
        try:
            found = load_lexicon(path)
        except rs.InputError as error:
            in_one_line(error)
        else:
            assert found.translations("haus") is not None


@pytest.mark.parametrize(
    ("method", "each"),
    [("map-fuse", 7), *(pytest.param(name, 1, marks=pytest.mark.slow) for name in rs.fusion.TRAINED)],
)
def test_parameters_of_a_fusion_with_anything_changed_fuse_or_are_refused(
    tmp_path: Path, method: str, each: int
) -> None:
    path = tmp_path / "f.json"
    qrels = {f"q{i}": {"b": 1} for i in range(3)}
    runs = [{q: {"a": 3.0, "b": 2.0} for q in qrels}, {q: {"b": 3.0, "c": 2.0} for q in qrels}]
    taken = refused = 0
    rs.fusion.save_fusion(rs.fusion.train(qrels, runs, method, folds=3), path)
    about = json.loads(path.read_text("utf-8"))
    for place, value in itertools.islice(itertools.product(list(places(about)), VALUES), 0, None, each):
        path.write_text(json.dumps(with_value(about, place, value)))
        try:
            found = rs.fusion.load_fusion(path).fuse(runs)
        except rs.RankscopeError as error:
            refused += 1
            in_one_line(error)
        else:
            taken += 1
            assert np.isfinite(found.frame()["score"].to_numpy()).all()
    assert min(taken, refused) > 0
    for text in ('{"kind":' * 50_000, "[" * 100_000, '{"kind": "rankscope fusion", "form": ' + "9" * 10_000 + "}"):
        path.write_text(text)
        with pytest.raises(rs.InputError, match="expected parameters that"):
            rs.fusion.load_fusion(path)
