"""A folder of small files as users have them: some good ones of each kind, and those that go wrong."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
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
    "queries.csv": "query,group,cluster,weight,asked\n"
    + "".join(f"{q},{'head' if i % 2 else 'tail'},c{i // 2},{i + 1},often\n" for i, q in enumerate(QUERIES)),
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
    "queries-twice.csv": "query,group\n301,head\n301,tail\n",
    "queries-none.csv": "query,group\n901,head\n902,tail\n",
    "queries-few.csv": "query,group,weight\n301,head,1\n302,tail,2\n",
    "queries-all.csv": "query,group\n" + "".join(f"{q},all\n" for q in QUERIES),
    "queries-one.csv": "query,cluster\n" + "".join(f"{q},c\n" for q in QUERIES),
    "queries-zero.csv": "query,weight\n" + "".join(f"{q},{i}\n" for i, q in enumerate(QUERIES)),
    "queries-heavy.csv": "query,weight\n" + "".join(f"{q},{10 ** (9 * (i == 2))}\n" for i, q in enumerate(QUERIES)),
    "queries-bare.csv": "query,language\n" + "".join(f"{q},en\n" for q in QUERIES),
    "broken.jcml": '<jcml><judgedsentence id="1"><tgt system="A" rank="1"/>',
    "onesystem.csv": "segment,system,gold,comet\n1,A,1,3\n2,A,1,2\n",
    "onesystems.csv": "system,human,BLEU\nA,0.7,31\n",
    "short.en": "this is house\n",
    "latin1.run": "301 Q0 caf\udce9 1 9.5 bm25\n",
}

#: As other programs and people write what is meant for us.
FOREIGN = {
    "my run.run": GOOD["bm25.run"],
    "marco.tsv": "".join(f"{q}\t{d}\t{j}\n" for q in QUERIES for j, d in enumerate(DOCUMENTS, 1)),
    "counts.run": "301 ap1 7\n301 ap2 3\n",
    "ranked.csv": "query_id,doc_id,rank\n301,ap1,1\n",
    "quoted.csv": 'query_id,doc_id,score\n301,ap1,"0,5"\n',
    "percent.csv": "query_id,doc_id,score\n301,ap1,50%\n",
    "noid.csv": "query_id,doc_id,score\n,ap1,0.5\n",
    "pipes.csv": "query_id|doc_id|score\n301|ap1|0.5\n",
    "names.run": "qid Q0 docno rank score tag\n301 Q0 ap1 1 9.5 bm25\n",
    "names.qrels": "topic iter docno rel\n301 0 ap1 1\n",
    "five.qrels": "301 0 ap1 1 assessor1\n",
    "three.qrels": "301 ap1 1\n",
    "yes.qrels": "301 0 ap1 yes\n",
    "floats.qrels": "301 0 ap1 1.0\n",
    "slashes.qrels": "// made by hand\n301 0 ap1 1\n",
    "grades.csv": "query_id,doc_id,relevance\n301,ap1,highly\n",
    "topics.tsv": "301\tinternational organized crime\n",
    "topics.xml": "<top>\n<num> Number: 301\n</top>\n",
    "corpus.jsonl": '{"_id": "ap1", "title": "", "text": "crime"}\n',
    "merged.run": "<<<<<<< HEAD\n301 Q0 ap1 1 9.5 bm25\n",
    "log.run": "INFO loading index ...\n301 Q0 ap1 1 9.5 bm25\n",
    "tail.run": "301 Q0 ap1 1 9.5 bm25\nFinished in 3 s\n",
    "notfound.run": "404: Not Found",
    "lfs.run": "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22e\nsize 12345\n",
    "deep.json": '{"run": {"301": {"ap1": 0.5}}}\n',
    "lists.json": '{"301": [["ap1", 0.5]]}\n',
    "strings.json": '{"301": {"ap1": "0.5"}}\n',
    "single.json": "{'301': {'ap1': 0.5}}\n",
    "records.json": '[{"query_id": "301", "doc_id": "ap1", "score": 0.5}]\n',
    "columns.json": '{"query_id": {"0": "301"}, "doc_id": {"0": "ap1"}, "score": {"0": 0.5}}\n',
    "hits.json": '{\n "took": 3,\n "hits": {"hits": [{"_id": "ap1", "_score": 1.5}]}\n}\n',
    "qidlast.txt": "1 1:0.5 2:0.25 qid:3\n",
    "comma.txt": "1,0.5,0.25\n0,0.1,0.2\n",
    "half.txt": "0.5 qid:1 1:.5\n0 qid:1 1:.2\n",
    "falling.txt": "1 qid:1 2:0.5 1:1\n",
    "onegrade.txt": "0 qid:1 1:.5\n0 qid:1 1:.2\n",
    "journals.csv": "Journal|IF|SJR\nNature|1|2\nScience|2|1\n",
    "decimals.tsv": "author\tpr\tcites\nA\t1,5\t2\nB\t2\t1\n",
    "ordinal.csv": "journal,a,b\nNature,1st,2nd\nScience,2nd,1st\n",
    "twins.csv": "journal,a,a\nNature,1,2\nScience,2,1\n",
    "preflib.soc": "3\n1,A\n2,B\n3,C\n2,2,2\n2,1,2,3\n",
    "elo.csv": "model,elo\ngpt,1200\n",
    "alpaca.json": '[{"generator_1": "gpt", "generator_2": "claude", "preference": 1.0, "annotator": "z"}]\n',
    "chosen.csv": "prompt,chosen,rejected\np,good,bad\n",
    "mqm.tsv": "system\tdoc\trater\tseverity\nA\td\trater1\tMajor\n",
    "comet.json": '{"out.en": [{"mt": "b", "COMET": 0.8}]}\n',
    "raters.csv": "item,rater1,rater2\n1,yes,no\n2,yes,yes\n",
    "gap.csv": "true,predicted\nyes,\nno,no\n",
    "BLEU.sys.score": "A\t31\nB\t29\n",
}


def packed(name: str, content: bytes) -> bytes:
    """A ZIP archive with one file, which a workbook is, too."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


