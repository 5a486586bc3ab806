"""Small good files of every format, all made here: where mutations begin."""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

import rankscope as rs
from rankscope import read_features
from rankscope.experiments.random_search.trial_log import FORM, MARK, Trial
from rankscope.fusion import save_fusion
from rankscope.io.core import pack_arrays
from rankscope.learning import LambdaMART, Ranker, save_ranker
from rankscope.stability.conditions import Condition
from rankscope.translation import save_language_model, save_lexicon, train_language_model, train_lexicon

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Seeds = Mapping[str, bytes]

CONDITION = Condition(2, 2, 12)
SEARCHED = {"digest": "0123", "models": {"lambdarank": "hidden 8 | rate 0.1"}, "measure": "nDCG@10"}
ROWS = [("q", "a", 1.5, 1), ("q", "b", 2.5, 0), ("r", "a", -1e-3, 2), ("r", "c", 0.0, -1)]
RUN = b"".join(b"%s Q0 %s 1 %r t\n" % (q.encode(), d.encode(), s) for q, d, s, _ in ROWS)
QRELS = b"".join(b"%s 0 %s %d\n" % (q.encode(), d.encode(), g) for q, d, _, g in ROWS)


def frame() -> pl.DataFrame:
    return pl.DataFrame(ROWS, schema=["query_id", "doc_id", "score", "relevance"], orient="row")


