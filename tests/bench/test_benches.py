"""Every bench still runs, at a size at which its figures mean nothing, and has its place."""

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from subprocess import STDOUT
from typing import Any

import msgspec
import pytest

import copier
import program

ROOT = Path(__file__).parents[2]
BENCHES = [
    script
    for script in sorted((ROOT / "bench").glob("*.py"))
    if script.name != "stand.py"  # what they share
]


# The one that runs as people run it, with real processes of its own.
AS_A_SCRIPT = "floor"
IN_A_COPY = [script for script in BENCHES if script.stem != AS_A_SCRIPT]


@pytest.fixture(scope="module")
def environment(cluster: Path) -> dict[str, str]:
    """Where benches find a prepared database, and each other."""
    ours = {"BENCH_CLUSTER": str(cluster), "BENCH_TINY": "1", "PYTHONPATH": str(ROOT / "bench")}
    return {**os.environ, **ours}


def assert_told(figures: Path, output: str) -> None:
    """Check that a bench printed the figures that it kept."""
    found = msgspec.json.decode(figures.read_bytes())
    assert found["figures"]
    for figure in found["figures"]:
        assert f"{figure['what']}: {figure['measured']}" in output


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("script", IN_A_COPY, ids=[script.stem for script in IN_A_COPY])
def test_a_bench_runs_and_tells_its_figures(
    script: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    figures, output = tmp_path / "figures.json", tmp_path / "output"
    words = str(script), "--tiny", "--figures", str(figures)
    with output.open("wb") as file:
        bench = copier.start(words, env=environment, stdout=file.fileno(), stderr=STDOUT)
        with program.ending(bench):
            code = bench.wait()
    assert code == 0, output.read_text()
    assert_told(figures, output.read_text())


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_bench_runs_as_a_script(tmp_path: Path, cluster: Path) -> None:
    figures = tmp_path / "figures.json"
    done = subprocess.run(
        [sys.executable, ROOT / f"bench/{AS_A_SCRIPT}.py", "--tiny", "--figures", figures],
        env={**os.environ, "BENCH_CLUSTER": str(cluster)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert_told(figures, done.stdout)


def writer() -> Any:
    """Load scripts/performance.py, which is no package."""
    path = ROOT / "scripts" / "performance.py"
    spec = importlib.util.spec_from_file_location("pannier_performance", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_says_of_each_bench_what_it_measures_and_whether_its_aims_hold() -> None:
    performance = writer()
    assert performance.list_benches() == BENCHES
    figures = [
        {"what": "Good", "measured": "1 ms", "ratio": 0.7, "aim": {"bound": 1}},
        {"what": "Bad", "measured": "2 ms", "ratio": 0.5, "aim": {"bound": 1, "at_least": True}},
        {"what": "Plain", "measured": "3 ms"},
    ]
    found = {"machine": "two cores", "figures": figures}
    told = msgspec.convert(found, performance.BenchResult)
    spelled = {
        script.stem: performance.render_section(
            script, told, date="2026-01-31", load=0.1, loop_seconds=(1.25, 1.5)
        )
        for script in BENCHES
    }
    page = performance.render_page(spelled)
    assert (
        "Measured on 2026-01-31 on a machine with two cores. The machine was otherwise idle."
        in page
    )
    assert "took 1.25 s of CPU before the bench and 1.50 s after it." in page
    assert "| Good | 1 ms |  | 0.70 | at most 1 | met |" in page
    assert "| Bad | 2 ms |  | 0.50 | at least 1 | **not met** |" in page
    assert "| Plain | 3 ms |  |  |  |  |" in page
    for script in BENCHES:
        assert f"## {script.stem}\n" in page
    assert performance.split_page(page) == spelled
    assert performance.render_page(performance.split_page(page)) == page


def test_a_bench_that_is_measured_alone_leaves_what_is_said_of_the_others() -> None:
    performance = writer()
    first, second = BENCHES[:2]
    told = performance.BenchResult("two cores", [])
    old = {
        script.stem: performance.render_section(
            script, told, date="2026-01-30", load=0.1, loop_seconds=(1.25, 1.5)
        )
        for script in (first, second)
    }
    kept = performance.split_page(performance.render_page(old))
    kept[second.stem] = performance.render_section(
        second, told, date="2026-01-31", load=2, loop_seconds=(1.25, 1.5)
    )
    page = performance.render_page(kept)
    assert page.count("Measured on 2026-01-30 on a machine with two cores. The machine was") == 1
    assert page.count("Measured on 2026-01-31 on a machine with two cores. It had other work") == 1


def test_every_bench_stands_on_the_same_module() -> None:
    for script in BENCHES:
        tree = ast.parse(script.read_text())
        named = [
            alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names
        ]
        assert "stand" in named, script.name
