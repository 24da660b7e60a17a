"""Lists for people: columns that line up, and on a terminal a header above them."""

import os
import sys
from collections.abc import Sequence

import click


def show(header: Sequence[str], rows: Sequence[Sequence[str]], *, nothing: str) -> None:
    """Print rows of as many cells as the header has, or that there are none.

    Strangers choose what some cells say: each stays one line, and none speaks to the terminal.
    """
    rows = [[_plain(cell) for cell in row] for row in rows]
    terminal = sys.stdout.isatty()
    if not rows:
        click.echo(nothing, err=not terminal)
        return
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    if terminal:
        click.echo(dyed(_line(header, widths), bold=True))
    for row in rows:
        click.echo(_line(row, widths))


def dyed(text: str, *, colour: str | None = None, bold: bool = False) -> str:
    """Dye a text for a terminal; elsewhere `click.echo` takes the colour out again."""
    return text if os.environ.get("NO_COLOR") else click.style(text, fg=colour, bold=bold)


def _plain(cell: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in cell)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
