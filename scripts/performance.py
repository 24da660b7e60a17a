"""Runs every bench, and writes what they found to docs/performance.md.

Whatever a bench is about stands in its own docstring, and what is promised in its figures, so the
page says what was really measured. `--tiny` shows in minutes that all of it works, and writes a
page that means nothing; `--to FILE` writes it elsewhere.
"""

import argparse
import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from stand import Figure, Measured  # noqa: E402 - found only now

IDLE = 0.5
PAGE = ROOT / "docs" / "performance.md"
HEAD = """# Performance

<!-- Written by `make bench`; do not edit. -->

Figures of one machine say little about another. So every promise is a **ratio**: what Pannier \
takes, against the least that could do the same work, measured in the same run. *Floor* is that \
least; what it is, and what is measured, each bench says at its beginning. Where there is an aim, \
the ratio is held against it.

Measured on {date} on a machine with {machine}; {load}. To measure again:

```sh
make bench                                  # everything, and this page
.venv/bin/python bench/floor.py             # one of them; --tiny takes seconds
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


def page(found: Mapping[Path, Measured], *, date: str, load: float) -> str:
    """Spell what was found; `load` is what else the machine was doing when it began."""
    head = HEAD.format(
        date=date,
        machine=next(iter(found.values())).machine,
        load="it did nothing else" if load < IDLE else f"others kept it busy (load {load:.1f})",
    )
    return "\n".join([head, *(_section(script, each) for script, each in found.items())])


def _section(script: Path, found: Measured) -> str:
    story = ast.get_docstring(ast.parse(script.read_text()))
    head = "| What | Measured | Floor | Ratio | Aim | |\n|---|---|---|---|---|---|"
    return "\n".join([f"## {script.stem}\n\n{story}\n\n{head}", *map(_row, found.figures), ""])


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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="for its own sake")
    parser.add_argument("--to", type=Path, default=PAGE, metavar="FILE", help="another page")
    options = parser.parse_args()
    tiny = ["--tiny"] if options.tiny else []
    load = os.getloadavg()[0]
    found = {script: measured(script, *tiny) for script in benches()}
    options.to.write_text(page(found, date=f"{datetime.now(UTC):%Y-%m-%d}", load=load))
    print(f"Wrote {options.to}.")


if __name__ == "__main__":
    main()
