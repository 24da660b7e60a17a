"""Run benches, and write their figures to docs/performance.md.

Each section of the page consists of a bench's docstring, the machine and time of the measurement,
and the figures with their aims. Without names, all benches run. Benches that are not named keep
their sections. `--tiny` checks in minutes that every bench works; its figures mean nothing.
`--to FILE` writes another page.
"""

import argparse
import ast
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from stand import BenchResult, Figure  # noqa: E402 - needs the path above

MAX_IDLE_LOAD = 0.5
ADDITIONS = 10_000_000
PAGE = ROOT / "docs" / "performance.md"
HEAD = """# Performance

<!-- Written by `make bench`; do not edit. -->

Use this page to decide whether Pannier is fast enough for you. Absolute figures depend on the \
machine. Most aims are therefore **ratios** to a *floor*, measured in the same run. The floor is \
the least work that could give the same result, or a fixed limit. Each section begins with what is \
measured, its floor, and what the ratio means.

The last two columns show the aim for the ratio, and whether it was met. A row without an aim is \
for information. Some aims are times, so they depend on the speed of the machine, which can double \
or halve within hours. Each section therefore states that speed where it was measured. To measure \
on your own machine:

```sh
make bench                                          # all benches, and this page
.venv/bin/python scripts/performance.py floor lists # some benches, and their sections
.venv/bin/python bench/floor.py                     # one bench; --tiny takes seconds
```
"""


def list_benches() -> list[Path]:
    """List the benches, without the module that they share."""
    return [each for each in sorted((ROOT / "bench").glob("*.py")) if each.name != "stand.py"]


def run_bench(script: Path, *options: str) -> BenchResult:
    """Run a bench, and read its figures."""
    print(f"== {script.relative_to(ROOT)}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures.json"
        subprocess.run([sys.executable, script, "--figures", figures, *options], check=True)
        return msgspec.json.decode(figures.read_bytes(), type=BenchResult)


def render_page(sections: Mapping[str, str]) -> str:
    """Join the sections in the order of their benches."""
    return "\n".join([HEAD, *(sections[name] for name in sorted(sections))])


def split_page(page: str) -> dict[str, str]:
    """Return the sections of the benches that still exist."""
    _, *parts = page.split("\n## ")
    sections = {part.partition("\n")[0]: f"## {part.rstrip()}\n" for part in parts}
    return {
        script.stem: sections[script.stem] for script in list_benches() if script.stem in sections
    }


def measure_loop() -> float:
    """Return the CPU seconds of a plain loop, which show how fast the machine is now."""
    began, total = time.process_time(), 0
    for turn in range(ADDITIONS):
        total += turn
    return time.process_time() - began


def render_section(
    script: Path, result: BenchResult, *, date: str, load: float, loop_seconds: tuple[float, float]
) -> str:
    """Render a bench's section.

    `load` is the machine's load when the bench began. `loop_seconds` are the CPU seconds of the
    plain loop before and after it.
    """
    story = ast.get_docstring(ast.parse(script.read_text()))
    idle = load < MAX_IDLE_LOAD
    busy = "The machine was otherwise idle." if idle else f"It had other work (load {load:.1f})."
    before, after = loop_seconds
    when = (
        f"Measured on {date} on a machine with {result.machine}. {busy} "
        f"A Python loop of {ADDITIONS // 1_000_000} million additions took {before:.2f} s of CPU "
        f"before the bench and {after:.2f} s after it."
    )
    head = "| What | Measured | Floor | Ratio | Aim | |\n|---|---|---|---|---|---|"
    rows = map(_render_row, result.figures)
    return "\n".join([f"## {script.stem}\n\n{story}\n\n{when}\n\n{head}", *rows, ""])


def _render_row(figure: Figure) -> str:
    ratio, aim = figure.ratio, figure.aim
    verdict = ""
    if ratio is not None and aim is not None:
        verdict = "met" if aim.holds(ratio) else "**not met**"
    rounded = "" if ratio is None else f"{ratio:.2f}"
    cells = (figure.what, figure.measured, figure.floor, rounded, str(aim or ""), verdict)
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Run the benches, and write the page."""
    names = [script.stem for script in list_benches()]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="benches to run; default: all")
    parser.add_argument("--tiny", action="store_true", help="only check that the benches work")
    parser.add_argument("--to", type=Path, default=PAGE, metavar="FILE", help="the page to write")
    options = parser.parse_args()
    if unknown := set(options.names) - set(names):
        parser.error(f"Unknown bench: {', '.join(sorted(unknown))}. Known: {', '.join(names)}.")
    tiny = ["--tiny"] if options.tiny else []
    sections = split_page(options.to.read_text()) if options.to.exists() else {}
    for script in list_benches():
        if script.stem in (options.names or names):
            load, date = os.getloadavg()[0], f"{datetime.now(UTC):%Y-%m-%d}"
            before, result, after = measure_loop(), run_bench(script, *tiny), measure_loop()
            sections[script.stem] = render_section(
                script, result, date=date, load=load, loop_seconds=(before, after)
            )
            # Write after each bench, so that nothing is lost if the next one fails.
            options.to.write_text(render_page(sections))
    print(f"Wrote {options.to}.")


if __name__ == "__main__":
    main()
