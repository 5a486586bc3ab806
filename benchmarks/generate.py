"""Make judgments and a run in TREC's formats, of any size, from a seed.

    python benchmarks/generate.py --queries 1000 --documents 1000 --judged 100 --variant plain

prints the paths of the qrels and of the run. Files are kept in benchmarks/data/ and made once for
each set of parameters. They look like TREC's: query ids from 301 on, document ids of 11 to 13 bytes
(FBIS3-13213, FT941-003042, LA000012-0007), scores of 6 decimals that fall with the rank, grades 0 to 3.
6 of 10 judged documents were retrieved, more of them near the top; no two documents of a query have
one score. Variants differ in one thing:

    digits17   scores of 17 digits
    tied       9 of 10 documents have the score of the document before them
    crlf       two spaces between the fields, CRLF at the ends of the lines
    shuffled   the lines of the run in random order
    gz         the run is compressed
    csv        the run is a table of the columns query_id, doc_id, score
    parquet    the same table, in Parquet
"""

import argparse
import gzip
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

VARIANTS = ("plain", "digits17", "tied", "crlf", "shuffled", "gz", "csv", "parquet")
DATA = Path(__file__).resolve().parent / "data"
SEED = 20031121
VERSION = 1  # part of the files' names: raise it when the generator changes what it makes
POOL = 2**19 - 1  # documents there are to retrieve; a prime, so that steps of any size repeat none
FIRST_QUERY = 301
CHUNK = 100_000  # documents made at a time


@dataclass(frozen=True)
class Shape:
    queries: int
    documents: int
    judged: int
    variant: str = "plain"

    def paths(self, folder: Path) -> tuple[Path, Path]:
        """Where the qrels and the run are; all variants share their qrels."""
        stem = f"v{VERSION}-{self.queries}x{self.documents}-{self.judged}"
        suffix = {"gz": ".run.gz", "csv": ".csv", "parquet": ".parquet"}.get(self.variant, ".run")
        return folder / f"{stem}.qrels", folder / f"{stem}-{self.variant}{suffix}"


