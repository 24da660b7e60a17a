"""Split SQL files into statements, each with the comments before it."""

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
    | (?P<symbol>    . )
    """,
    re.VERBOSE | re.DOTALL,
)


class Statement(NamedTuple):
    """A statement of a migration.

    Rules match its `shape`: lower case, single spaces, unquoted names, empty strings and no
    comments.
    """

    text: str
    comments: tuple[str, ...]
    shape: str


def split_statements(sql: str) -> Iterator[Statement]:
    """Split a file. The last statement needs no semicolon."""
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
            shape += _to_shape(piece, shape)


def _to_shape(piece: re.Match[str], preceding: str) -> str:
    if piece["space"] is not None:
        return "" if preceding.endswith(" ") else " "
    if piece["string"] is not None:
        return "''"
    if piece["quoted"] is not None:
        return piece["quoted"][1:-1]
    return piece[0].lower()


def split_at_commas(shape: str) -> list[str]:
    """Split at the commas outside brackets."""
    pieces, depth, start = list[str](), 0, 0
    for position, character in enumerate(shape):
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            pieces.append(shape[start:position].strip())
            start = position + 1
    return [*pieces, shape[start:].strip()]
