"""A folder of small files as users have them: some good ones of each kind, and those that go wrong."""

from __future__ import annotations

import gzip
from pathlib import Path

__all__ = ["make_files"]

QUERIES = ("301", "302", "303", "304", "305", "306")
DOCUMENTS = ("ap1", "ap2", "ft3", "ft4", "la5")


def qrels_lines(rotate: int) -> list[str]:
    """Judgments of three grades; rotate: another judge."""
    return [f"{q} 0 {d} {(i * j + rotate) % 3}\n" for i, q in enumerate(QUERIES) for j, d in enumerate(DOCUMENTS)]


def run_lines(name: str, step: int, queries: tuple[str, ...] = QUERIES) -> list[str]:
    """All documents of each query, in an order of their own."""
    order = [DOCUMENTS[(step * j) % len(DOCUMENTS)] for j in range(len(DOCUMENTS))]
    return [
        f"{q} Q0 {d} {j + 1} {9.5 - j - i / 10} {name}\n" for i, q in enumerate(queries) for j, d in enumerate(order)
    ]


def letor_lines(first: int) -> list[str]:
    return [
        f"{(q + d) % 3} qid:{first + q} 1:{(q * d) % 5} 2:{d / 4} 3:{(7 * q + d) % 4} #docid = d{d}\n"
        for q in range(4)
        for d in range(5)
    ]


RANKED = [(s, m, (s + 2 * m) % 3 + 1, (s * m) % 4) for s in range(1, 5) for m in range(3)]

#: Name of the file -> what it holds.
GOOD = {
    "my.qrels": "".join(qrels_lines(0)),
    "llm.qrels": "".join(qrels_lines(1)),
    "bm25.run": "".join(run_lines("bm25", 1)),
    "dense.run": "".join(run_lines("dense", 2)),
    "rerank.run": "".join(run_lines("rerank", 3)),
    "train.txt": "".join(letor_lines(1)),
    "test.txt": "".join(letor_lines(11)),
    "scores.txt": "".join(f"{(3 * i) % 7}\n" for i in range(20)),
    "positions.txt": "".join(f"{i % 5 + 1}\n" for i in range(20)),
    "ranks.tsv": "author\tpagerank\tcites\n" + "".join(f"A{i}\t{i + 1}\t{(3 * i) % 20 + 1}\n" for i in range(20)),
    "votes.tsv": "book\tAda\tBen\tCleo\nEmma\t1\t2\t1\nKim\t2\t1\t3\nWalden\t3\t3\t2\n",
    "arena.csv": "prompt,left,right,winner\n1,one,two,one\n2,two,one,tie\n3,one,three,three\n4,two,three,two\n",
    "judged.csv": "segment,system,gold,comet\n" + "".join(f"{s},{'ABC'[m]},{g},{c}\n" for s, m, g, c in RANKED),
    "judged.jcml": "<jcml>"
    + "".join(
        f'<judgedsentence id="{s}">'
        + "".join(f'<tgt system="{"ABC"[m]}" rank="{g}" bleu="{c}"/>' for t, m, g, c in RANKED if t == s)
        + "</judgedsentence>"
        for s in range(1, 5)
    )
    + "</jcml>",
    "human.seg.score": "".join(f"{'ABC'[m]}\t{4 - g}\n" for s, m, g, c in sorted(RANKED, key=lambda row: row[1])),
    "bleu.seg.scr": "".join(f"bleu\tde-en\ttest\t{'ABC'[m]}\t{s}\t{c / 4}\n" for s, m, g, c in RANKED),
    "systems.csv": "system,human,BLEU\nA,0.7,31\nB,0.6,29\nC,0.5,30\nD,0.4,25\n",
    "labels.csv": "true,predicted\nyes,yes\nno,yes\nno,no\nyes,yes\n",
    "src.de": "das ist ein haus\nein hund\n",
    "ref.en": "this is a house\na dog\n",
    "out.en": "this is house\none dog\n",
}

#: Files that are something else than their name or place says.
BAD = {
    "empty.run": "",
    "empty.qrels": "",
    "blank.run": "\n\n",
    "header.csv": "query,docid,sim\n301,ap1,0.5\n",
    "noheader.csv": "301,ap1,0.5\n302,ft3,0.25\n",
    "semicolons.csv": "query_id;doc_id;score\n301;ap1;0.5\n",
    "commas.run": "301,Q0,ap1,1,9.5,bm25\n",
    "short.run": "301 Q0 ap1 1 9.5 bm25\n301 Q0 ap2 2 8.5\n",
    "words.run": "301 Q0 ap1 1 high bm25\n",
    "nan.run": "301 Q0 ap1 1 nan bm25\n",
    "twice.run": "301 Q0 ap1 1 9.5 bm25\n301 Q0 ap1 2 8.5 bm25\n",
    "twice.qrels": "301 0 ap1 1\n301 0 ap1 0\n",
    "halves.qrels": "301 0 ap1 0.5\n",
    "elsewhere.run": "".join(run_lines("bm25", 1, ("Q7", "Q8"))),
    "one.qrels": "".join(qrels_lines(0)[5:10]),
    "few.run": "".join(run_lines("few", 2, QUERIES[:2])),
    "short-scores.txt": "1\n2\n3\n",
    "page.html": "<!DOCTYPE html>\n<html><body>bm25.run</body></html>\n",
    "broken.json": '{"301": {"ap1": 0.5',
    "list.json": "[1, 2, 3]\n",
    "other.json": '{"301": {"ap1": "high"}}\n',
    "noqid.txt": "1 1:0.5 2:0.25\n",
    "words.tsv": "author\tpagerank\nA1\tfirst\n",
    "alone.tsv": "book\tAda\nEmma\t1\nKim\t2\n",
    "nobody.csv": "prompt,left,right,winner\n1,one,two,four\n",
    "onelabel.csv": "true,guess\nyes,yes\n",
    "broken.jcml": '<jcml><judgedsentence id="1"><tgt system="A" rank="1"/>',
    "onesystem.csv": "segment,system,gold,comet\n1,A,1,3\n2,A,1,2\n",
    "onesystems.csv": "system,human,BLEU\nA,0.7,31\n",
    "short.en": "this is house\n",
    "latin1.run": "301 Q0 caf\udce9 1 9.5 bm25\n",
}


def make_files(folder: Path) -> None:
    """All of them, a folder called `folder`, and an output that is there already."""
    for name, text in {**GOOD, **BAD}.items():
        (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    (folder / "binary.run").write_bytes(bytes(range(256)))
    (folder / "utf16.run").write_bytes(GOOD["bm25.run"].encode("utf-16"))
    (folder / "cut.run.gz").write_bytes(gzip.compress(GOOD["bm25.run"].encode(), mtime=0)[:-9])
    (folder / "notgzip.run.gz").write_text(GOOD["bm25.run"])
    (folder / "fake.parquet").write_text("PAR1 no table\n")
    (folder / "folder").mkdir()
    (folder / "old.txt").write_text("precious\n")
