"""Smaller scripts and styles for phones on slow connections.

Each line of a script stays a line, so that error messages name the right one. Quoted text stays
unchanged. The rules are only valid for our own scripts, in which no string spans lines.
"""

import re
from typing import Final

# Comments on a line of their own, empty lines, and indentation.
LINE_COMMENTS: Final = re.compile(rb"^[ \t]*//[^\n]*\n|^[ \t]*/\*\*[^\n]*\*/\n|^\s+", re.MULTILINE)
BLOCK_COMMENTS: Final = re.compile(rb"/\*.*?\*/\s*", re.DOTALL)
QUOTED: Final = rb'"(?:[^"\\\n]|\\.)*"'
# A template literal is kept from the first backtick of its line to the last: it may be nested.
TEMPLATE_LITERAL: Final = rb"`[^\n]*`"
# A slash begins a regular expression where a value can begin. Elsewhere it divides.
REGEX_LITERAL: Final = (
    rb"(?:(?<=[(,=:!&|?;{}\[])|(?<=[(,=:!&|?;{}\[] ))/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/"
)
# A type annotation within a line. The empty group removes it.
INLINE_TYPE: Final = rb"/\*\*[^\n]*?\*/ ?()"
# Characters that need no space beside them. Plus, minus and slash are excluded, because two of them
# could become one operator.
SPACED_SIGNS: Final = rb" ?([=<>!&|?:;,(){}\[\]*]+) ?"
SCRIPT_TOKENS: Final = re.compile(
    INLINE_TYPE
    + b"|("
    + b"|".join([QUOTED, TEMPLATE_LITERAL, REGEX_LITERAL])
    + b")|"
    + SPACED_SIGNS,
)
# The line break ends a statement before a word or a closing brace.
IMPLIED_SEMICOLON: Final = re.compile(rb";\n(?=[\w$}])")
# In a style sheet, spaces before a colon or parenthesis and around operators matter. Line breaks
# and the semicolon before a closing brace do not.
STYLE_TOKENS: Final = re.compile(b"(" + QUOTED + rb")|;?\s*(})\s*|\s*([{;,])\s*|(:) ")


def minify(path: str, content: bytes) -> bytes:
    """Minify the file if it is a script or a style sheet."""
    if path.endswith(".js"):
        return minify_script(content)
    return minify_style(content) if path.endswith(".css") else content


def minify_script(content: bytes) -> bytes:
    """Remove comments, indentation, needless spaces and semicolons at line ends."""
    return IMPLIED_SEMICOLON.sub(
        b"\n", SCRIPT_TOKENS.sub(_keep_group, LINE_COMMENTS.sub(b"", content))
    )


def minify_style(content: bytes) -> bytes:
    return STYLE_TOKENS.sub(_keep_group, LINE_COMMENTS.sub(b"", BLOCK_COMMENTS.sub(b"", content)))


def _keep_group(match: re.Match[bytes]) -> bytes:
    return next(part for part in match.groups() if part is not None)
