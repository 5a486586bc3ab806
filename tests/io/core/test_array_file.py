"""Files of named arrays: what is written is read, and what is cut off, changed or of another kind is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankscope.errors import InputError
from rankscope.io.core import DamagedFile, load_arrays, pack_arrays, read_arrays, unpack_arrays, write_arrays

MAGIC = b"rankscope test 1\n"
ARRAYS = {
    "table": np.arange(12.0).reshape(3, 4),
    "turned": np.arange(12.0).reshape(3, 4).T,
    "every second": np.arange(10)[::2],
    "one number": np.array(2.5, np.float32),
    "none": np.zeros((0, 3)),
    "truths": np.array([True, False]),
    "texts": np.array(["a", "längerer"]),
    "no texts": np.array([], np.str_),
}


def test_arrays_of_any_shape_and_type_come_back(tmp_path: Path) -> None:
    write_arrays(tmp_path / "a", MAGIC, ARRAYS)
    read = read_arrays(tmp_path / "a", MAGIC)
    assert list(read) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert (read[name].dtype, read[name].shape) == (array.dtype, array.shape)
        assert read[name].tolist() == array.tolist()
        assert read[name].flags.aligned
        assert read[name].flags.writeable


def test_the_description_comes_back_and_equal_arguments_give_equal_bytes() -> None:
    content = b"".join(pack_arrays(MAGIC, {"order": 3, "notes": ["a"]}, ARRAYS))
    about, arrays = unpack_arrays(MAGIC, content)
    assert (about["order"], about["notes"], list(arrays)) == (3, ["a"], list(ARRAYS))
    assert b"".join(pack_arrays(MAGIC, {"order": 3, "notes": ["a"]}, ARRAYS)) == content


def test_arrays_lie_at_multiples_of_64_bytes_and_are_little_endian() -> None:
    big = np.array([1, 2, 3], ">i4")
    content = b"".join(pack_arrays(MAGIC, {}, {"short": np.arange(3, dtype=np.int8), "big": big}))
    buffer = np.frombuffer(content, np.uint8)
    _, arrays = unpack_arrays(MAGIC, buffer.data)
    places = [array.__array_interface__["data"][0] - buffer.__array_interface__["data"][0] for array in arrays.values()]
    assert [place % 64 for place in places] == [0, 0]
    assert places[1] == len(content) - 64
    assert (arrays["big"].dtype, arrays["big"].tolist()) == (np.dtype("<i4"), [1, 2, 3])


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (DamagedFile("its words"), "its words"),
        (KeyError("keys.2"), "'keys.2' is missing"),
        (ValueError("first\nsecond"), "first"),
        (TypeError(), "TypeError"),
        (ValueError("x" * 500), "x" * 120),
    ],
)
def test_what_an_object_cannot_be_built_from_is_damage_in_one_line(error: Exception, problem: str) -> None:
    def build(about: object, arrays: object) -> None:
        raise error

    content = b"".join(pack_arrays(MAGIC, {}, {}))
    with pytest.raises(InputError) as caught:
        load_arrays(MAGIC, content, build, lambda text: InputError(f"m: damaged ({text})"))
    assert str(caught.value) == f"m: damaged ({problem})"


def test_no_change_of_a_byte_goes_unnoticed(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_arrays(path, MAGIC, {"x": np.arange(2.0), "y": np.arange(3)})
    whole = path.read_bytes()
    changes = [whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1 :] for i in range(len(whole))]
    for content in [*changes, *(whole[:i] for i in range(len(whole))), whole + b"\0"]:
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"a: is damaged \(.+\); remove this file"):
            read_arrays(path, MAGIC)


def test_another_kind_and_another_layout_are_told_apart() -> None:
    content = b"".join(pack_arrays(MAGIC, {}, {"x": np.arange(2.0)}))
    with pytest.raises(DamagedFile, match="first bytes"):
        unpack_arrays(b"rankscope other 1\n", content)
    with pytest.raises(DamagedFile, match="form is not 2"):
        unpack_arrays(b"rankscope test 2\n", content)


def test_python_objects_are_neither_written_nor_read(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        write_arrays(tmp_path / "a", MAGIC, {"x": np.array([object()])})
    assert not list(tmp_path.iterdir())
