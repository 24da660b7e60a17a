"""SQL files cut into their statements, each with the comments before it."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_PIECE: Final = re.compile(
    r"""
      (?P<comment> --[^\n]* | /\* (?: [^*/] | \*(?!/) | /(?!\*) | /\* .*? \*/ )* \*/ )
    | (?P<string>  [eE]'(?: [^'\\] | \\. | '' )*' | '(?: [^'] | '' )*'
                 | \$(?P<tag> [^\W\d]\w* | )\$ .*? \$(?P=tag)\$ )
    | (?P<quoted>  "(?: [^"] | "" )*" )
    | (?P<end>     ; )
    | (?P<space>   \s+ )
    | (?P<word>    \w+ )
    | (?P<sign>    . )
    """,
    re.VERBOSE | re.DOTALL,
)


class Statement(NamedTuple):
    """One statement.

    Its `shape` is what rules look at: in small letters, spaces made single, names without quotes,
    every string empty, no comments.
    """

    text: str
    comments: tuple[str, ...]
    shape: str


def statements(sql: str) -> Iterator[Statement]:
    """Cut a file; what ends in no semicolon is a statement too."""
    text, shape, comments = "", "", list[str]()
    for piece in [*_PIECE.finditer(sql), None]:
        if piece is None or piece.lastgroup == "end":
            if shape.strip():
                yield Statement(text.strip(), tuple(comments), shape.strip())
            text, shape, comments = "", "", []
        elif piece["comment"] is not None:
            comments.append(piece["comment"])
            text, shape = text + "\n", shape + " " * (not shape.endswith(" "))
        else:
            text += piece[0]
            shape += _shape(piece, shape)


def _shape(piece: re.Match[str], before: str) -> str:
    if piece["space"] is not None:
        return "" if before.endswith(" ") else " "
    if piece["string"] is not None:
        return "''"
    if piece["quoted"] is not None:
        return piece["quoted"][1:-1]
    return piece[0].lower()


def parts(shape: str) -> list[str]:
    """Split at the commas that stand in no brackets."""
    found, depth, start = list[str](), 0, 0
    for place, sign in enumerate(shape):
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            found.append(shape[start:place].strip())
            start = place + 1
    return [*found, shape[start:].strip()]
