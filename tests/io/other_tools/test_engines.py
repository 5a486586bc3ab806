"""Responses and ratings of Elasticsearch, OpenSearch, Quepid and RRE, made here by their documented forms."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankscope as rs

Put = Callable[..., Path]
#: What each query retrieves, with scores.
RETRIEVED = {"q1": {"d1": 9.5, "d2": 8.25, "d3": 1.0}, "q2": {"d4": 2.5, "d1": 2.5}}
JUDGED = {"q1": {"d1": 2, "d3": 1}, "q2": {"d4": 0, "d9": 1}}


@pytest.fixture
def put(tmp_path: Path) -> Put:
    def write(content: Any, name: str = "file.json") -> Path:
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


def response(docs: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A response of `_search`."""
    hits = [
        {"_index": "docs", "_id": doc, "_score": score, "_source": {"text": "a [b] {"}} for doc, score in docs.items()
    ]
    total = {"value": len(docs), "relation": "eq"}
    shards = {"total": 5, "successful": 5, "skipped": 0, "failed": 0}
    content = {"total": total, "max_score": max(docs.values(), default=None), "hits": hits}
    return {"took": 3, "timed_out": False, "_shards": shards, "hits": content, **more}


def lines(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


RESPONSES = {query: response(docs) for query, docs in RETRIEVED.items()}
FORMS = {
    "response beside the query": lines(*({"query_id": q, "response": r} for q, r in RESPONSES.items())),
    "query in the response": lines(*({"qid": q, **r} for q, r in RESPONSES.items())),
    "query body and id": lines(*({"query": {"match": {"x": q}}, "id": q, "result": r} for q, r in RESPONSES.items())),
    "by query": json.dumps(RESPONSES),
    "by query, indented": json.dumps(RESPONSES, indent=2),
    "a list": json.dumps([{"query": q, "response": r} for q, r in RESPONSES.items()], indent=1),
    "named in _msearch": json.dumps({"took": 9, "responses": [{"query_id": q, **r} for q, r in RESPONSES.items()]}),
}


def scores_of(run: rs.Run) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for query, doc, score in run.frame().rows():
        found.setdefault(query, {})[doc] = score
    return found


@pytest.mark.parametrize("form", FORMS)
def test_hits_of_every_form_are_the_run(put: Put, form: str) -> None:
    run = rs.read_run(put(FORMS[form]))
    assert scores_of(run) == RETRIEVED
    assert run.notes == ()


@pytest.mark.parametrize(
    "queries",
    [
        "q1\nq2\n",
        "q1\twhat is a\nq2\twhat is b\n",
        "query_id\ttext\nq1\ta\n\nq2\tb",
        '{"_id": "q1", "text": "a"}\n{"_id": "q2"}',
    ],
    ids=["ids", "ids and texts", "with a header", "BEIR"],
)
def test_a_file_of_queries_names_the_responses_of_msearch(put: Put, queries: str) -> None:
    answered = put({"took": 4, "responses": [{**one, "status": 200} for one in RESPONSES.values()]})
    named = put(queries, "queries.tsv")
    assert scores_of(rs.read_run(answered, input=f"elasticsearch:{named}")) == RETRIEVED
    values = rs.evaluate(JUDGED, [answered], ["AP"], input=f"elasticsearch:{named}").values
    assert values.tolist() == rs.evaluate(JUDGED, RETRIEVED, ["AP"]).values.tolist()


def test_a_query_that_retrieved_nothing_counts_as_0_and_is_said(put: Put) -> None:
    run = rs.read_run(put({"q1": response(RETRIEVED["q1"]), "q2": response({}), "q3": {"hits": {"total": 0}}}))
    assert run.query_ids == ("q1", "q2", "q3")
    assert run.notes == (f"{put('', 'x').parent}/file.json: 2 queries retrieved nothing, which counts as 0 (q2, q3)",)


@pytest.mark.parametrize(
    ("scores", "said"),
    [([None, None, None], "the hits have no scores"), ([1.0, 3.0, 2.0], "not ordered by their scores")],
)
def test_the_order_counts_where_scores_do_not_tell_it(put: Put, scores: list[Any], said: str) -> None:
    one = response({"a": 1.0})
    one["hits"]["hits"] = [{"_id": doc, "_score": score} for doc, score in zip("abc", scores, strict=True)]
    run = rs.read_run(put({"q": one}))
    assert scores_of(run) == {"q": {"a": -1, "b": -2, "c": -3}}
    assert said in run.notes[0]


def changed(**hits: Any) -> dict[str, Any]:
    """A response whose hits differ."""
    one = response({"a": 2.0})
    return {**one, "hits": {**one["hits"], **hits}}


GOOD = {"query_id": "q1", "response": RESPONSES["q1"]}
REFUSED = {
    "an error": (
        lines(GOOD, {"query_id": "q2", "error": {"type": "x", "reason": "no such index"}, "status": 404}),
        r"file.json:2: an error in the place of hits \(no such index\); send",
    ),
    "an error first": (json.dumps({"error": "x", "status": 400}), "nothing says which query"),
    "timed out": (lines({"id": "q1", **response({"a": 1.0}, timed_out=True)}), "file.json: timed_out is true"),
    "shards": (
        json.dumps({"q": {**response({"a": 1.0}), "_shards": {"total": 5, "failed": 2}}}),
        "file.json: q: 2 of 5 shards failed",
    ),
    "size 0": (json.dumps({"q": changed(hits=[], total={"value": 7})}), "7 documents match, but hits.hits is empty"),
    "no list": (json.dumps({"q": changed(hits=3)}), r"file.json: q.hits.hits: 3, expected a list"),
    "no query": (json.dumps(RESPONSES["q1"]), "nothing says which query .* --input elasticsearch:FILE"),
    "msearch": (json.dumps({"responses": [*RESPONSES.values()]}), r"file.json: responses\[0\]: nothing says which"),
    "a hit without id": (json.dumps({"q": changed(hits=[{"_score": 1.0}])}), r"q.hits.hits\[0\]: {.*expected .*_id"),
    "a number for a hit": (lines(GOOD, {"id": "q", **changed(hits=[7])}), r"file.json:2: hits.hits\[0\]: 7"),
    "an id that is a number": (json.dumps({"q": changed(hits=[{"_id": 7, "_score": 1}])}), r"hits.hits\[0\]: the doc"),
    "a score that is text": (
        json.dumps({"q": changed(hits=[{"_id": "a", "_score": 1.0}, {"_id": "b", "_score": "2"}])}),
        r"file.json: q.hits.hits\[1\]: score '2'",
    ),
    "some scores": (
        json.dumps({"q": changed(hits=[{"_id": "a", "_score": 1.0}, {"_id": "b", "_score": None}])}),
        r"q.hits.hits\[1\]: no _score",
    ),
    "NaN": ('{"q": {"hits": {"hits": [{"_id": "a", "_score": NaN}]}}}', "the value NaN"),
    "a document twice": (
        json.dumps({"q": changed(hits=[{"_id": "a", "_score": 2.0}, {"_id": "a", "_score": 1.0}])}),
        r"q.hits.hits\[1\]: document 'a' of query 'q' occurs twice, first at .*q.hits.hits\[0\]",
    ),
    "a query twice": (lines(GOOD, GOOD), "file.json:2: response: query 'q1' occurs twice, first at .*:1: response"),
    "nothing": (json.dumps({"q": response({})}), "no documents in any of 1 lists"),
    "a line cut": (lines(GOOD) + '{"query_id": "q2", "resp}', "file.json:2: not valid JSON"),
    "something else": (lines(GOOD, {"query_id": "q2", "took": 3}), "file.json:2: 'query_id' holds 'q2', expected hits"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_in_responses_is_said_with_its_place(put: Put, case: str) -> None:
    content, said = REFUSED[case]
    with pytest.raises(rs.InputError, match=said):
        rs.evaluate(JUDGED, [put(content)], ["AP"])


@pytest.mark.parametrize(
    ("queries", "said"),
    [("q1\n", "2 responses, and .* names 1 queries"), ("q1\nq1\n", "'q1' is named twice"), ("{}\nq1\n", ":1: no id")],
)
def test_a_file_of_queries_that_does_not_fit_is_refused(put: Put, queries: str, said: str) -> None:
    path = put({"responses": [*RESPONSES.values()]})
    with pytest.raises(rs.InputError, match=said):
        rs.read_run(path, input=f"elasticsearch:{put(queries, 'queries.txt')}")
    with pytest.raises(rs.InputError, match="the query is named here"):
        rs.read_run(put(RESPONSES), input=f"elasticsearch:{put(queries, 'queries.txt')}")


@pytest.mark.parametrize(("input_", "said"), [("trec:x", "takes nothing after"), ("elasticsearch:", "nothing after")])
def test_only_some_formats_have_a_detail(put: Put, input_: str, said: str) -> None:
    with pytest.raises(rs.ParameterError, match=said):
        rs.read_run(put(RESPONSES), input=input_)


# Judgments

RATED = [
    {
        "id": query,
        "request": {"query": {}},
        "ratings": [{"_index": "i", "_id": d, "rating": g} for d, g in docs.items()],
    }
    for query, docs in JUDGED.items()
]
GAINS = {"d1": {"gain": 2}, "d3": {"gain": 1}}
JUDGMENTS = {
    "_rank_eval": {"requests": RATED, "metric": {"dcg": {"k": 10}}},
    "OpenSearch": {
        "name": "a list",
        "type": "IMPORT_JUDGMENT",
        "judgmentRatings": [
            {"query": query, "ratings": [{"docId": doc, "rating": f"{grade:.3f}"} for doc, grade in docs.items()]}
            for query, docs in JUDGED.items()
        ],
    },
    "RRE": {
        "index": "core",
        "id_field": "id",
        "topics": [
            {
                "description": "a topic",
                "query_groups": [
                    {
                        "name": query,
                        "queries": [
                            {"template": "a.json", "placeholders": {"$query": query}},
                            {"template": "b.json", "placeholders": {"$query": query, "$lang": "en"}},
                        ],
                        "relevant_documents": {doc: {"gain": grade} for doc, grade in docs.items()},
                    }
                    for query, docs in JUDGED.items()
                ],
            }
        ],
    },
    "RRE by gain": {
        "queries": [
            {"placeholders": {"$query": query}, "relevant_documents": {str(g): [d] for d, g in docs.items()}}
            for query, docs in JUDGED.items()
        ]
    },
    "Quepid": "query,docid,rating\n" + "".join(f"{q},{d},{g}\n" for q, docs in JUDGED.items() for d, g in docs.items()),
}
JUDGMENTS["OpenSearch, fetched"] = {"hits": {"total": {"value": 1}, "hits": [{"_source": JUDGMENTS["OpenSearch"]}]}}


@pytest.mark.parametrize("tool", JUDGMENTS)
def test_ratings_are_judgments(put: Put, tool: str, tmp_path: Path) -> None:
    path = put(JUDGMENTS[tool])
    expected = sorted((query, doc, grade) for query, docs in JUDGED.items() for doc, grade in docs.items())
    assert sorted(rs.read_qrels(path).frame().rows()) == expected
    rs.convert(path, tmp_path / "converted.tsv")
    assert sorted(rs.read_qrels(tmp_path / "converted.tsv").frame().rows()) == expected


@pytest.mark.parametrize("tool", JUDGMENTS)
def test_ratings_are_no_run(put: Put, tool: str) -> None:
    with pytest.raises(rs.InputError, match="holds judgments, expected a run"):
        rs.read_run(put(JUDGMENTS[tool]))


def rank_eval(**more: Any) -> dict[str, Any]:
    """A response of `_rank_eval`."""
    details = {
        query: {
            "metric_score": 0.5,
            "unrated_docs": [{"_index": "i", "_id": doc} for doc in docs if doc not in JUDGED[query]],
            "hits": [
                {"hit": {"_index": "i", "_id": doc, "_score": score}, "rating": JUDGED[query].get(doc)}
                for doc, score in docs.items()
            ],
        }
        for query, docs in RETRIEVED.items()
    }
    return {"metric_score": 0.5, "details": details, "failures": {}, **more}


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_response_of_rank_eval_is_a_run_and_judgments_of_what_was_retrieved(put: Put, wrapped: bool) -> None:
    path = put({"rank_eval": rank_eval()} if wrapped else rank_eval())
    assert scores_of(rs.read_run(path)) == {"q1": {"d1": -1, "d2": -2, "d3": -3}, "q2": {"d4": -1, "d1": -2}}
    assert sorted(rs.read_qrels(path).frame().rows()) == [("q1", "d1", 2), ("q1", "d3", 1), ("q2", "d4", 0)]
    notes = rs.evaluate(path, [RETRIEVED], ["P@2"]).notes
    assert any("only of documents that this search retrieved" in note for note in notes)


def test_unrated_queries_and_documents_of_quepid_are_left_out_and_said(put: Put) -> None:
    path = put('query,docid,rating\nq1,d1,3\nq1,d2,\nno ratings\n"a, b",d1,0.5\n')
    assert rs.read_qrels(path).frame().rows() == [("a, b", "d1", 0.5), ("q1", "d1", 3.0)]
    notes = rs.evaluate(path, [{"q1": {"d1": 1.0}}], ["nDCG@5"]).notes
    assert f"{path}: 1 query without ratings left out (no ratings)" in notes
    assert f"{path}: 1 document without a rating left out" in notes
    assert rs.Evaluator(path, ["nDCG@5"])({"q1": {"d1": 1.0}}).notes == notes


WRONG = {
    "rank_eval failed": (rank_eval(failures={"q3": {"error": {}}}), "failures.q3: this query failed"),
    "no hits in details": (rank_eval(details={"q1": {"metric_score": 0.1}}), "details.q1: .*an object with hits"),
    "no rating": ({"requests": [{"id": "q", "ratings": [{"_id": "d"}]}]}, r"requests\[0\].ratings\[0\]: .*_id and"),
    "a rating that is text": (
        {"judgmentRatings": [{"query": "q", "ratings": [{"docId": "d", "rating": "high"}]}]},
        r"judgmentRatings\[0\].ratings\[0\]: relevance 'high', expected a finite number",
    ),
    "a query twice": (
        {"judgmentRatings": [{"query": "q", "ratings": [{"docId": "d", "rating": 1}]}] * 2},
        r"judgmentRatings\[1\]: query 'q' occurs twice, first at .*\[0\]",
    ),
    "not completed": ({"status": "PROCESSING", "judgmentRatings": []}, "status of the judgment list is PROCESSING"),
    "two lists": ({"hits": {"hits": [{"_source": JUDGMENTS["OpenSearch"]}] * 2}}, "2 judgment lists, expected one"),
    "other gains for the same text": (
        {"query_groups": [
            {"queries": [{"$query": "q"}], "relevant_documents": {"d": {"gain": gain}}} for gain in (1, 2)
        ]},
        r"query_groups\[1\].queries\[0\]: query 'q' has other judgments than at .*query_groups\[0\].queries\[0\]",
    ),
    "which placeholder": (
        {"query_groups": [{"queries": [{"placeholders": {"$a": "x", "$b": "y"}}], "relevant_documents": GAINS}]},
        r"queries\[0\].placeholders: .*expected a text for \$query",
    ),
    "no relevant documents": ({"query_groups": [{"queries": [{"$query": "q"}]}]}, "no relevant_documents"),
    "a document with two gains": (
        {"query_groups": [{"queries": [{"$query": "q"}], "relevant_documents": {"1": ["d"], "2": ["d"]}}]},
        r"document 'd' .*occurs twice, first at .*relevant_documents.1\[0\]",
    ),
    "a gain that is text": (
        {"query_groups": [{"queries": [{"$query": "q"}], "relevant_documents": {"d": {"gain": "x"}}}]},
        r"queries\[0\] \(relevant_documents.d\): relevance 'x'",
    ),
    "Quepid without document": ("query,docid,rating\nq,,3\n", "file.json:2: the docid is empty"),
    "Quepid with text": ("query,docid,rating\nr\nq,d,good\n", "file.json:3: rating is 'good'"),
    "Quepid without ratings": ("query,docid,rating\nr\nq,d,\n", "no ratings, expected at least one"),
    "Quepid with more fields": ("query,docid,rating\nq,d,1,2\n", "file.json:2: "),
    "Quepid twice": ("query,docid,rating\nr\nq,d,1\nq,d,2\n", "file.json:4: document 'd' .*first at .*file.json:3"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_in_ratings_is_said_with_its_place(put: Put, case: str) -> None:
    content, said = WRONG[case]
    with pytest.raises(rs.InputError, match=said):
        rs.read_qrels(put(content))
