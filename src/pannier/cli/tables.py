"""Tables, aligned for terminals. Output to a file or pipe has no header."""

import os
import sys
from collections.abc import Sequence

import click


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, empty_text: str) -> None:
    """Print rows that have as many cells as the header, or a sentence if there are none.

    Strangers choose the text of some cells, so unprintable characters are replaced: a cell cannot
    span lines or control the terminal.
    """
    rows = [[_replace_unprintable(cell) for cell in row] for row in rows]
    terminal = sys.stdout.isatty()
    if not rows:
        click.echo(empty_text, err=not terminal)
        return
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    if terminal:
        click.echo(style(_format_row(header, widths), bold=True))
    for row in rows:
        click.echo(_format_row(row, widths))


def style(text: str, *, colour: str | None = None, bold: bool = False) -> str:
    """Style a text for a terminal; elsewhere `click.echo` removes the style."""
    return text if os.environ.get("NO_COLOR") else click.style(text, fg=colour, bold=bold)


def _replace_unprintable(cell: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in cell)


def _format_row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
