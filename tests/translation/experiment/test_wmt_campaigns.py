"""What the experiment on translations reads: judgments with texts, lists to learn from, parallel text, its cache."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.mt_folders import add_campaign, small_folder

from rankscope import Rankings
from rankscope.demo.translations import PARALLEL_SENTENCES, SEGMENTS, TRANSLATORS
from rankscope.errors import InputError, OutputError
from rankscope.io.translation import Texts
from rankscope.translation.experiment.feature_tables import (
    ArrayCache,
    find_corpora,
    parallel_lines,
    target_lines,
    text_digest,
)
from rankscope.translation.experiment.protocols import PairJudgments, lists_of_judgments
from rankscope.translation.experiment.wmt_campaigns import JUDGMENTS, JudgedPair, read_campaign


@pytest.fixture
def folder(tmp_path):
    return small_folder(tmp_path)


def of_two() -> JudgedPair:
    """Two judgments of line 2 and one of line 1; B is not ranked in the first."""
    ranks = [{"A": 1, "B": None, "C": 3}, {"A": 2, "B": 2, "C": 1}, {"C": 4}]
    rankings = Rankings.of(ranks)
    lines = type(rankings.segment)(("2", "1"), np.array([0, 0, 1]))
    rankings = type(rankings)(**{**vars_of(rankings), "segment": lines})
    texts = Texts("de-en", ("x", "y"), ("x", "y"), {"C": ("c", "c"), "A": ("a", "a"), "B": ("b", "b")})
    return JudgedPair(campaign="wmt12", pair="de-en", rankings=rankings, all_rankings=rankings, texts=texts)


def vars_of(rankings):
    names = ("pair", "segment", "judge", "offsets", "system", "columns", "score_columns")
    return {name: getattr(rankings, name) for name in names}


def test_a_campaign_is_its_judgments_with_the_texts_that_they_are_of(folder):
    found = read_campaign(folder, "wmt12")
    assert list(found) == ["de-en"]
    one = found["de-en"]
    assert (len(one.rankings), len(one.texts), one.systems) == (2 * SEGMENTS, SEGMENTS, tuple(TRANSLATORS))
    assert one.line_index.tolist() == np.repeat(np.arange(SEGMENTS), 2).tolist()
    named = [one.systems[place] for place in one.system_index]
    assert named == list(one.rankings.system)


def test_the_lines_of_wmt11_are_those_that_its_file_says(folder):
    add_campaign(folder, "wmt11")
    (folder / "wmt11/index-to-line.txt").write_text("".join(f"{SEGMENTS - i}\n" for i in range(SEGMENTS)))
    found = read_campaign(folder, "wmt11")["de-en"]
    assert found.line_index.tolist() == np.repeat(np.arange(SEGMENTS)[::-1], 2).tolist()


def test_what_does_not_belong_together_is_refused_in_a_line(folder):
    with pytest.raises(InputError, match=r"no judgments .*fr-en.*de-en"):
        read_campaign(folder, "wmt12", ["fr-en"])
    path = folder / "wmt12" / JUDGMENTS["wmt12"]
    judged = path.read_text()
    path.write_text(judged.replace("apex", "apax"))
    with pytest.raises(InputError, match=r"apax .*de-en, .*apex, brisk"):
        read_campaign(folder, "wmt12")
    path.write_text(judged.replace("German,English,60,", "German,English,61,"))
    with pytest.raises(InputError, match=r"'61' .*de-en .*\b60 lines"):
        read_campaign(folder, "wmt12")
    path.write_text(judged.replace("German,English", "French,English"))
    with pytest.raises(InputError, match="no language pair"):
        read_campaign(folder, "wmt12")


def test_a_list_is_a_judgment_its_best_rank_the_highest_grade_and_what_was_not_ranked_left_out():
    one = of_two()
    table = np.arange(3 * 2 * 2, dtype=np.float32).reshape(3, 2, 2)  # systems C, A, B; lines 1, 2
    found = lists_of_judgments(
        [PairJudgments("wmt12", "de-en")], {("wmt12", "de-en"): one}, {("wmt12", "de-en"): table}, "xy"
    )
    assert found.offsets.tolist() == [0, 2, 5]  # the third judgment has one rank only
    assert found.relevance.tolist() == [3 - 1, 3 - 3, 3 - 2, 3 - 2, 3 - 1]
    c, a, b = table[:, 1]
    assert found.values.tolist() == [list(row) for row in (a, c, a, b, c)]
    assert found.query_ids == ("wmt12 de-en:2#1", "wmt12 de-en:2#2")


def test_some_judgments_and_those_of_several_pairs_can_be_taken():
    one = of_two()
    judged = {("wmt12", "de-en"): one, ("wmt11", "de-en"): one}
    tables = dict.fromkeys(judged, np.zeros((3, 2, 1), np.float32))
    parts = [PairJudgments("wmt12", "de-en", np.array([1])), PairJudgments("wmt11", "de-en", np.array([0, 2]))]
    assert lists_of_judgments(parts, judged, tables, "x").offsets.tolist() == [0, 3, 5]
    with pytest.raises(InputError, match=r"wmt11 de-en: .*two ranks"):
        lists_of_judgments([PairJudgments("wmt11", "de-en", np.array([2]))], judged, tables, "x")


def test_models_learn_from_text_of_before_2012_and_of_wmt11_without_its_own_test_set(tmp_path):
    sets = "europarl-x newstest2011 newstest2012 newstest2013 tatoeba-x newssyscomb2009 news-test2008 newstest2020-de"
    for name in sets.split():
        (tmp_path / "mt-train" / name).mkdir(parents=True)
    found = find_corpora(tmp_path, "wmt12").sets
    assert found == ("europarl-x", "news-test2008", "newssyscomb2009", "newstest2011")
    assert find_corpora(tmp_path, "wmt13").sets == found
    assert find_corpora(tmp_path, "wmt11").sets == found[:3]


def test_pairs_of_lines_count_once_and_empty_ones_not(tmp_path):
    for name, de, en in (("europarl-a", "eins\nzwei\n\n", "one\ntwo\nthree\n"), ("europarl-b", "eins\n", "one\n")):
        (tmp_path / "mt-train" / name).mkdir(parents=True)
        (tmp_path / "mt-train" / name / f"{name}.de").write_text(de)
        (tmp_path / "mt-train" / name / f"{name}.en").write_text(en)
    corpora = find_corpora(tmp_path, "wmt12")
    assert parallel_lines(corpora, "de", "en") == (["eins", "zwei"], ["one", "two"])
    assert target_lines(corpora, "en", ["one", "four"]) == ["one", "two", "three", "four"]
    with pytest.raises(InputError, match=r"2012 .*fr and en"):
        parallel_lines(corpora, "fr", "en")
    with pytest.raises(InputError, match=r"2012 .*\bcs\b"):
        target_lines(corpora, "cs")
    (tmp_path / "mt-train/europarl-b/europarl-b.en").write_text("one\ntwo\n")
    with pytest.raises(InputError, match=r"europarl-b\.en: 2 lines, .*\b1 .*europarl-b\.de"):
        parallel_lines(corpora, "de", "en")


def test_without_parallel_text_that_is_said(tmp_path):
    with pytest.raises(InputError, match="mt-train: no such folder"):
        find_corpora(tmp_path, "wmt12")
    (tmp_path / "mt-train/newstest2013").mkdir(parents=True)
    with pytest.raises(InputError, match=r"2012 .*newstest2013"):
        find_corpora(tmp_path, "wmt12")


def test_parallel_text_of_empty_lines_is_named(tmp_path):
    (tmp_path / "mt-train/europarl-a").mkdir(parents=True)
    (tmp_path / "mt-train/europarl-a/europarl-a.de").write_text("\n\n")
    (tmp_path / "mt-train/europarl-a/europarl-a.en").write_text("\n \n")
    corpora = find_corpora(tmp_path, "wmt12")
    with pytest.raises(InputError, match=r"mt-train: .*europarl-a .*de and en"):
        parallel_lines(corpora, "de", "en")
    with pytest.raises(InputError, match=r"mt-train: .*europarl-a .*of en\b"):
        target_lines(corpora, "en")
    assert target_lines(corpora, "en", ["a reference"]) == ["a reference"]


def test_what_was_computed_is_kept_under_its_settings(tmp_path):
    calls = []

    def make():
        calls.append(1)
        return {"values": np.array([1.0, 2.0])}

    cache = ArrayCache(tmp_path / "new" / "cache")
    for settings in ({"a": 1}, {"a": 1}, {"a": 2}):
        assert cache.get("x", settings, make, {"values": (2,)})["values"].tolist() == [1.0, 2.0]
    assert len(calls) == 2
    assert len(list((tmp_path / "new/cache").iterdir())) == 2
    assert cache.get("x", {"a": 1}, make, {"values": (None,)})["values"].tolist() == [1.0, 2.0]
    for shapes in ({"values": (3,)}, {"values": (2, 1)}, {"others": (2,)}, {"values": (2,), "notes": (None,)}):
        with pytest.raises(InputError, match=r"x-.*\.arrays: .*other arrays"):
            cache.get("x", {"a": 1}, make, shapes)
    for path in (tmp_path / "new/cache").iterdir():
        path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(InputError, match="damaged"):
        cache.get("x", {"a": 1}, make, {"values": (2,)})
    ArrayCache(None).get("x", {"a": 1}, make, {"values": (2,)})
    assert len(calls) == 3
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="no folder"):
        ArrayCache(tmp_path / "file").get("x", {}, make, {"values": (2,)})


def test_digests_tell_apart_what_is_cut_otherwise():
    assert text_digest(["ab", "c"]) != text_digest(["a", "bc"]) != text_digest(["a"], ["bc"])
    assert text_digest({"A": ("x",)}) == text_digest({"A": ["x"]})
    assert PARALLEL_SENTENCES > 100  # the demo's text is enough for four orders
