"""The demo's experiment with users: impressions that fit the lists, and the same for the same seed."""

from __future__ import annotations

import json

import pytest

from rankscope.demo.clicks import IMPRESSIONS, LISTS, click_files
from rankscope.demo.collection import SEED, make_collection


@pytest.fixture(scope="module")
def records():
    return {name: [json.loads(line) for line in text.splitlines()] for name, text in click_files(SEED).items()}


def test_each_impression_shows_a_list_of_its_query_and_clicks_within_it(records):
    lists = {record["list"]: record for record in records["demo-interleaved.jsonl"]}
    log = records["demo-clicks.jsonl"]
    assert (len(lists), len(log)) == (LISTS * len(make_collection(SEED).qrels), IMPRESSIONS)
    assert all(lists[line["list"]]["query"] == line["query"] for line in log)
    assert all(rank <= len(lists[line["list"]]["documents"]) for line in log for rank in line["clicks"])
    assert [line["time"] for line in log] == sorted(line["time"] for line in log)


def test_another_seed_gives_another_log(records):
    assert json.loads(click_files(SEED + 1)["demo-clicks.jsonl"].split("\n")[0]) != records["demo-clicks.jsonl"][0]
