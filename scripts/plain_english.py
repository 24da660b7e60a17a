"""Check that names and texts follow the style in CONTRIBUTING.md.

`make lint` runs it. Findings listed in `plain_english_allowed.txt` pass. An entry that no
longer matches a finding is an error, so the list can only shrink.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
ALLOWED: Final = Path("scripts/plain_english_allowed.txt")
MAX_SENTENCE_WORDS: Final = 30

_IRREGULAR: Final = (
    "become began begun bent bitten bound bought broken brought built caught chosen dealt done"
    " drawn driven fed fallen felt fixed flown forgotten found frozen given gone grown heard held"
    " hidden kept known laid led left lent lost made meant met overtaken owed paid proven said"
    " seen sent shown sold sought spent spoken stood struck sworn taken taught thought thrown told"
    " understood undone unsaid untold withdrawn won worn written"
)
IRREGULAR_PARTICIPLES: Final = frozenset(_IRREGULAR.split())
# Verbs that end like a participle.
VERBS_IN_ED: Final = frozenset(("embed", "exceed", "feed", "need", "proceed", "seed", "succeed"))
# Nouns that end like a gerund.
NOUNS_IN_ING: Final = frozenset(
    (
        *(
            "bearing",
            "bring",
            "building",
            "crossing",
            "heading",
            "listing",
            "naming",
            "ping",
            "pricing",
        ),
        *("rating", "reading", "ring", "routing", "setting", "spelling", "string", "tracking"),
    )
)
_PARTICLES: Final = (
    "about above again along among around as at away back before behind below beside between"
    " beyond by down for from here in inside into of off on once out outside over since there"
    " through to together under until up with within without"
)
PARTICLES: Final = frozenset(_PARTICLES.split())

# Participles, adjectives, adverbs and pronouns that do not say what a value is.
_VAGUE: Final = (
    "again alone answer apart asked asked_for bell beside beyond by chosen coming demanded "
    "elsewhere faults finder given gone heard here hopeless kept known led_to life lives "
    "looked_at made mark met moved named nobody others own present reached saved seen sent "
    "spoken spot spots standing taken theirs thing things told tongue typed wanted ways which "
    "who whole wish words"
)
VAGUE_NAMES: Final = frozenset(_VAGUE.split())
# Packages that still have vague names and phrases. This list may only shrink.
UNCHECKED_PACKAGES: Final = frozenset(("maps", "planning"))

# Phrases that a native technical writer would not use, and two spellings that we settled.
# "… in all orders" and "…, so many callers wait" are ordinary English.
BANNED_PHRASES: Final = (
    r"(?<!, )\bso many\b",
    r"\bat the most\b",
    r"\bby (?:itself|themselves)\b",
    r"\bin all\b(?!\s+\w)",
    r"\bwhoever\b",
    r"\bfor whom\b",
    r"\bwho has the phone\b",
    r"\b(?:is|was|are|were) told\b",
    r"\bfor the moment\b",
    r"\bstands here\b",
    r"\bgood until\b",
    r"\bhow manieth\b",
    r"\bwhat waits\b",
    r"\bnothing was said\b",
    r"\bCancelled\b",
    r"\bPick-up\b",
    r"\bDrop ?off\b",
    r"\bdrop off\b",
)

_PHRASES: Final = tuple(
    re.compile(phrase, 0 if phrase[2].isupper() else re.IGNORECASE) for phrase in BANNED_PHRASES
)
_ANY_PHRASE: Final = re.compile("|".join(BANNED_PHRASES), re.IGNORECASE)

# A text in these forms is for a program, not for a person.
_SQL: Final = re.compile(
    r"\s*(?:select|insert|update|delete|with|from|where|create|alter|drop|and|or|set|order by)\b"
)


class Finding(NamedTuple):
    """One breach of a rule; `rule subject` is its line in the allow-list."""

    rule: str
    subject: str
    place: str

    @property
    def key(self) -> str:
        return f"{self.rule} {self.subject}"


def is_participle(word: str) -> bool:
    return word in IRREGULAR_PARTICIPLES or (word.endswith("ed") and word not in VERBS_IN_ED)


def is_gerund(word: str) -> bool:
    return word.endswith("ing") and word not in NOUNS_IN_ING


def hides_its_verb(name: str) -> bool:
    """Tell whether a function's name is a participle, a gerund or a preposition alone.

    A participle before a noun (`signed_headers`) is a noun phrase and passes, and so does a
    conversion (`to_out`, `from_row`).
    """
    words = name.strip("_").split("_")
    if words[0] in {"of", "by"}:
        return True
    if words[0] in {"from", "to"} and len(words) > 1:
        return False
    return all(is_participle(word) or is_gerund(word) or word in PARTICLES for word in words)


# One walk serves all rules that read a file, and no more than the file at hand is kept.
@lru_cache(maxsize=1)
def list_nodes(path: Path) -> list[ast.AST]:
    """Parse a Python file, and list the nodes of its tree."""
    return list(ast.walk(ast.parse(path.read_text())))


def find_names(path: Path) -> Iterator[Finding]:
    """Find function names without a verb, and `MOST` constants."""
    module = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
    name = path.relative_to(ROOT)
    for node in list_nodes(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if not _is_property(node) and hides_its_verb(node.name):
                yield Finding("verb", f"{module}.{node.name}", f"{name}:{node.lineno}")
        elif (
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Store)
            and "MOST" in node.id.split("_")
        ):
            yield Finding("limit", f"{module}.{node.id}", f"{name}:{node.lineno}")


def find_vague_names(path: Path) -> Iterator[Finding]:
    """Find parameters and local variables whose names do not say what they hold."""
    parts = path.relative_to(ROOT / "src").with_suffix("").parts
    if len(parts) > 1 and parts[1] in UNCHECKED_PACKAGES:
        return
    file = path.relative_to(ROOT)
    for function in list_nodes(path):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            subject = ".".join((*parts, function.name))
            place = f"{file}:{function.lineno}"
            for name in sorted(VAGUE_NAMES & list_names(function)):
                yield Finding("name", f"{subject} {name}", place)


def list_names(function: ast.AST) -> set[str]:
    """List the parameters and local variables of a function, with those of nested ones."""
    names: set[str] = set()
    for node in ast.walk(function):
        match node:
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                names.add(name)
    return names


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("property" in ast.unparse(decorator) for decorator in node.decorator_list)


def list_classes(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the public classes of a file, with their places."""
    for node in list_nodes(path):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name, f"{path.relative_to(ROOT)}:{node.lineno}"


