"""Runs every bench, or those that are named, and writes what they found to docs/performance.md.

Whatever a bench is about stands in its own docstring, and what is promised in its figures, so the
page says what was really measured, and of each bench when and on which machine. Benches that are
not named keep what the page says of them. `--tiny` shows in minutes that all of it works, and
writes a page that means nothing; `--to FILE` writes it elsewhere.
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

from stand import Figure, Measured  # noqa: E402 - found only now

IDLE = 0.5
TURNS = 10_000_000
PAGE = ROOT / "docs" / "performance.md"
HEAD = """# Performance

<!-- Written by `make bench`; do not edit. -->

Figures of one machine say little about another. So every promise is a **ratio**: what Pannier \
takes, against the least that could do the same work, measured in the same run. *Floor* is that \
least; what it is, and what is measured, each bench says at its beginning. Where there is an aim, \
the ratio is held against it. A few aims are in microseconds; how fast the machine was at the \
time each section says, because it may differ twofold from hour to hour. To measure again:

```sh
make bench                                          # everything, and this page
.venv/bin/python scripts/performance.py floor lists # some of them, and their parts of this page
.venv/bin/python bench/floor.py                     # one of them; --tiny takes seconds
```
"""


def benches() -> list[Path]:
    """List the benches; what they share is none."""
    return [each for each in sorted((ROOT / "bench").glob("*.py")) if each.name != "stand.py"]


def measured(script: Path, *options: str) -> Measured:
    """Run a bench, and read what it found."""
    print(f"== {script.relative_to(ROOT)}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures.json"
        subprocess.run([sys.executable, script, "--figures", figures, *options], check=True)
        return msgspec.json.decode(figures.read_bytes(), type=Measured)


def page(sections: Mapping[str, str]) -> str:
    """Put the sections of a page together, in the order of their benches."""
    return "\n".join([HEAD, *(sections[name] for name in sorted(sections))])


def sections(page: str) -> dict[str, str]:
    """Take a page apart: what it says of each bench that is still there."""
    _, *parts = page.split("\n## ")
    told = {part.partition("\n")[0]: f"## {part.rstrip()}\n" for part in parts}
    return {script.stem: told[script.stem] for script in benches() if script.stem in told}


def pace() -> float:
    """Tell how many CPU seconds the machine takes for a plain loop, which differs by the hour."""
    began, total = time.process_time(), 0
    for turn in range(TURNS):
        total += turn
    return time.process_time() - began


def section(
    script: Path, found: Measured, *, date: str, load: float, paces: tuple[float, float]
) -> str:
    """Spell what a bench found; `load` is what else the machine was doing when it began.

    `paces` are those of the machine before and after: what is promised in seconds depends on them.
    """
    story = ast.get_docstring(ast.parse(script.read_text()))
    busy = "it did nothing else" if load < IDLE else f"others kept it busy (load {load:.1f})"
    before, after = paces
    plain = f"{TURNS // 1_000_000} million additions in a plain loop of Python took"
    when = (
        f"Measured on {date} on a machine with {found.machine}; {busy}. "
        f"There, {plain} {before:.2f} s of CPU before and {after:.2f} s after."
    )
    head = "| What | Measured | Floor | Ratio | Aim | |\n|---|---|---|---|---|---|"
    rows = map(_row, found.figures)
    return "\n".join([f"## {script.stem}\n\n{story}\n\n{when}\n\n{head}", *rows, ""])


def _row(figure: Figure) -> str:
    ratio, aim = figure.ratio, figure.aim
    verdict = ""
    if ratio is not None and aim is not None:
        verdict = "held" if aim.holds(ratio) else "**not held**"
    shown = "" if ratio is None else f"{ratio:.2f}"
    cells = (figure.what, figure.measured, figure.floor, shown, str(aim or ""), verdict)
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Measure, and write the page."""
    names = [script.stem for script in benches()]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="benches; all, without any")
    parser.add_argument("--tiny", action="store_true", help="for its own sake")
    parser.add_argument("--to", type=Path, default=PAGE, metavar="FILE", help="another page")
    options = parser.parse_args()
    if unknown := set(options.names) - set(names):
        parser.error(
            f"There is no bench {', '.join(sorted(unknown))}; there are {', '.join(names)}."
        )
    tiny = ["--tiny"] if options.tiny else []
    told = sections(options.to.read_text()) if options.to.exists() else {}
    for script in benches():
        if script.stem in (options.names or names):
            load, date = os.getloadavg()[0], f"{datetime.now(UTC):%Y-%m-%d}"
            before, found, after = pace(), measured(script, *tiny), pace()
            told[script.stem] = section(script, found, date=date, load=load, paces=(before, after))
            # What was measured stays, also when the next one fails.
            options.to.write_text(page(told))
    print(f"Wrote {options.to}.")


if __name__ == "__main__":
    main()