def digits(values, width, padded=True):
    """Numbers as (n, width) digits; without padding, NUL in place of leading zeros."""
    powers = 10 ** np.arange(width - 1, -1, -1)
    found = (values[:, None] // powers % 10 + ord("0")).astype(np.uint8)
    if not padded:
        found[:, :-1][values[:, None] < powers[:-1]] = 0
    return found


def doc_ids():
    """(POOL, 13) the ids of all documents, NUL after the shorter ones."""
    number = np.arange(POOL)
    table = np.zeros((POOL, 13), np.uint8)
    forms = ((b"FBIS", 1, 5), (b"FT9", 2, 6), (b"LA", 6, 4))
    for form, (name, left, right) in enumerate(forms):
        ours = number[number % 3 == form]
        text = columns(len(ours), name, digits(ours // 10**right, left), b"-", digits(ours % 10**right, right))
        table[ours, : text.shape[1]] = text
    return table


def columns(n, *parts):
    """Texts and (n, width) tables of bytes side by side."""
    tables = [np.broadcast_to(np.frombuffer(p, np.uint8), (n, len(p))) if isinstance(p, bytes) else p for p in parts]
    return np.hstack(tables)


def as_bytes(table):
    return table[table != 0].tobytes()


def retrieved(rng, count, shape):
    """(count, documents + judged but not retrieved) document numbers, none twice in a query."""
    begin, step = rng.integers(POOL, size=(count, 1)), rng.integers(1, POOL, size=(count, 1))
    return (begin + step * np.arange(shape.documents + shape.judged)) % POOL


def judged(rng, docs, shape):
    """(count, judged) documents and grades: 6 of 10 among the retrieved, with more chance near the top."""
    n = min(shape.judged * 6 // 10, shape.documents)
    waiting = rng.exponential(size=(len(docs), shape.documents)) * (10 + np.arange(shape.documents))
    found = np.take_along_axis(docs, np.argsort(waiting, axis=1)[:, :n], axis=1)
    rest = docs[:, shape.documents : shape.documents + shape.judged - n]
    grades = np.searchsorted([0.75, 0.9, 0.97], rng.random((len(docs), shape.judged)))
    return np.hstack((found, rest)), grades


def scores(rng, count, shape):
    """(count, documents) millionths, falling. Gaps of 10 and more, so that single precision tells them apart."""
    gaps = rng.integers(10, 20_000, size=(count, shape.documents))
    if shape.variant == "tied":
        gaps[rng.random(gaps.shape) < 0.9] = 0
    return shape.documents * 20_000 + 1_000_000 - np.cumsum(gaps, axis=1)


def lines(ids, shape) -> Iterator[tuple[bytes, bytes]]:
    """The text of qrels and run, chunk by chunk."""
    gap, end = (b"  ", b"\r\n") if shape.variant == "crlf" else (b" ", b"\n")
    size = max(1, CHUNK // shape.documents)
    for first in range(0, shape.queries, size):
        rng = np.random.default_rng([SEED, first])
        query = FIRST_QUERY + np.arange(first, min(first + size, shape.queries))
        docs = retrieved(rng, len(query), shape)
        known, grades = judged(rng, docs, shape)
        n = known.size
        names = digits(np.repeat(query, shape.judged), 7, padded=False)
        qrels = columns(n, names, b" 0 ", ids[known.ravel()], b" ", digits(grades.ravel(), 1), b"\n")
        n = len(query) * shape.documents
        names = digits(np.repeat(query, shape.documents), 7, padded=False)
        rank = digits(np.tile(np.arange(1, shape.documents + 1), len(query)), 5, padded=False)
        score = scores(rng, len(query), shape).ravel()
        number = [digits(score // 10**6, 3, padded=False), b".", digits(score % 10**6, 6)]
        if shape.variant == "digits17":
            number.append(digits(rng.integers(10**9, size=n), 9))
        found = ids[docs[:, : shape.documents].ravel()]
        run = columns(n, names, gap, b"Q0", gap, found, gap, rank, gap, *number, gap, b"bm25", end)
        yield as_bytes(qrels), as_bytes(run)


def write(shape: Shape, folder: Path) -> tuple[Path, Path]:
    """Make the files unless they are there. Whole or not at all."""
    paths = shape.paths(folder)
    if all(path.exists() for path in paths):
        return paths
    folder.mkdir(parents=True, exist_ok=True)
    parts = [path.with_name(f"{path.name}.{os.getpid()}.part") for path in paths]
    with open(parts[0], "wb") as qrels, open(parts[1], "wb") as run:
        for judgments, found in lines(doc_ids(), shape):
            qrels.write(judgments)
            run.write(found)
    if shape.variant == "shuffled":
        shuffle(parts[1])
    if shape.variant == "gz":
        parts[1].write_bytes(gzip.compress(parts[1].read_bytes(), 6, mtime=0))
    if shape.variant in ("csv", "parquet"):
        tabulate(parts[1], shape.variant)
    for part, path in zip(parts, paths, strict=True):
        os.replace(part, path)
    return paths


def tabulate(path: Path, form: str) -> None:
    """A run in TREC's lines as a table, as large as it may be."""
    import polars as pl

    columns = {"query_id": pl.String, "Q0": pl.String, "doc_id": pl.String, "rank": pl.Int64, "score": pl.Float64}
    lines = pl.scan_csv(path, separator=" ", has_header=False, schema={**columns, "tag": pl.String}, glob=False)
    table = lines.select("query_id", "doc_id", "score")
    made = path.with_name(f"{path.name}.table")
    table.sink_csv(made) if form == "csv" else table.sink_parquet(made)
    os.replace(made, path)


def shuffle(path: Path) -> None:
    text = path.read_bytes().splitlines(keepends=True)
    order = np.random.default_rng(SEED).permutation(len(text))
    path.write_bytes(b"".join([text[i] for i in order.tolist()]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("queries", 1000), ("documents", 1000), ("judged", 100)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--variant", choices=VARIANTS, default="plain")
    parser.add_argument("--folder", type=Path, default=DATA)
    args = parser.parse_args()
    for path in write(Shape(args.queries, args.documents, args.judged, args.variant), args.folder):
        print(path)


if __name__ == "__main__":
    main()
