"""Tables of labels: formats, names of columns, text and numbers, clusters and weights. What is refused: tests/cli."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.errors import InputError, RankscopeError
from rankscope.io.tables import find_label, labels_of_frame, read_label_table
from rankscope.io.tables.labels import labels_as_numbers


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
    assert list(read_label_table(written(content)).labels.values()) == [["a", "b"], ["b", "b"]]


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        (["10", "9"], [10, 9]),
        (["0.5", "-1"], [0.5, -1]),
        (["1.0", "1", "+1"], [1, 1, 1]),
        (["0.50", ".5", "-0", "2."], [0.5, 0.5, 0, 2]),
        (["007", "7"], ["007", "7"]),  # an id or a code
        (["1e3", "1000"], ["1e3", "1000"]),  # may be a code, too
        (["1234567890123456", "1"], ["1234567890123456", "1"]),  # no float64 tells all of those apart
        ([".", "1"], [".", "1"]),
        (["1", "one"], ["1", "one"]),
        (["nan", "1"], ["nan", "1"]),
    ],
)
def test_labels_are_numbers_only_where_all_of_them_are_and_text_otherwise(written, labels, found):
    content = "true,predicted\n" + "".join(f"{label},{labels[0]}\n" for label in labels)
    assert read_label_table(written(content)).labels["true"] == found


def test_a_number_written_in_two_ways_is_one_label_beside_text_too(written):
    found = read_label_table(written("true,predicted\n1,1.0\nunclear,unclear\n0.5,0.50\n+2,+2\n")).labels
    assert found["true"] == found["predicted"] == ["1", "unclear", "0.5", "+2"]


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=20), st.integers(1, 3), st.booleans())
def test_how_numbers_are_written_changes_nothing(numbers, digits, text):
    labels = [n / 4 for n in numbers]
    true, predicted = labels_as_numbers(
        [[f"{x:.4f}" for x in labels] + ["?"] * text, [repr(x) for x in labels] + ["?"] * text]
    )
    assert true == predicted
    assert text or true == labels


@pytest.mark.parametrize(
    ("asked", "known", "found"),
    [
        ("1.0", [0, 1], 1),
        (".5", [0.5, 1], 0.5),
        ("1.0", ["1", "?"], "1"),
        ("1.0", ["1", "1.0"], "1.0"),
        ("yes", ["no", "yes"], "yes"),
        ("007", [7, 8], "007"),
        ("0.00001", [0.00001, 1.0], 0.00001),
        ("True", [False, True], True),
    ],
)
def test_a_label_is_found_however_it_is_written(asked, known, found):
    assert find_label(asked, known) == found
    assert type(find_label(asked, known)) is type(found)


@pytest.mark.parametrize("content", ["", "\n\n", "#", "# a\n#b\n", "# a\n\n"])
def test_nothing_in_a_file_is_said_and_ends(written, content):
    with pytest.raises(InputError, match=r"empty|comments only"):
        read_label_table(written(content))


JUDGED = "item,alice,bob,gpt4\n1,yes,no,yes\n2,,no,yes\n3,1,1.0,+1\n"


def test_labels_of_raters_keep_their_gaps(written):
    assert read_label_table(written(JUDGED), ["bob", "alice"]).labels == {
        "bob": ["no", "no", "1"],
        "alice": ["yes", None, "1"],
    }
    numbers = written('{"a": 1, "b": 2.5}\n{"a": null, "b": 1}\n')
    assert read_label_table(numbers, ["a", "b"]).labels == {"a": [1, None], "b": [2.5, 1]}


def test_clusters_and_weights_are_found_by_name_or_named(written):
    content = "cluster,weight,doc,alice,bob\na,1,x,yes,no\na,2.5,y,no,no\n"
    found = read_label_table(written(content), ["alice", "bob"])
    assert (found.clusters, found.weights.tolist()) == (["a", "a"], [1.0, 2.5])
    assert read_label_table(written(content), ["alice", "bob"], {"cluster": "doc"}).clusters == ["x", "y"]
    assert read_label_table(written(JUDGED), ["alice", "bob"]).clusters is None
    frame = labels_of_frame(pl.read_csv(written(content)), ["alice", "bob"], None)
    assert (frame.clusters, frame.weights.tolist(), frame.labels) == (["a", "a"], [1.0, 2.5], found.labels)


@pytest.mark.parametrize(
    ("content", "raters", "columns", "message"),
    [
        (JUDGED, ["carol"], {}, r"labels:1: no column 'carol', .* 'item', 'alice', 'bob', 'gpt4'"),
        (JUDGED, None, {}, r"labels:1: no columns of true and predicted labels among 'item', .* --raters \(raters=\)"),
        (
            JUDGED,
            ["bob"],
            {"cluster": "x"},
            r"labels:1: no column 'x', which columns \(--columns\) names, among 'item'",
        ),
        (JUDGED, ["bob"], {"true": "bob"}, r"columns \(--columns\) has 'true', expected some of cluster and weight"),
        (JUDGED, ["alice", "bob"], {"cluster": "bob"}, "labels:1: 'bob' is the cluster of items and a rater"),
        (JUDGED, ["bob", "gpt4"], {"cluster": "alice"}, "labels:3: alice is empty, expected an id"),
        (JUDGED, ["bob", "gpt4"], {"weight": "alice"}, "labels:2: alice is 'yes', expected a number above 0"),
        ("weight,a,b\n1,x,y\n0,x,y\n", ["a", "b"], {}, "labels:3: the weight is 0, expected a number above 0"),
        ("weight,a,b\n1,x,y\n,x,y\n", ["a", "b"], {}, "labels:3: weight is empty, expected a number above 0"),
    ],
)
def test_wrong_columns_are_refused_with_file_and_line(written, content, raters, columns, message):
    with pytest.raises(RankscopeError, match=message):
        read_label_table(written(content), raters, columns)


def test_an_infinite_label_is_refused_and_an_index_without_a_name_is_not(written):
    path = written("")
    pl.DataFrame({"true": [1.0, float("inf")], "predicted": [1.0, 2.0]}).write_parquet(path)
    with pytest.raises(InputError, match="labels: row 1: true is inf"):
        read_label_table(path)
    found = read_label_table(written(",true,predicted\n0,a,b\n1,b,b\n"))
    assert found.labels == {"true": ["a", "b"], "predicted": ["b", "b"]}