def parquet(table: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    table.write_parquet(out)
    return out.getvalue()


def tables(table: pl.DataFrame) -> dict[str, bytes]:
    """A table in all the formats that have columns."""
    return {
        "csv": table.write_csv().encode(),
        "tsv": table.write_csv(separator="\t").encode(),
        "jsonl": table.write_ndjson().encode(),
        "parquet": parquet(table),
    }


def table_of(text: str) -> pl.DataFrame:
    return pl.read_csv(io.StringIO(text), infer_schema_length=None)


def written(write: Callable[[Path], Any], name: str) -> bytes:
    """What a writer of the package writes to a file of this name."""
    with TemporaryDirectory() as folder:
        write(Path(folder, name))
        return Path(folder, name).read_bytes()


def packed(content: bytes) -> dict[str, bytes]:
    return {"gzip": gzip.compress(content, mtime=0), "zstd": zstd.compress(content)}


# Rankings


@cache
def qrels() -> Seeds:
    named = {"q": {"a": 1, "b": 0}, "r": {"c": 2}}
    return {"trec": QRELS, "json": json.dumps(named).encode(), **tables(frame().drop("score")), **packed(QRELS)}


@cache
def runs() -> Seeds:
    named = {"q": {"a": 1.5, "b": 2}, "r": {"c": -1e-3}}
    return {
        "trec": RUN,
        "msmarco": b"q\ta\t1\nq\tb\t2\nr\ta\t1\n",
        "json": json.dumps(named).encode(),
        "lists": b"".join(
            json.dumps({"id": q, "retrieved": ["a", *map(str, range(250))]}).encode() + b"\n" for q in "qr"
        ),
        "mixed": b'{"qid": "q", "doc": "a", "score": 1, "x": true}\n{"qid": "q", "doc": "b", "score": 2, "x": [1]}\n',
        **tables(frame().drop("relevance")),
        **packed(RUN),
    }


@cache
def named_columns() -> Seeds:
    """Tables whose columns the user names: `NAMED_COLUMNS` of the readers."""
    table = frame().drop("relevance").rename({"query_id": "frage", "doc_id": "hit", "score": "wert"})
    lists = [{"frage": "q", "treffer": ["a", "b"]}, {"frage": "r", "treffer": []}]
    return {
        **tables(table),
        "semicolons": table.write_csv(separator=";").replace(".", ",").encode(),
        "lists": "".join(json.dumps(record) + "\n" for record in lists).encode(),
        "list parquet": parquet(pl.DataFrame(lists)),
    }


@cache
def rankings() -> Seeds:
    lz4 = written(lambda path: rs.convert(rs.Run({"q": {"a": 1.5, "b": 2.0}}), path), "file.lz4")
    both = {
        f"{kind} {name}": content
        for kind, some in (("qrels", qrels()), ("run", runs()))
        for name, content in some.items()
    }
    marco = b"q\ta\t1\nq\tb\t2\nr\tc\t1\n"
    return {**both, "lz4": lz4, "msmarco": marco, "both": frame().write_csv().encode()}


@cache
def responses() -> Seeds:
    """Hits of search engines."""
    hits = [{"_index": "i", "_id": doc, "_score": 2.5 - place, "_source": {}} for place, doc in enumerate("ab")]
    one = {"timed_out": False, "_shards": {"failed": 0}, "hits": {"total": {"value": 2}, "hits": hits}}
    lines = [{"query_id": "q", "response": one}, {"query": {"match": {}}, "id": "r", **one}]
    return {
        "lines": b"".join(json.dumps(line).encode() + b"\n" for line in lines),
        "by query": json.dumps({"q": one, "r": {"hits": {"total": 0, "hits": []}}}).encode(),
        "msearch": json.dumps({"took": 3, "responses": [{"qid": "q", **one}]}).encode(),
    }


@cache
def ratings() -> Seeds:
    """Judgments of search engines and of tools around them, and a data set of questions."""
    rated = {"id": "q", "ratings": [{"_index": "i", "_id": "a", "rating": 1}, {"_id": "b", "rating": 0}]}
    listed = {"query": "q", "ratings": [{"docId": "a", "rating": "1.000"}, {"docId": "b", "rating": 0.5}]}
    group = {"queries": [{"template": "t", "placeholders": {"$query": "q"}}], "relevant_documents": {"a": {"gain": 3}}}
    by_gain = {"placeholders": {"$query": "r"}, "relevant_documents": {"1": ["a"], "2": ["b"]}}
    judgments = {"status": "COMPLETED", "judgmentRatings": [listed]}
    questions = {"queries": {"q": "x?"}, "corpus": {"a": "x"}, "relevant_docs": {"q": ["a", "b"]}, "mode": "text"}
    made = {
        "requests": {"requests": [rated], "metric": {"dcg": {}}},
        "details": {"metric_score": 1, "details": {"q": rank_eval_detail()}, "failures": {}},
        "judgment list": judgments,
        "fetched": {"hits": {"hits": [{"_source": judgments}]}},
        "rre": {"topics": [{"query_groups": [group]}], "queries": [by_gain]},
        "questions": questions,
    }
    quepid = b"query,docid,rating\nq,a,1\nq,b,\nr\n"
    return {**{name: json.dumps(data).encode() for name, data in made.items()}, "quepid": quepid}


def rank_eval_detail() -> dict[str, Any]:
    hits = [{"hit": {"_id": "a", "_score": 1.5}, "rating": 1}, {"hit": {"_id": "b", "_score": 1.0}, "rating": None}]
    return {"metric_score": 0.5, "unrated_docs": [], "hits": hits, "metric_details": {"dcg": {}}}


def predictions_by_split() -> Seeds:
    run = {"q": {"a": 1.5, "b": 2}, "r": {"c": -1e-3}}
    meta = {"mteb_model_meta": {"model_name": "org/m", "revision": "1"}}
    return {"mteb": json.dumps({**meta, "default": {"test": run}}).encode()}


def query_files() -> Seeds:
    """The queries of two responses, in order."""
    return {"tsv": b"q\tx\nr\ty\n", "header": b"qid\ttext\nq\tx\nr\ty\n", "beir": b'{"_id": "q"}\n{"_id": "r"}\n'}


@cache
def result_files() -> Seeds:
    """Values in what other tools write."""
    entry = {"main_score": 0.5, "ndcg_at_10": 0.5, "hf_subset": "default", "languages": ["eng-Latn"]}
    mteb = {"task_name": "T", "mteb_version": "2", "scores": {"test": [entry], "dev": [entry]}}
    metrics = {"AP": {"name": "AP", "versions": {"v1": {"totalHits": 1, "value": "0.5"}, "v2": {"value": "1.0"}}}}
    queries = [{"metrics": metrics, "query": query, "results": {}} for query in "qr"]
    rre = {"metrics": metrics, "corpora": [{"topics": [{"query-groups": [{"query-evaluations": queries}]}]}]}
    rank_eval = {"metric_score": 1, "details": {"q": rank_eval_detail(), "r": rank_eval_detail()}}
    evaluator = [{"query": "q", "retrieved_ids": ["a"], "expected_ids": ["a"], "metric_dict": {"mrr": {"score": 1.0}}}]
    columns = {"questions": ["q", "r"], "faithfulness": [0.5, 1.0]}
    made = {"mteb": mteb, "rre": rre, "rank_eval": rank_eval, "llama_index": evaluator, "columns": columns}
    return {name: json.dumps(data).encode() for name, data in made.items()}


@cache
def longer_runs() -> Seeds:
    """Enough of rows for several pieces."""
    rows = [(q, d, i / 4, 0) for i, (q, d) in enumerate((q, d) for q in "pqrs" for d in "abcde")]
    text = b"".join(b"%s Q0 %s 1 %r t\n" % (q.encode(), d.encode(), s) for q, d, s, _ in rows)
    mixed = b"".join(sorted(text.splitlines(keepends=True), key=lambda line: line.split()[2]))
    table = pl.DataFrame([row[:3] for row in rows], schema=["query_id", "doc_id", "score"], orient="row")
    out = io.BytesIO()
    table.write_parquet(out, row_group_size=7)
    return {"trec": text, "mixed": mixed, **tables(table), "row groups": out.getvalue(), **packed(text)}


@cache
def partitions() -> Seeds:
    """Runs that may be one of several files."""
    return {name: content for name, content in runs().items() if name not in ("json", "lists", "msmarco")}


def trec() -> Seeds:
    return {"qrels": QRELS, "run": RUN, **packed(RUN)}


@cache
def of_ranx() -> Seeds:
    return {name: runs()[name] for name in ("json", "trec", "parquet")}


@cache
def subtopics() -> Seeds:
    table = frame().drop("score").with_columns(subtopic=pl.Series(["1", "2", "1", "x"]))
    named = {"q": {"1": {"a": 1}, "2": {"b": 0}}}
    return {"trec": b"q 1 a 1\nq 2 a 1\nq 1 b 0\n", "json": json.dumps(named).encode(), **tables(table)}


# Learning to rank


@cache
def letor() -> Seeds:
    comments = [b"#docid = D%d inc = 0.5 prob = 0.25" % i for i in range(3)]
    lines = [b"2 qid:10 1:0.5 3:1 ", b"0 qid:10 2:0.25 ", b"1 qid:11 1:-1e-3 "]
    full = b"".join(line + comment + b"\n" for line, comment in zip(lines, comments, strict=True))
    return {"of a script": full, "plain": b"\n".join(line.strip() for line in lines), **packed(full)}


def predictions() -> Seeds:
    return {"numbers": b"0.5\n-1e3\n2\n", "ranks": b"1\n2\n1\n", **packed(b"0.5\n1\n2\n")}


@cache
def letor_output() -> Seeds:
    from rankscope.compat.letor import letor_score

    def write(path: Path, preset: str) -> None:
        labels, scores = path.with_name("labels"), path.with_name("scores")
        labels.write_bytes(
            letor()["of a script"].replace(
                b" inc = 0.5 prob = 0.25", b"" if preset == "letor3" else b" inc = 0.5 prob = 0.25"
            )
        )
        scores.write_bytes(predictions()["numbers"])
        path.write_text(letor_score(labels, scores, by_query=True, preset=preset))

    return {
        preset: written(lambda path, preset=preset: write(path, preset), "out")
        for preset in ("letor3", "letor4", "mslr")
    }


@cache
def features() -> Seeds:
    table = table_of("query_id,doc_id,relevance,bm25,length\nq,a,1,0.5,3\nq,b,0,,2\nr,a,2,-1e-3,1\n")
    return {**letor(), "from 0": b"1 qid:a 0:1 1:0.5\n0 qid:a 1:2\n", **tables(table)}


def folds() -> Seeds:
    """Queries enough for three folds."""
    text = b"".join(b"%d qid:%d 1:0.%d 2:%d\n" % (i % 3, i // 2, i, i * i) for i in range(12))
    return {"text": text, **packed(text)}


def cached_file(cache: Path) -> Path:
    """The file that a cache lies beside."""
    path = cache.with_name("train.txt")
    if not path.exists():
        path.write_bytes(letor()["of a script"])
    return path


@cache
def feature_caches() -> Seeds:
    return {"cache": written(lambda path: read_features(cached_file(path), cache=path), "train.txt.rscache")}


@cache
def rankers() -> Seeds:
    x, y, groups = [[i / 24, i % 5] for i in range(24)], [i // 8 for i in range(24)], [i % 3 for i in range(24)]
    made = {
        "linear": Ranker(hidden=()),
        "network": Ranker(hidden=(2,), epochs=2),
        "trees": Ranker(LambdaMART(trees=2, leaves=3, min_documents=2, features=1, documents=1)),
    }
    return {
        name: written(lambda path, one=one: save_ranker(one.fit(x, y, qid=groups), path), "file.model")
        for name, one in made.items()
    }


@cache
def fusions() -> Seeds:
    lists = [{f"q{i}": {"a": 3.0, "b": 2.0} for i in range(3)}, {f"q{i}": {"b": 3.0, "c": 2.0} for i in range(3)}]
    grades = {f"q{i}": {"b": 1} for i in range(3)}
    return {
        method: written(
            lambda path, method=method: save_fusion(rs.fusion.train(grades, lists, method, folds=3), path), "file.json"
        )
        for method in ("map-fuse", "weighted-sum", "bayes-fuse")
    }


# Entities, judgments of people


def entities() -> Seeds:
    text = b"paper,pagerank,citations\nA,1,3.5\nB,12,3.5\n"
    return {"csv": text, "tsv": text.replace(b",", b"\t"), **packed(text)}


def jcml() -> Seeds:
    return {
        "judged": b'<?xml version="1.0" encoding="utf-8"?><jcml>'
        b'<judgedsentence id="1" langsrc="de" langtgt="en" judge_id="x">'
        b'<src>eins</src><tgt system="a" rank="1" bleu="23.1">one</tgt><tgt system="b" rank="2" bleu="1e-3"/>'
        b"</judgedsentence></jcml>",
        "utf-16": '<jcml><judgedsentence><tgt rank="1" system="ä"/></judgedsentence></jcml>'.encode("utf-16"),
    }


def appraise() -> Seeds:
    return {
        "results": b'<results><HIT source-language="deu" target-language="eng"><ranking-task id="7"><ranking-result '
        b'user="ann" duration="00:00:35"><translation system="A" rank="1"/><translation system="B,C" rank="-1"/>'
        b'</ranking-result></ranking-task></HIT><ranking-item id="8"/></results>'
    }


def wmt_rankings() -> Seeds:
    names = b"srclang,trglang,srcIndex,judgeId,system1Id,system2Id,system3Id,system1rank,system2rank,system3rank\n"
    return {"csv": names + b'Czech,English,7,ann,A,"B",C,1,2,-1\nCzech,English,8,ann,A,B,C,1,1,2\n'}


def lines_of_segments() -> Seeds:
    return {"lines": b"".join(b"%d\n" % (2 * i) for i in range(1, 10))}


def better_pairs() -> Seeds:
    return {"bare": b"17 de-en A de-en B\n17 de-en C de-en A\n", "named": b"LP SID BETTER WORSE\nde-en 1 A B\n"}


@cache
def ranking_tables() -> Seeds:
    rows = "de-en,1,A,x,1,0.5\nde-en,1,B,x,2,0.75\nde-en,2,A,y,1,\nde-en,2,B,y,1,1e-3\n"
    table = table_of(f"pair,segment,system,judge,gold,reward\n{rows}")
    return {**tables(table), "list": table.write_json().encode()}


@cache
def experiments() -> Seeds:
    """Judgments with a column of a machine; a table of several experiments."""
    rows = "x,de-en,1,A,j,1,0.5\nx,de-en,1,B,j,2,0.75\ny,de-en,2,A,j,1,1\ny,de-en,2,B,k,1,1e-3\n"
    table = table_of(f"experiment,pair,segment,system,judge,gold,reward\n{rows}")
    several = {f"several {name}": content for name, content in tables(table).items()}
    return {**several, **ranking_tables(), "jcml": jcml()["judged"], "choices": choices()["csv"]}


@cache
def winners() -> Seeds:
    text = "left,right,winner,weight,length_left,length_right\nA,B,left,1,3,4\nB,A,tie,0.5,1,2\nC,A,right,2,0,1\n"
    return {**tables(table_of(text)), "better": b"segment,better,worse\n1,A,B\n2,B,C\n"}


@cache
def choices() -> Seeds:
    text = "item,a,b,human,judge\n1,large,small,a,tie\n2,small,large,b,b\n"
    return {**tables(table_of(text)), "better": b"segment,better,worse\n1,A,B\n2,B,C\n"}


@cache
def judgments() -> Seeds:
    return {
        **jcml(), **appraise(), **wmt_rankings(), **better_pairs(), "score": folder_scores()["scores"],
        **{f"table {name}": content for name, content in ranking_tables().items()},
        "choices": choices()["csv"],
    }  # fmt: skip


# Scores of metrics, texts


def segment_scores() -> Seeds:
    text = b"".join(b"BLEU\tde-en\tnews\t%s\t%d\t0.%d\n" % (s, i, i) for s in (b"news.A", b"B") for i in (1, 2))
    return {
        "tabs": text,
        "blanks": text.replace(b"\t", b" "),
        "more": text.replace(b"\n", b"\tno text\n"),
        **packed(text),
    }


def system_scores() -> Seeds:
    text = b"BLEU\tde-en\tnews\tA\t0.25\nBLEU\tde-en\tnews\tB\tnan\n"
    return {"tabs": text, "blanks": text.replace(b"\t", b" ")}


def folder_scores() -> Seeds:
    return {"scores": b"A\t-1.5\nA\tNone\nB\t0\nB\t-5\n"}


def folder_systems() -> Seeds:
    return {"systems": b"A\t0.5\nB\tNone\n"}


def documents() -> Seeds:
    return {"docs": b"news\tdoc1\nnews\tdoc1\nspeech\tdoc2\n"}


def texts() -> Seeds:
    return {"text": "it&apos;s\u2028one line\n\nthrée\r\n".encode(), **packed(b"one\ntwo\n")}


def learnt_texts() -> Seeds:
    return {"text": b"the house\na house is a house\n\nthe book\n", "model": language_models()[".arpa"]}


@cache
def system_tables() -> Seeds:
    return tables(table_of("pair,system,human,bleu\nde-en,A,1.5,0.25\nde-en,B,2,0.5\n"))


@cache
def metric_scores() -> Seeds:
    return {
        **{f"seg {name}": content for name, content in segment_scores().items() if name != "more"},
        **{f"sys {name}": content for name, content in system_scores().items()},
        **{f"table {name}": content for name, content in system_tables().items()},
        **folder_scores(),
        **folder_systems(),
    }


# Votes, labels, scores


@cache
def votes() -> Seeds:
    ballots = [["A", "B", "C"], ["B", ["A", "C"]], {"voter": "z", "weight": 0.5, "ranking": {"A": 1, "C": 2}}]
    long = table_of("voter,item,rank,weight\nx,A,1,2\nx,B,2,2\ny,A,2,1\ny,B,,1\n")
    return {
        "table": b"paper\tAnn\tBob\nX\t1\t2\nY\t2\t1\nZ\t3\t\n",
        "json": json.dumps(ballots).encode(),
        "named": json.dumps({"items": ["A", "B", "C"], "rankings": {"x": ["A", "B"], "y": ["C"]}}).encode(),
        "lines": b"".join(json.dumps(ballot).encode() + b"\n" for ballot in ballots),
        **{f"long {name}": content for name, content in tables(long).items()},
    }


@cache
def ballots() -> Seeds:
    table = table_of("voter,1st,2nd,3rd,weight\nAnna,Pizza,Sushi,Taco,2\nBen,Sushi,Pizza,,1\nCem,Taco,,Sushi,1\n")
    return {
        **tables(table),
        "list": table.write_json().encode(),
        "semicolons": b"# class\nTimestamp;Order [First choice];Order [Second choice]\n1;a;b\n2;b;-\n",
        "quotes": b'choice 1\tchoice 2\n"a\tb"\tc\n"c\n"\t"d"\n',
    }


@cache
def scores_by_measure() -> Seeds:
    rows = [f"{s},{m},{q},0.{s}{q}" for s in "12" for m in ("human", "m") for q in "123"]
    content = "\n".join(["system,measure,query,value", *rows, ""]).encode()
    frame = pl.read_csv(io.BytesIO(content), schema_overrides={"system": pl.String, "query": pl.String})
    return {
        "csv": content,
        "jsonl": frame.write_ndjson().encode(),
        "columns": b"system,item,human,m\n1,1,2,3\n2,1,3,4\n",
    }


@cache
def labels() -> Seeds:
    return {
        **tables(table_of("true,predicted\nyes,no\n1,1.0\nno,no\n")),
        "weights": b"cluster,weight,true,predicted\na,1,yes,no\na,2.5,1,\nb,1,no,no\n",
    }


@cache
def chunk_tables() -> Seeds:
    table = table_of("chunk,document\na#1,a\na#2,a\n007,b\n")
    return {**tables(table), "list": table.write_json().encode(), "other names": b"node_id\tdoc_id\n1\tx\n2\tx\n"}


@cache
def spans() -> Seeds:
    table = table_of("query,file,begin,end,relevance,score\nq,a,0,9,1,2.5\nq,a,5,20,2,1.5\nq,b,0,3,0,1\n")
    return {
        **tables(table),
        "list": table.write_json().encode(),
        "ranks": b"# note\nqid;path;start;stop;rank\nq;a;0;9;1\nq;a;4;12;2\n",
        "order": b"query,file,begin,end\nq,a,0,9\nq,a,4,12\n",
    }


@cache
def score_tables() -> Seeds:
    table = table_of("system,measure,query,value\na,AP,1,0.5\na,AP,2,1\na,AP,all,0.75\nb,AP,1,\n")
    graded = [{"id": i, "epoch": 1, "scores": {"match": {"value": "C"}, "f1": {"value": {"a": 0.5}}}} for i in (1, 2)]
    log = {"version": 2, "status": "success", "eval": {"model": "m", "task": "t"}, "samples": graded}
    sample = '{"doc_id": 0, "doc": {"q": "?"}, "resps": [[]], "metrics": ["acc"], "acc": 1.0}\n'
    return {
        **tables(table),
        "list": table.write_json().encode(),
        "wide": b"item,bm25,dense\n007,0.5,0.25\n8,,1\n",
        "semicolons": b"# note\nqid;a;b\n1;0,5;1\n",
        "measures": b'model\titem\tF1\tWER\tx\na\t1\t.5\t3\t"y\nz"\na\t2\t1\t2\tq\n',
        "trec_eval": b"map                   \tq1\t0.5\nmap\tq2\t1\nrunid\tall\tx\nmap\tall\t0.75\n",
        "trec_eval of runs": b"map\tq1\t0.5\nrunid\tall\tx\nmap\tall\t0.5\nmap\tq1\t1\nrunid\tall\ty\ngm_map\tall\t1\n",
        "index": b",user_input,response,faithfulness\n0,who?,he,0.5\n1,why?,so,\n",
        "ir_measures": b"q1\tnDCG@10\t0.5\nq2\tnDCG@10\t1.0\n",
        "mapping": b'{"a": {"q1": 0.5, "q2": null}, "b": {"q1": 1, "q2": 0}}',
        "repeats": b"item,epoch,group,weight,a,b\n1,1,x,0.5,1,0\n1,2,x,0.5,0,1\n2,1,y,1,1,1\n",
        "autojudge": b"a GRADE t1 0.5\na GRADE t2 True\na GRADE all 0.75\n",
        "inspect": b"id,epoch,model,task_name,score_match,score_f1,metadata_topic\n1,1,m,t,C,0.5,x\n2,1,m,t,I,,y\n",
        "inspect log": json.dumps(log).encode(),
        "samples": (sample + sample.replace(": 0,", ": 1,")).encode(),
    }


@cache
def saved_scores() -> Seeds:
    found = rs.evaluate({"q": {"a": 1}, "r": {"b": 2}}, {"q": {"a": 1.0, "c": 2.0}}, ["AP", "nDCG@5"])
    bounded = rs.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0, "c": 2.0}}, ["P@2"], unjudged="bounds")
    return {
        name: written(lambda path, one=one: rs.write_scores(one, path), "file.parquet")
        for name, one in (("plain", found), ("bounds", bounded))
    }


@cache
def boards() -> Seeds:
    return {
        **{f"votes {name}": content for name, content in votes().items()},
        "ballots": ballots()["csv"],
        **{f"preferences {name}": content for name, content in winners().items()},
        "scores": score_tables()["csv"],
        "saved": saved_scores()["plain"],
        "rankings": ranking_tables()["csv"],
    }


# Models of translations, what long work keeps


@cache
def language_models() -> Seeds:
    model = train_language_model(["a b", "a c", "a b c"], order=2)
    save = lambda path: save_language_model(model, path)  # noqa: E731 - twice the same
    return {name: written(save, f"file{name}") for name in (".arpa", ".lm", ".arpa.gz")}


@cache
def lexicons() -> Seeds:
    lexicon = train_lexicon(["das haus", "das buch"], ["the house", "the book"])
    return {"lexicon": written(lambda path: save_lexicon(lexicon, path), "file.lexicon")}


@cache
def translation_features() -> Seeds:
    return tables(table_of("pair,system,segment,length,bleu\nde-en,A,1,2,0.5\nde-en,B,1,3,1e-3\n"))


#: What a file of arrays of no kind in particular begins with.
ARRAYS_MAGIC = b"rankscope arrays 1\n"


def studies() -> Seeds:
    return {"settings": json.dumps({"rng": 3, "measures": ["AP"], "digest": "01"}, indent=1).encode()}


@cache
def outcomes() -> Seeds:
    qrels = {f"q{i}": {"a": 1, "b": i % 2} for i in range(12)}
    lists = [{f"q{i}": {"a": float(i % k), "b": 1.0} for i in range(12)} for k in (2, 3)]
    with TemporaryDirectory() as folder:
        rs.stability.study(
            qrels, [rs.Run(one, name=str(i)) for i, one in enumerate(lists)], measures=["AP"], splits=[2],
            iterations=2, n_resamples=4, checkpoint=Path(folder, "study"),
        )  # fmt: skip
        [path] = Path(folder, "study").glob("*.arrays")
        return {"outcome": path.read_bytes()}


def arrays() -> Seeds:
    named = {"values": np.arange(6.0).reshape(2, 3), "names": np.array(["a", "b"])}
    return {"arrays": b"".join(pack_arrays(ARRAYS_MAGIC, {}, named))}


def search_logs() -> Seeds:
    trials = [
        Trial(model="lambdarank", number=i, changed={"rate": 0.1, "hidden": (8,)}, value=0.5, by_fold=(0.4, 0.6),
                best_epoch=3.0, seconds=0.1)
        for i in (1, 2)
    ]  # fmt: skip
    head = json.dumps({MARK: FORM, **SEARCHED}).encode() + b"\n"
    return {"log": head + b"".join(trial.line() for trial in trials)}
