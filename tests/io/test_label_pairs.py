"""Tables of true and predicted labels: formats, names of columns, text and numbers. What is refused: tests/cli."""

from __future__ import annotations

import pytest

from rankscope.errors import InputError
from rankscope.io.label_pairs import read_label_pairs


@pytest.fixture
def written(tmp_path):
    def write(content):
        path = tmp_path / "labels"
        path.write_text(content)
        return path

    return write


@pytest.mark.parametrize(
    "content",
    [
        "true,predicted\na,b\nb,b\n",
        "predicted,id,true\nb,1,a\nb,2,b\n",
        "True\tPredicted\na\tb\nb\tb\n",
        "\ufeffgold,pred\r\na,b\r\nb,b\r\n",
        "# judged by two\n\n\ny_true,y_pred\n a , b\nb,b\n",
        '{"true": "a", "predicted": "b"}\n{"predicted": "b", "true": "b"}\n',
        '"true","predicted"\n"a","b"\n"b","b"',
    ],
)
def test_one_table_in_many_forms(written, content):
    assert read_label_pairs(written(content)) == (["a", "b"], ["b", "b"])


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        (["10", "9"], [10, 9]),
        (["0.5", "-1"], [0.5, -1]),
        (["007", "7"], ["007", "7"]),  # an id or a code
        (["1.0", "1"], ["1.0", "1"]),
        (["1", "one"], ["1", "one"]),
        (["nan", "1"], ["nan", "1"]),
    ],
)
def test_text_is_taken_for_numbers_only_where_all_labels_are_plain_ones(written, labels, found):
    content = "true,predicted\n" + "".join(f"{label},{labels[0]}\n" for label in labels)
    assert read_label_pairs(written(content)).true == found


@pytest.mark.parametrize("content", ["", "\n\n", "#", "# a\n#b\n", "# a\n\n"])
def test_nothing_in_a_file_is_said_and_ends(written, content):
    with pytest.raises(InputError, match=r"the file is empty|comments only"):
        read_label_pairs(written(content))
