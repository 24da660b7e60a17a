"""Scripts and styles without what only people read: phones load them over poor lines.

A line of a script stays a line, so that an error is still found, and nothing in quotes is touched.
It knows the scripts of this house, whose texts never go over several lines, not every script.
"""

import re
from typing import Final

# Comments that have a line to themselves, empty lines, and the spaces that a line begins with.
OWN_LINES: Final = re.compile(rb"^[ \t]*//[^\n]*\n|^[ \t]*/\*\*[^\n]*\*/\n|^\s+", re.MULTILINE)
NOTES: Final = re.compile(rb"/\*.*?\*/\s*", re.DOTALL)
QUOTED: Final = rb'"(?:[^"\\\n]|\\.)*"'
# A template is left alone from its line's first backtick to the last: it may hold others.
TEMPLATE: Final = rb"`[^\n]*`"
# A slash begins a pattern where a value may begin, and divides anywhere else.
PATTERN: Final = (
    rb"(?:(?<=[(,=:!&|?;{}\[])|(?<=[(,=:!&|?;{}\[] ))/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/"
)
# A type amid a line; what is left of it is nothing.
TYPE: Final = rb"/\*\*[^\n]*?\*/ ?()"
# Signs beside which a space says nothing. Of plus, minus and slash two might become one.
SIGNS: Final = rb" ?([=<>!&|?:;,(){}\[\]*]+) ?"
SCRIPT: Final = re.compile(
    TYPE + b"|(" + b"|".join([QUOTED, TEMPLATE, PATTERN]) + b")|" + SIGNS,
)
# Where a statement begins with a word, or a block ends, the end of the line before is enough.
IMPLIED: Final = re.compile(rb";\n(?=[\w$}])")
# In a style a space before a colon or a parenthesis, and around signs that count, says something;
# the ends of lines, and the semicolon before a closing brace, do not.
STYLE: Final = re.compile(b"(" + QUOTED + rb")|;?\s*(})\s*|\s*([{;,])\s*|(:) ")


def lean(path: str, content: bytes) -> bytes:
    """Leave out what only people read, if the file is a script or a style sheet."""
    if path.endswith(".js"):
        return script(content)
    return style(content) if path.endswith(".css") else content


def script(content: bytes) -> bytes:
    """Leave out comments, indentation, idle spaces and semicolons that a line's end implies."""
    return IMPLIED.sub(b"\n", SCRIPT.sub(_spared, OWN_LINES.sub(b"", content)))


def style(content: bytes) -> bytes:
    """Leave out comments, indentation and idle spaces of a style sheet."""
    return STYLE.sub(_spared, OWN_LINES.sub(b"", NOTES.sub(b"", content)))


def _spared(found: re.Match[bytes]) -> bytes:
    return next(part for part in found.groups() if part is not None)
