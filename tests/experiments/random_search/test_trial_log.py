"""The log of a search: what is in it comes back, what is cut off is done again, what is another's is left alone."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

from rankscope.errors import InputError, OutputError
from rankscope.experiments.random_search import SearchLog, Trial

ABOUT = {"version": "1", "rng": 0, "rankers": {"a": "a | hidden:64", "b": "b | hidden:8"}, "digest": "0123"}


def setting(number: int, model: str = "a", **more: Any) -> Trial:
    given = {"changed": {"hidden": (64, 32), "dropout": 0.1}, "value": 0.1 * number, "by_fold": (0.1, 1 / 3)}
    return Trial(model=model, number=number, best_epoch=2.5, seconds=1.25, **{**given, **more})


def seen(log: SearchLog) -> list[str]:
    return [str(one) for one in log.trials.values()]


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A log of three trials."""
    log = SearchLog(tmp_path / "log", ABOUT)
    for number in (1, 2, 3):
        log.add(setting(number))
    return tmp_path / "log"


def test_what_was_added_comes_back_as_it_was(tmp_path: Path) -> None:
    log = SearchLog(tmp_path / "log", ABOUT)
    failed = setting(2, "b", value=math.nan, by_fold=(math.nan, math.nan), error="it diverged")
    for one in (setting(1), failed, setting(2)):
        log.add(one)
    again = SearchLog(tmp_path / "log", ABOUT)
    assert_same_bits(seen(again), seen(log))
    assert list(again.trials) == [("a", 1), ("b", 2), ("a", 2)]
    assert again.trials["a", 1].changed["hidden"] == (64, 32)
    assert again.trials["a", 1].by_fold == (0.1, 1 / 3)  # to the last bit
    assert [json.loads(line).get("trial") for line in (tmp_path / "log").read_text().splitlines()] == [None, 1, 2, 2]


def test_a_trial_is_on_the_disk_before_the_next_one(tmp_path: Path) -> None:
    log = SearchLog(tmp_path / "log", ABOUT)
    for number in (1, 2):
        log.add(setting(number))
        assert len((tmp_path / "log").read_bytes().splitlines()) == 1 + number


def test_without_a_file_all_is_kept_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    log = SearchLog(None, ABOUT)
    log.add(setting(1))
    assert list(log.trials) == [("a", 1)]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("cut", [1, 5, 60])
def test_a_last_line_that_is_cut_off_is_left_out_and_what_follows_is_whole(kept: Path, cut: int) -> None:
    whole = kept.read_bytes()
    kept.write_bytes(whole[:-cut])
    log = SearchLog(kept, ABOUT)
    assert list(log.trials) == [("a", 1), ("a", 2)]
    log.add(setting(3))
    assert kept.read_bytes() == whole


def test_an_empty_file_is_begun(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("")
    SearchLog(tmp_path / "log", ABOUT).add(setting(1))
    assert len(SearchLog(tmp_path / "log", ABOUT).trials) == 1


OTHERS: dict[str, tuple[dict[str, Any], tuple]] = {
    "seed": ({"rng": 3}, ("rng", 0, 3)),
    "version": ({"version": "2"}, ("version", '"1"', '"2"')),
    "data": ({"digest": "9"}, ("training or validation lists", "not")),
    "ranker": ({"rankers": {"a": ABOUT["rankers"]["a"]}}, ("of a and b", "of a;")),  # nested
    "setting": ({"rankers": {"a": "a | hidden:64", "b": "b | hidden:9"}}, ("b has", "hidden:8", "hidden:9")),
    "key": ({"more": 1}, ("more", "null", 1)),
}


@pytest.mark.parametrize("other", OTHERS)
def test_the_log_of_another_search_is_refused_and_left_as_it_is(kept: Path, other: str) -> None:
    before = kept.read_bytes()
    changed, said = OTHERS[other]
    with pytest.raises(InputError) as caught:
        SearchLog(kept, {**ABOUT, **changed})
    assert str(caught.value).startswith(f"{kept}: ")
    assert mentions(caught.value, "another search", *said)
    assert kept.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"0 qid:1 1:0.5\n", "not the log of a search"),
        (b'{"a": 1}\n', "not the log of a search"),
        (b"[1]\n", "not the log of a search"),
        (b"\xff\xfe\n", "not the log of a search"),
        (b'{"rankscope_search": 9}\n', r"\bformat 9\b.*\brankscope\b.*\b1\b"),
    ],
)
def test_what_is_no_log_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "log").write_bytes(content)
    with pytest.raises(InputError, match=said):
        SearchLog(tmp_path / "log", ABOUT)
    assert (tmp_path / "log").read_bytes() == content


@pytest.mark.parametrize("line", [b"{}\n", b"no json\n", b"[]\n", b'{"trial": "x", "model": "a"}\n'])
def test_a_damaged_line_is_told_by_its_number(kept: Path, line: bytes) -> None:
    lines = kept.read_bytes().splitlines(keepends=True)
    lines[2] = line
    kept.write_bytes(b"".join(lines))
    with pytest.raises(InputError, match=r"log:3: .*\bJSON\b"):
        SearchLog(kept, ABOUT)
    assert kept.read_bytes() == b"".join(lines)


def test_a_place_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises((InputError, OutputError)):
        SearchLog(tmp_path / "none" / "log", ABOUT)
    with pytest.raises((InputError, OutputError)):
        SearchLog(tmp_path, ABOUT)


def test_a_log_that_can_no_longer_be_written_keeps_what_it_has(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = SearchLog(kept, ABOUT)
    before = kept.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OutputError, match=r"\bcannot be written\b.*\btrials\b"):
        log.add(setting(4))
    assert kept.read_bytes().startswith(before)
