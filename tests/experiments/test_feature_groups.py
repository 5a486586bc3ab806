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
    with pytest.raises(ParameterError, match=r"cannot read the group .*; expected NAME=FEATURE"):
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
        ("g=5-2", ParameterError, "5-2 is no span of 11 features; give the lower number first"),
        ("g=1-99999999999", ParameterError, "is no span of 11 features"),
        ("x*", UnknownName, "unknown beginning of a feature's name 'x[*]'"),
        ("g=1-11", ParameterError, "the group 'g' holds all 11 features, and nothing can be learned without them"),
        (["g=1", "g=2"], ParameterError, "the group 'g' was given twice"),
        ([], ParameterError, "no group of features to leave out"),
    ],
)
def test_what_does_not_fit_the_data_is_refused(asked: object, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        feature_groups(asked, NUMBERS)  # of any type


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"g": []}, r"the group 'g' is \[\], expected names of features"),
        ({"g": [1]}, r"the group 'g' is \[1\], expected names"),
        ({"g": 1}, "the group 'g' is 1, expected names"),
        ([1], "cannot read the group 1; expected NAME"),
        (1, "cannot read the groups 1; expected NAME"),
    ],
)
def test_what_holds_no_feature_or_is_no_text_is_refused(asked: object, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        feature_groups(asked, NUMBERS)  # of any type