def archive(name: str, content: bytes) -> bytes:
    """A tar archive of one file, compressed."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as target:
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        target.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def binary_files() -> dict[str, bytes]:
    """Name -> content of what is no text."""
    run = GOOD["bm25.run"].encode()
    return {
        "run.xlsx": packed("[Content_Types].xml", b"<Types/>"),
        "run.xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504),
        "run.zip": packed("bm25.run", run),
        "run.npz": packed("scores.npy", b"\x93NUMPY"),
        "run.tar.gz": archive("bm25.run", run),
        "run.bz2": bz2.compress(run),
        "run.xz": lzma.compress(run),
        "run.pkl": b"\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00}q\x00.",
        "run.npy": b"\x93NUMPY\x01\x00v\x00{'descr': '<f8'}\n",
        "run.feather": b"ARROW1\x00\x00\xff\xff\xff\xff",
        "run.db": b"SQLite format 3\x00\x10\x00",
        "run.pdf": b"%PDF-1.7\n",
        "bare16.run": run.decode().encode("utf-16-le"),
        "utf16.tsv": GOOD["votes.tsv"].encode("utf-16"),
    }


def make_files(folder: Path) -> None:
    """All of them, a folder called `folder`, and an output that is there already."""
    for name, content in binary_files().items():
        (folder / name).write_bytes(content)
    for name, text in {**GOOD, **BAD, **FOREIGN}.items():
        (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    (folder / "binary.run").write_bytes(bytes(range(256)))
    (folder / "utf16.run").write_bytes(GOOD["bm25.run"].encode("utf-16"))
    (folder / "cut.run.gz").write_bytes(gzip.compress(GOOD["bm25.run"].encode(), mtime=0)[:-9])
    (folder / "notgzip.run.gz").write_text(GOOD["bm25.run"])
    (folder / "fake.parquet").write_text("PAR1 no table\n")
    (folder / "folder").mkdir()
    (folder / "old.txt").write_text("precious\n")