def find_repeated_classes(classes: list[tuple[str, str]]) -> Iterator[Finding]:
    """Find public classes that share their name with another one."""
    places: dict[str, list[str]] = {}
    for name, place in classes:
        places.setdefault(name, []).append(place)
    for name, locations in places.items():
        if len(locations) > 1:
            yield Finding("class", name, ", ".join(locations))


def find_phrases(path: Path) -> Iterator[Finding]:
    """Find banned phrases in a file that holds texts for people."""
    name = str(path.relative_to(ROOT))
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        for phrase in list_phrases(line):
            yield Finding("phrase", f"{name} {phrase}", f"{name}:{number}")


def find_phrases_in_strings(path: Path) -> Iterator[Finding]:
    """Find banned phrases in a Python file's docstrings and other texts."""
    parts = path.relative_to(ROOT / "src").parts
    if len(parts) > 1 and parts[1] in UNCHECKED_PACKAGES:
        return
    name = str(path.relative_to(ROOT))
    for text, line in list_texts(list_nodes(path)):
        for phrase in list_phrases(text):
            yield Finding("phrase", f"{name} {phrase}", f"{name}:{line}")


def list_texts(nodes: list[ast.AST]) -> Iterator[tuple[str, int]]:
    """Yield the string literals that people read, with their lines: neither SQL nor patterns."""
    patterns = {
        id(argument)
        for node in nodes
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.")
        for argument in ast.walk(node)
    }
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = " ".join(node.value.split())
            if id(node) not in patterns and not _SQL.match(text):
                yield text, node.lineno


def list_phrases(text: str) -> Iterator[str]:
    """Yield the banned phrases in a text, in lower case."""
    # One search finds out that there is none, as in nearly all texts.
    if _ANY_PHRASE.search(text):
        for pattern in _PHRASES:
            if match := pattern.search(text):
                yield match[0].lower()


def find_long_sentences(path: Path) -> Iterator[Finding]:
    """Find sentences of more than 30 words in a page's prose."""
    name = str(path.relative_to(ROOT))
    for sentence in split_sentences(path.read_text()):
        words = sentence.split()
        if len(words) > MAX_SENTENCE_WORDS:
            yield Finding(
                "sentence", f"{name} {' '.join(words[:6])}", f"{name}, {len(words)} words"
            )


def split_sentences(markdown: str) -> Iterator[str]:
    """Yield the sentences of a page, without code, tables and link addresses."""
    text = re.sub(r"<!--.*?-->", "", markdown, flags=re.DOTALL)
    text = re.sub(r"^(`{3,}).*?^\1", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    text = re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)
    # A list item, a heading and a paragraph end a sentence.
    for block in re.split(r"\n\s*\n|\n\s*(?=[-*] |\d+\. |#)", text):
        yield from re.split(r"(?<=[.!?:;])[\"*)]*\s+", " ".join(block.split()))


def list_findings() -> Iterator[Finding]:
    classes: list[tuple[str, str]] = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        yield from find_names(path)
        yield from find_vague_names(path)
        yield from find_phrases_in_strings(path)
        classes += list_classes(path)
    yield from find_repeated_classes(classes)
    for path in list_files("src", {".html", ".js", ".json", ".txt"}):
        yield from find_phrases(path)
    for path in list_pages():
        yield from find_long_sentences(path)
        yield from find_phrases(path)


def list_files(folder: str, suffixes: set[str]) -> list[Path]:
    return [
        path
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in suffixes and "vendor" not in path.parts
    ]


def list_pages() -> list[Path]:
    return [*sorted(ROOT.glob("*.md")), *list_files("docs", {".md"})]


def compare(findings: list[Finding], allowed: list[str]) -> Iterator[str]:
    """Yield what to mend: findings that are not allowed, and entries without a finding."""
    keys = {finding.key for finding in findings}
    for finding in findings:
        if finding.key not in allowed:
            yield f"{finding.place}: {ADVICE[finding.rule]} ({finding.subject})"
    for entry, count in Counter(allowed).items():
        if entry not in keys:
            yield f"{ALLOWED}: remove {entry!r}: it is no longer needed."
        elif count > 1:
            yield f"{ALLOWED}: {entry!r} is listed twice."


ADVICE: Final = {
    "verb": "Begin the function's name with a verb",
    "limit": "Call the constant MAX_ and what it limits",
    "name": "Call the value by a noun that says what it is",
    "class": "Give the class a name that no other class has",
    "phrase": "Say it in plain English",
    "sentence": "Split the sentence",
}


def main(report: Callable[[str], object] = print) -> int:
    """Report what to mend, and return the exit status."""
    lines = (ROOT / ALLOWED).read_text().splitlines()
    complaints = list(compare(list(list_findings()), [line for line in lines if line]))
    for complaint in complaints:
        report(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
