"""Smaller scripts and styles for phones on slow connections.

Each line of a script stays a line, so that error messages name the right one. Quoted text stays
unchanged. The rules fit our own scripts, where no string spans lines, and not JavaScript in
general.
"""

import re
from typing import Final

# Comments on a line of their own, empty lines, and indentation.
OWN_LINES: Final = re.compile(rb"^[ \t]*//[^\n]*\n|^[ \t]*/\*\*[^\n]*\*/\n|^\s+", re.MULTILINE)
NOTES: Final = re.compile(rb"/\*.*?\*/\s*", re.DOTALL)
QUOTED: Final = rb'"(?:[^"\\\n]|\\.)*"'
# A template literal is kept from the first backtick of its line to the last: it may be nested.
TEMPLATE: Final = rb"`[^\n]*`"
# A slash begins a regular expression where a value can begin. Elsewhere it divides.
PATTERN: Final = (
    rb"(?:(?<=[(,=:!&|?;{}\[])|(?<=[(,=:!&|?;{}\[] ))/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/"
)
# A type annotation within a line. The empty group removes it.
TYPE: Final = rb"/\*\*[^\n]*?\*/ ?()"
# Characters that need no space beside them. Plus, minus and slash are missing, because two of them
# could become one operator.
SIGNS: Final = rb" ?([=<>!&|?:;,(){}\[\]*]+) ?"
SCRIPT: Final = re.compile(
    TYPE + b"|(" + b"|".join([QUOTED, TEMPLATE, PATTERN]) + b")|" + SIGNS,
)
# The line break ends a statement before a word or a closing brace.
IMPLIED: Final = re.compile(rb";\n(?=[\w$}])")
# In a style sheet, spaces before a colon or parenthesis and around operators matter. Line breaks
# and the semicolon before a closing brace do not.
STYLE: Final = re.compile(b"(" + QUOTED + rb")|;?\s*(})\s*|\s*([{;,])\s*|(:) ")


def lean(path: str, content: bytes) -> bytes:
    """Minify the file if it is a script or a style sheet."""
    if path.endswith(".js"):
        return script(content)
    return style(content) if path.endswith(".css") else content


def script(content: bytes) -> bytes:
    """Remove comments, indentation, needless spaces and semicolons at line ends."""
    return IMPLIED.sub(b"\n", SCRIPT.sub(_spared, OWN_LINES.sub(b"", content)))


def style(content: bytes) -> bytes:
    return STYLE.sub(_spared, OWN_LINES.sub(b"", NOTES.sub(b"", content)))


def _spared(found: re.Match[bytes]) -> bytes:
    return next(part for part in found.groups() if part is not None)
