"""Who won: credit in every format of log, the test against plain loops and other tests, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import rankscope as rs
from rankscope.errors import InputError, ParameterError
from rankscope.stats import sign_test, t_test

TEAM = ["A", "B", "B", "A"]


def random_log(n=200, n_users=23, seed=1):
    """Impressions with two teams, in which clicks favour the first ranks."""
    rng = np.random.default_rng(seed)
    return [
        {
            "user": f"u{rng.integers(n_users)}",
            "session": f"s{i // 3}",
            "query": f"q{i % 7}",
            "time": f"2026-03-{1 + 9 * i // n:02d}T10:00:00Z",
            "documents": [f"d{i}.{rank}" for rank in range(4)],
            "team": [TEAM, TEAM[::-1], ["B", "A", "A", None]][i % 3],
            "clicks": (1 + np.flatnonzero(rng.random(4) < [0.5, 0.3, 0.2, 0.1])).tolist(),
        }
        for i in range(n)
    ]


def write_lines(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def outcomes_of(log):
    """[(user, outcome)] of the impressions with clicks, by a loop: 1 where A has more clicks, -1 where B has more."""
    outcomes = []
    for record in log:
        teams = [record["team"][rank - 1] for rank in record["clicks"]]
        if teams:
            outcomes.append((record["user"], np.sign(teams.count("A") - teams.count("B"))))
    return outcomes


def test_counts_and_the_mean_are_those_of_a_loop():
    log = random_log()
    outcomes = [outcome for _, outcome in outcomes_of(log)]
    result = rs.online.interleaving_test(log)
    (row,) = result.preferences
    assert (row.wins, row.ties, row.losses) == tuple(outcomes.count(sign) for sign in (1, 0, -1))
    assert row.difference == pytest.approx(np.mean(outcomes))
    assert (row.n, result.n_read, result.n_without_clicks) == (len(outcomes), len(log), len(log) - len(outcomes))
    assert (result.cluster_by, result.outcome, result.method) == ("user", "win", "team-draft")


@pytest.mark.parametrize("cluster_by", ["user", "impression"])
def test_the_test_is_the_cluster_t_test_of_the_outcomes(cluster_by):
    log = random_log()
    users, outcomes = zip(*outcomes_of(log), strict=True)
    (row,) = rs.online.interleaving_test(log, cluster_by=cluster_by).preferences
    expected = t_test(np.array(outcomes, float), clusters=users if cluster_by == "user" else None)
    assert row.statistic == pytest.approx(float(expected.statistic))
    assert row.pvalue == pytest.approx(float(expected.pvalue))


def test_the_sign_test_counts_users():
    log = random_log()
    sums: dict[str, float] = {}
    for user, outcome in outcomes_of(log):
        sums[user] = sums.get(user, 0) + outcome
    (row,) = rs.online.interleaving_test(log, test="sign").preferences
    assert row.pvalue == pytest.approx(float(sign_test(np.sign(list(sums.values()))).pvalue))


def test_bootstrap_and_t_are_near_each_other():
    log = random_log(600, 200)
    (boot,) = rs.online.interleaving_test(log, test="bootstrap", rng=1).preferences
    (plain,) = rs.online.interleaving_test(log).preferences
    assert boot.difference == pytest.approx(plain.difference)
    assert boot.low == pytest.approx(plain.low, abs=0.03)
    assert boot.pvalue == pytest.approx(plain.pvalue, abs=0.05)


def test_impressions_without_clicks_may_be_ties():
    log = random_log()
    outcomes = [outcome for _, outcome in outcomes_of(log)]
    (row,) = rs.online.interleaving_test(log, no_clicks="tie").preferences
    assert row.n == len(log)
    assert row.difference == pytest.approx(sum(outcomes) / len(log))


def test_outcomes_share_and_sum():
    log = [{"user": f"u{i}", "team": TEAM, "clicks": [1, 2, 4] if i % 2 else [2]} for i in range(10)]
    share, total = (
        rs.online.interleaving_test(log, outcome=outcome).preferences[0].difference for outcome in ("share", "sum")
    )
    assert share == pytest.approx((1 / 3 - 1) / 2)
    assert total == pytest.approx((1 - 1) / 2)


def test_three_systems_have_three_pairs_with_corrected_pvalues():
    rng = np.random.default_rng(1)
    log = [
        {"user": f"u{i}", "team": ["A", "B", "C"], "clicks": [int(rng.choice(3, p=[0.6, 0.25, 0.15])) + 1]}
        for i in range(90)
    ]
    result = rs.online.interleaving_test(log)
    assert [row[:2] for row in result.records()] == [("A", "B"), ("A", "C"), ("B", "C")]
    assert all(row.pvalue_corrected >= row.pvalue for row in result.preferences)
    assert result.frame().height == 3


def as_lists(log):
    return [{"list": f"l{i}", "documents": record["documents"], "team": record["team"]} for i, record in enumerate(log)]


def without(record, *names):
    return {name: value for name, value in record.items() if name not in names}


def ours(log, folder):
    return write_lines(folder / "log.jsonl", log), None


def regular_with_lists(log, folder):
    lines = [
        {**without(record, "documents", "team", "clicks"), "list": f"l{i}", "clicks": record["clicks"]}
        for i, record in enumerate(log)
    ]
    return write_lines(folder / "log.jsonl", lines), write_lines(folder / "lists.jsonl", as_lists(log))


def irregular_with_lists(log, folder):
    path, lists = regular_with_lists(log, folder)
    lines = path.read_text().splitlines()
    lines[3] = json.dumps({**json.loads(lines[3]), "note": 'with "quotes"'})
    path.write_text("\n".join(lines) + "\n")
    return path, lists


def clicked_ids(log, folder):
    lines = [{**record, "clicks": [record["documents"][rank - 1] for rank in record["clicks"]]} for record in log]
    return write_lines(folder / "log.jsonl", lines), None


def click_teams(log, folder):
    lines = [
        {
            **without(record, "documents", "team"),
            "click_teams": [record["team"][rank - 1] for rank in record["clicks"]],
        }
        for record in log
    ]
    return write_lines(folder / "log.jsonl", lines), None


def credit(log, folder):
    shares = {"A": [1.0, 0.0], "B": [0.0, 1.0], None: [0.0, 0.0]}
    lines = [
        {
            **without(record, "team"),
            "systems": ["A", "B"],
            "method": "team-draft",
            "credit": [shares[team] for team in record["team"]],
        }
        for record in log
    ]
    return write_lines(folder / "log.jsonl", lines), None


def compressed(log, folder):
    import gzip

    path, _ = ours(log, folder)
    with gzip.open(folder / "log.jsonl.gz", "wb") as stream:
        stream.write(path.read_bytes())
    return folder / "log.jsonl.gz", None


def parquet(log, folder):
    pl.DataFrame(log, infer_schema_length=None).write_parquet(folder / "log.parquet")
    return folder / "log.parquet", None


def solr(log, folder):
    lines = [
        {
            "responseHeader": {"params": {"q": record["query"]}},
            "response": {
                "docs": [
                    {"id": id_, "[interleaving]": team}
                    for id_, team in zip(record["documents"], record["team"], strict=True)
                ]
            },
            "user": record["user"],
            "time": record["time"],
            "clicks": record["clicks"],
        }
        for record in log
    ]
    return write_lines(folder / "log.jsonl", lines), None


def ubi(log, folder):
    """Events as OpenSearch collects them: what was shown, and what was clicked, with search_config."""
    events = []
    for i, record in enumerate(log):
        event = {"query_id": f"e{i}", "client_id": record["user"], "timestamp": record["time"]}
        for rank, (id_, team) in enumerate(zip(record["documents"], record["team"], strict=True), 1):
            details = {
                "object": {"object_id": id_, "search_config": team},
                "position": {"ordinal": rank},
            }
            events.append({"action_name": "impression", **event, "event_attributes": details})
            if rank in record["clicks"]:
                events.append({"action_name": "click", **event, "event_attributes": details})
    return write_lines(folder / "log.jsonl", events), None


@pytest.mark.parametrize(
    "form",
    [ours, regular_with_lists, irregular_with_lists, clicked_ids, click_teams, credit, compressed, parquet, solr, ubi],
)
def test_every_format_gives_the_same_result(form, tmp_path):
    log = random_log(60)
    path, lists = form(log, tmp_path)
    result = rs.online.interleaving_test(path, lists=lists, cluster_by="user")
    expected = rs.online.interleaving_test(log)
    assert next(result.records()) == pytest.approx(next(expected.records()))
    assert result.n_without_clicks == expected.n_without_clicks


def test_events_with_the_teams_of_clicks_only(tmp_path):
    events = [
        {
            "action_name": "click" if i % 4 else "search",
            "query_id": f"e{i}",
            "client_id": f"c{i % 9}",
            "event_attributes": {"object": {"object_id": f"d{i}", "search_config": "A" if i % 3 else "B"}},
        }
        for i in range(40)
    ]
    (row,) = rs.online.interleaving_test(write_lines(tmp_path / "events.jsonl", events)).preferences
    clicked = [i for i in range(40) if i % 4]
    assert (row.wins, row.losses) == (sum(i % 3 > 0 for i in clicked), sum(i % 3 == 0 for i in clicked))


def test_the_record_of_interleaving_credits_balanced_lists_by_the_first_documents(tmp_path):
    runs = [rs.Run({"q": ["a", "b", "c", "d"]}, name="A"), rs.Run({"q": ["b", "e", "a", "f"]}, name="B")]
    record = next(rs.online.interleave(runs, method="balanced", length=4, rng=1).credit_records())
    lists = write_lines(tmp_path / "lists.jsonl", [record])
    ranks = {doc: (rank_a, rank_b) for doc, (rank_a, rank_b) in zip(record["documents"], record["ranks"], strict=True)}
    for place, doc in enumerate(record["documents"], 1):
        log = [{"query": "q", "user": f"u{i}", "clicks": [place]} for i in range(4)]
        k = min(rank for rank in ranks[doc] if rank)
        in_first = [bool(rank and rank <= k) for rank in ranks[doc]]
        (row,) = rs.online.interleaving_test(log, lists=lists).preferences
        assert row.difference == in_first[0] - in_first[1]


def test_a_confidence_sequence_looks_at_the_end_of_each_day_and_only_narrows():
    log = random_log(300, 120)
    result = rs.online.interleaving_test(log, test="anytime")
    (row,) = result.preferences
    assert [look.day for look in row.looks] == sorted({look.day for look in row.looks})
    assert (np.diff([look.low for look in row.looks]) >= 0).all()
    assert (np.diff([look.high for look in row.looks]) <= 0).all()
    assert (np.diff([look.pvalue for look in row.looks]) <= 0).all()
    assert row.n_clusters == row.looks[-1].n
    # The day of a user is its first one; later impressions do not count, so that no value changes after a look.
    later = rs.online.interleaving_test([*log, {**log[0], "time": "2026-03-30"}], test="anytime").preferences[0].looks
    assert later[: len(row.looks)] == row.looks


@pytest.mark.parametrize("test", ["t", "anytime"])
def test_sums_by_user_do_not_depend_on_when_they_are_added_up(test, tmp_path, monkeypatch):
    log = random_log(300)
    at_once = rs.online.interleaving_test(log, test=test).preferences
    monkeypatch.setattr("rankscope.online.preference.tally.PENDING", 10)
    monkeypatch.setattr("rankscope.online.logs.json_blocks.BLOCK", 1 << 10)
    path = write_lines(tmp_path / "log.jsonl", log)
    (row,) = rs.online.interleaving_test(path, test=test).preferences
    assert row[:13] == pytest.approx(at_once[0][:13], nan_ok=True)


def test_the_plan_takes_as_many_impressions_as_show_the_difference():
    log = random_log(400, 200)
    (row,) = rs.online.interleaving_test(log, difference=0.1).preferences
    (half,) = rs.online.interleaving_test(log, difference=0.05).preferences
    assert row.requirement.difference == 0.1
    assert half.requirement.n / row.requirement.n == pytest.approx(4, rel=0.05)
    (again,) = rs.online.interleaving_test(log, difference=row.requirement.detectable).preferences
    assert again.requirement.n == pytest.approx(row.n, rel=0.05)


@pytest.mark.parametrize(
    ("change", "options", "named"),
    [
        ({"clicks": [9]}, {}, "rank 9"),
        ({"clicks": [0]}, {}, "rank 0"),
        ({"team": ["A"], "clicks": [2]}, {}, "rank 2"),
        ({"team": ["A", "B", "C", "A"], "clicks": [3]}, {"systems": ["A", "B"]}, "'C'"),
    ],
)
def test_lines_that_cannot_be_are_named(change, options, named, tmp_path):
    log = random_log(20)
    log[4] = {**log[4], **change}
    path = write_lines(tmp_path / "log.jsonl", log)
    with pytest.raises(InputError, match=named) as refused:
        rs.online.interleaving_test(path, **options)
    assert "log.jsonl:5:" in str(refused.value)


def test_a_line_of_another_type_is_named(tmp_path):
    path = write_lines(tmp_path / "log.jsonl", random_log(20))
    path.write_text(path.read_text() + '{"clicks": "many", "team": ["A"]}\n')
    with pytest.raises(InputError, match=r"log.jsonl:21: clicks"):
        rs.online.interleaving_test(path)


def test_what_has_no_answer_is_refused(tmp_path):
    log = random_log(20)
    with pytest.raises(InputError, match="no impression with clicks"):
        rs.online.interleaving_test([{**record, "clicks": []} for record in log])
    with pytest.raises(InputError, match="'session'"):
        rs.online.interleaving_test([without(record, "session") for record in log], cluster_by="session")
    with pytest.raises(ParameterError, match="anytime"):
        rs.online.interleaving_test(log, test="anytime", outcome="sum")
    with pytest.raises(InputError, match="--lists"):
        rs.online.interleaving_test([without(record, "team") for record in log])
    lists = write_lines(tmp_path / "lists.jsonl", [{"query": "q0", "team": TEAM}])
    with pytest.raises(InputError, match="'q1' is not in"):
        rs.online.interleaving_test([without(record, "team", "documents") for record in log], lists=lists)
