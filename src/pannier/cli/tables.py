"""Lists for people: columns that line up, and on a terminal a header above them."""

import os
import sys
from collections.abc import Sequence

import click


def show(header: Sequence[str], rows: Sequence[Sequence[str]], *, nothing: str) -> None:
    """Print rows of as many cells as the header has, or that there are none."""
    terminal = sys.stdout.isatty()
    if not rows:
        click.echo(nothing, err=not terminal)
        return
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    if terminal:
        line = _line(header, widths)
        click.echo(line if os.environ.get("NO_COLOR") else click.style(line, bold=True))
    for row in rows:
        click.echo(_line(row, widths))


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
