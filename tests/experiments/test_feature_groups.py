"""Groups of features by name: what a text names, and what is none."""

from __future__ import annotations

import pytest

from rankscope.errors import ParameterError, UnknownName
from rankscope.experiments.ablation import feature_groups, parse_group

NAMES = ("title_tf", "title_idf", "url", "age")
NUMBERS = tuple(str(i) for i in range(1, 12))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bm25=1-5,7", ("bm25", ("1-5", "7"))),
        (" a = x , y* ", ("a", ("x", "y*"))),
        ("title_*", ("title_", ("title_*",))),
        ("a=b=c", ("a", ("b=c",))),
    ],
)
def test_a_text_is_a_name_and_what_it_is_made_of(text: str, expected: tuple[str, tuple[str, ...]]) -> None:
    assert parse_group(text) == expected


@pytest.mark.parametrize("text", ["", "*", "url", "=1", "a=", "a=1,,2", " =1"])
def test_what_is_no_group_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match=r"\bgroup\b.*\bNAME=FEATURE\b"):
        parse_group(text)


@pytest.mark.parametrize(
    ("asked", "names", "expected"),
    [
        ("low=1-3,7", NUMBERS, {"low": ("1", "2", "3", "7")}),
        (["two=9-11", "one=2,1,2"], NUMBERS, {"two": ("9", "10", "11"), "one": ("1", "2")}),
        ("title*", NAMES, {"title": ("title_tf", "title_idf")}),
        ("both=url,title_t*", NAMES, {"both": ("title_tf", "url")}),
        ({"g": ["age", "url"]}, NAMES, {"g": ("url", "age")}),
        ({"g": "age"}, NAMES, {"g": ("age",)}),
        ("g=1-2", ("1-2", "1", "2"), {"g": ("1-2",)}),  # a feature of that very name
        ("g=a*", ("a*", "ab"), {"g": ("a*",)}),
    ],
)
def test_features_of_each_group_in_the_order_of_the_data(
    asked: object, names: tuple[str, ...], expected: dict[str, tuple[str, ...]]
) -> None:
    assert feature_groups(asked, names) == expected  # of any type


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ("g=12", UnknownName, "unknown feature '12'"),
        ("g=9-12", UnknownName, "unknown feature '12'"),
        ("g=5-2", ParameterError, r"\b5-2\b.*\b11 features\b.*\blower\b"),
        ("g=1-99999999999", ParameterError, r"\b1-99999999999\b.*\b11 features\b"),
        ("x*", UnknownName, r"\bfeature\b.*'x[*]'"),
        ("g=1-11", ParameterError, r"'g'.*\ball 11 features\b"),
        (["g=1", "g=2"], ParameterError, r"'g'.*\btwice\b"),
        ([], ParameterError, "no group"),
    ],
)
def test_what_does_not_fit_the_data_is_refused(asked: object, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        feature_groups(asked, NUMBERS)  # of any type


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"g": []}, r"'g' is \[\],.*\bnames\b"),
        ({"g": [1]}, r"'g' is \[1\],.*\bnames\b"),
        ({"g": 1}, r"'g' is 1,.*\bnames\b"),
        ([1], r"\bgroup 1\b.*\bNAME\b"),
        (1, r"\bgroups 1\b.*\bNAME\b"),
    ],
)
def test_what_holds_no_feature_or_is_no_text_is_refused(asked: object, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        feature_groups(asked, NUMBERS)  # of any type
