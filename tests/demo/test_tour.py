"""The tour: what it prints, and that every command in it runs."""

import re
import sys
from html import unescape
from pathlib import Path

import pytest
from helpers.forks import run_command
from helpers.messages import mentions

from rankscope import evaluate
from rankscope.cli.main import main
from rankscope.demo import write_demo
from rankscope.demo.collection import SEED, SYSTEMS
from rankscope.demo.tour import PARTS, TOUR, full_tour, take_tour
from rankscope.errors import OutputError
from rankscope.reporting import page


@pytest.fixture(scope="module")
def tour(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tour") / "demo"
    return folder, take_tour(folder)


@pytest.fixture
def few_files(monkeypatch):
    """Of all parts of the demo the first, which the tour itself evaluates."""
    monkeypatch.setattr("rankscope.demo.tour.PARTS", PARTS[:1])


@pytest.fixture
def short_page(monkeypatch, few_files):
    """For tests of what is printed: the page of the report takes ten times as long as all else that the tour does."""

    class Page:
        html = "the page"

    monkeypatch.setattr("rankscope.reporting.report.report", lambda *_, **__: Page())


@pytest.mark.parametrize("step", TOUR, ids=[step.command.removeprefix("rankscope ") for step in TOUR])
def test_every_command_of_the_tour_runs(tour, step, commands):
    folder, text = tour
    lines = f"  {step.command}\n      {step.description}\n"
    assert lines in full_tour()
    assert (lines in text) == step.in_short_tour
    for earlier in TOUR[: TOUR.index(step)]:  # whose file this one may start from
        if written_by(earlier) in step.command.split() and not (folder / written_by(earlier)).exists():
            made = run_command(earlier.command, folder, commands)
            assert (made.returncode, made.stderr) == (0, "")
    done = run_command(step.command, folder, commands)
    assert (done.returncode, done.stderr) == (0, "")
    output = written_by(step)
    assert (folder / output).read_bytes() if output else done.stdout


def written_by(step):
    output = re.search(r"(?:-o|--to-qrels) (\S+)", step.command)
    return output[1] if output else None


def test_the_demo_fits_a_screen_and_names_one_command_for_each_purpose(tour):
    _, text = tour
    assert len(text.splitlines()) <= 42
    first = [step.command for step in TOUR if step.in_short_tour]
    assert [command.split()[1] for command in first] == [
        "evaluate",
        "compare",
        "plan",
        "gate",
        "stability",
        "consensus",
        "leaderboard",
        "train",
        "report",
    ]
    assert "`rankscope demo --tour`" in text


def test_the_whole_tour_is_printed_and_nothing_is_written(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_cli("--tour") == 0
    assert capsys.readouterr().out == full_tour()
    assert not list(tmp_path.iterdir())


def test_every_file_that_the_tour_names_was_written_by_it(tour):
    folder, _ = tour
    for step in TOUR:
        for name in re.findall(r"(?<!-o )\b[\w-]+\.(?:run|qrels)\b", step.command):
            assert (folder / name).is_file()


def test_the_tour_shows_which_run_is_the_more_diverse(tour):
    folder, _ = tour
    (step,) = (step for step in TOUR if "demo-diversity.qrels" in step.command)
    measures = re.findall(r"-m (\S+)", step.command)
    assert measures[1:] == ["alpha_nDCG@10", "StRecall@10"]
    runs = [folder / name for name in re.findall(r"\S+\.run", step.command)]
    plain, *diverse = evaluate(folder / "demo-diversity.qrels", runs, measures).values.mean(axis=2).T
    assert plain[0] > plain[1]
    assert all(values[1] > values[0] for values in diverse)


def test_the_tour_shows_the_table_its_signature_and_the_note_on_missing_queries(tour):
    _, text = tour
    lines = text.splitlines()
    assert "50 queries" in lines[0]
    assert "simulated (seed 2003)" in lines[1]
    at = next(i for i, line in enumerate(lines) if line.startswith("system "))
    assert [line.split()[0] for line in lines[at + 1 : at + 7]] == list(SYSTEMS)
    assert mentions(lines, "| ties:doc_id_desc | missing:zero", "| no_relevant:zero | queries:50", "| rankscope")
    assert mentions(lines, "note: dense ", 2, "50 queries")


def test_the_verdict_names_the_system_with_the_highest_mean_and_how_sure_that_is(tour):
    folder, text = tour
    scores = evaluate(folder / "demo.qrels", [folder / f"{name}.run" for name in SYSTEMS])  # steps write other runs
    means = dict(zip(scores.systems, scores.summary("nDCG@10"), strict=True))
    first, second = sorted(means, key=means.get, reverse=True)[:2]
    pattern = rf"{first} beats {second} .*{means[first] - means[second]:.4f}.* nDCG@10 .*p < 0\.0001\b.* (\d+) queries"
    assert 2 <= int(re.search(pattern, text)[1]) <= 50


def test_the_page_is_written_and_named(tour):
    folder, text = tour
    assert mentions(text, f"{folder / 'report.html'}")
    assert "The demo's six systems" in unescape((folder / "report.html").read_text("utf-8"))


def test_the_page_names_the_files_where_they_are(tour):
    pytest.importorskip("jinja2", reason="the extra `report` is not installed: pip install 'rankscope[report]'")
    folder, _ = tour
    html = unescape((folder / "report.html").read_text("utf-8"))
    assert f"{folder / 'demo.qrels'}, SHA-256" in html
    assert ".rankscope-" not in html


@pytest.mark.parametrize("step", ["demo.tour.evaluate", "reporting.report.report"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, OutputError("the page cannot be written")])
def test_the_demo_is_written_whole_or_not_at_all(tmp_path, monkeypatch, few_files, step, error):
    def failing(*_, **__):
        raise error

    monkeypatch.setattr(f"rankscope.{step}", failing)
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "demo.qrels").write_text("precious")
    for name in ("new", "old"):
        with pytest.raises((KeyboardInterrupt, MemoryError, OutputError)):
            take_tour(tmp_path / name, overwrite=True)
    assert [path.name for path in tmp_path.rglob("*")] == ["old", "demo.qrels"]
    assert (tmp_path / "old" / "demo.qrels").read_text() == "precious"


def test_without_the_extra_the_tour_says_what_it_takes_to_have_a_page(tmp_path, monkeypatch, few_files):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    page.template.cache_clear()
    text = take_tour(tmp_path / "demo")
    assert mentions(text, "page was not written")
    assert "pip install 'rankscope[report]'" in text
    assert not (tmp_path / "demo" / "report.html").exists()


def test_a_page_that_can_have_no_figures_is_not_announced_with_them(tmp_path, monkeypatch, short_page):
    monkeypatch.setattr("rankscope.reporting.figures.drawing_problem", lambda: "too few addresses; raise the limit")
    line = next(line for line in take_tour(tmp_path / "demo").splitlines() if "report.html in a browser" in line)
    assert mentions(line, "no figures: too few addresses; raise the limit")
    assert "with figures" not in line


def run_cli(*args):
    try:
        main(["demo", *args])
    except SystemExit as end:
        return end.code
    return 0


def test_the_command_prints_the_tour(tmp_path, capsys, short_page):
    assert run_cli(str(tmp_path / "new"), "--seed", "5") == 0
    out, err = capsys.readouterr()
    assert "(seed 5)" in out
    assert f"Try next, after cd {tmp_path / 'new'}:" in out
    assert err == ""


def test_the_quick_demo_has_all_files_but_the_page(tmp_path, capsys, tour):
    folder, text = tour
    assert run_cli(str(tmp_path / "quick"), "--quick") == 0
    out, _ = capsys.readouterr()
    assert out.splitlines()[2:15] == text.splitlines()[2:15]
    assert mentions(out, "--quick", "rankscope report")
    assert {path.name for path in folder.iterdir()} >= {path.name for path in (tmp_path / "quick").iterdir()}
    assert (tmp_path / "quick" / "demo.qrels").read_bytes() == (folder / "demo.qrels").read_bytes()
    assert not (tmp_path / "quick" / "report.html").exists()


def test_the_command_refuses_a_folder_in_use_in_one_line_with_exit_code_2(tmp_path, capsys, short_page):
    (tmp_path / "mine.txt").write_text("mine")
    assert run_cli(str(tmp_path)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "--overwrite" in err
    assert run_cli(str(tmp_path), "--overwrite") == 0
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_in_the_folder_itself_nobody_is_told_to_change_to_it(tmp_path, capsys, monkeypatch, short_page):
    monkeypatch.chdir(tmp_path)
    assert run_cli(".") == 0
    assert "\nTry next:\n" in capsys.readouterr().out


def test_who_cannot_call_rankscope_by_its_name_is_told_where_it_is(tmp_path, monkeypatch, short_page):
    monkeypatch.setattr("shutil.which", lambda name: None)
    folder = Path(sys.executable).parent
    above = take_tour(tmp_path).partition("Try next")[0]  # where it is read
    assert mentions(above.splitlines(), f"{folder}: ", "PATH")
    assert mentions(full_tour().splitlines()[-1], f"{folder}: ", "PATH")
    monkeypatch.setattr("shutil.which", lambda name: f"/somewhere/{name}")
    assert "PATH" not in take_tour(tmp_path, overwrite=True)


def test_a_negative_seed_is_refused(tmp_path):
    assert run_cli(str(tmp_path / "new"), "--seed", "-1") == 2
    assert not (tmp_path / "new").exists()


def test_write_demo_writes_the_files_of_the_tour_and_returns_their_folder(tour, tmp_path):
    folder, _ = tour
    demo = write_demo(tmp_path / "demo")
    assert demo == tmp_path / "demo"
    written = {str(path.relative_to(demo)) for path in demo.rglob("*") if path.is_file()}
    assert written == {name for part in PARTS for name in part(SEED)}
    assert all((demo / name).read_bytes() == (folder / name).read_bytes() for name in written)
    with pytest.raises(OutputError, match="not empty"):
        write_demo(demo)
    (demo / "bm25.run").write_text("", "utf-8")
    assert (write_demo(demo, overwrite=True) / "bm25.run").read_bytes() == (folder / "bm25.run").read_bytes()
