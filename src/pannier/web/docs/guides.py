"""The guides of `docs/`, rendered once for the pages under `/docs`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, NamedTuple

from jinja2.filters import do_striptags
from markupsafe import Markup

from pannier.kit.lazy_modules import markdown_it
from pannier.web.docs.text import highlight_json

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# The repository that Pannier runs from, or the documentation in the wheel.
_HERE: Final = Path(__file__).resolve()
_CLONE, _PACKED = _HERE.parents[4], _HERE.parents[3] / "pannier_docs"
ROOT: Final = _CLONE if (_CLONE / "docs" / "guide").is_dir() else _PACKED
SECTIONS: Final[Sequence[tuple[str, str, Sequence[str]]]] = (
    ("Guides", "guide", ("tutorial", "conventions", "versions", "credentials", "orders")),
    ("Operations", "operate", ("running",)),
)
# Files outside of the guides' folders, by the path of their page.
REFERENCE: Final[Mapping[str, str]] = {
    "reference/events": "docs/events.md",
    "reference/accepted-names": "docs/accepted-names.md",
    "reference/settings": "docs/settings.md",
    "reference/performance": "docs/performance.md",
    "reference/security": "SECURITY.md",
}
# Files whose content has its own pages, by their URL.
OTHER_PAGES: Final[Mapping[str, str]] = {
    "docs/errors.md": "/docs/errors",
    "docs/endpoints.md": "/docs#operations",
}
COPYABLE_FILES: Final = ("docs/guide/verify", "docs/guide/check")
# A module of the package itself, which readers may copy.
VERIFY_MODULE: Final = _HERE.parents[2] / "webhooks" / "verifying.py"
_COMMENT: Final = re.compile(r"<!--.*?-->\n*", re.DOTALL)
# Screenshots are for readers on other sites. Readers here can open the console.
_PICTURE: Final = re.compile(r"^!\[.*\]\(.*\)\n+", re.MULTILINE)


class Heading(NamedTuple):
    """A heading and the text below it."""

    level: int
    text: str
    anchor: str
    body: str


class GuidePage(NamedTuple):
    """A rendered guide."""

    page_path: str
    title: str
    html: Markup
    headings: list[Heading]


class GuideLibrary:
    """All guides, by the path of their page."""

    def __init__(self, root: Path = ROOT) -> None:
        self._root = root
        self._sources = dict(_list_sources(root))
        files = (path for name in COPYABLE_FILES for path in _list_files(root / name))
        self.files = {path.name: path for path in (*files, VERIFY_MODULE)}
        self._page_paths = {source: page_path for page_path, source in self._sources.items()}
        self.pages = {page_path: self._render_page(page_path) for page_path in self._sources}
        self.sections = [
            (name, [page for path, page in self.pages.items() if path.startswith(f"{folder}/")])
            for name, folder in (*((name, folder) for name, folder, _ in SECTIONS),
                                 ("Reference", "reference"))
        ]  # fmt: skip

    def _render_page(self, page_path: str) -> GuidePage:
        source = self._sources[page_path]
        text = _COMMENT.sub("", (self._root / source).read_text())
        markdown = markdown_it.MarkdownIt("commonmark", {"html": False}).enable("table")
        tokens = markdown.parse(_PICTURE.sub("", text))
        headings = list(_anchor_headings(tokens, markdown))
        for token in _walk_tokens(tokens):
            if token.type == "link_open":
                self._rewrite_link(token, PurePosixPath(source).parent)
        html: str = markdown.renderer.render(tokens, markdown.options, {})
        return GuidePage(page_path, headings[0].text, Markup(_add_markup(html)), headings)  # noqa: S704 - our own pages

    def _rewrite_link(self, link: "Token", folder: PurePosixPath) -> None:
        """Point a link to our page for its target; without such a page, make it plain text."""
        href = str(link.attrs["href"])
        if "://" in href:
            link.attrs["rel"] = "noreferrer"
            return
        name, _, anchor = href.partition("#")
        target = _normalise_path(folder / name) if name else ""
        url = self._find_url(target) if name else ""
        if url is None:
            link.tag = "span"
            link.attrs = {}
            return
        link.attrs["href"] = f"{url.partition('#')[0]}#{anchor}" if anchor else url

    def _find_url(self, source: str) -> str | None:
        if source in self._page_paths:
            return f"/docs/{self._page_paths[source]}"
        name = PurePosixPath(source).name
        if name in self.files:
            return f"/docs/copy/{name}"
        return OTHER_PAGES.get(source)

    def list_search_entries(self) -> Iterator[tuple[str, str, str, str]]:
        """List the entries of the search: page, heading, URL and text."""
        for page in self.pages.values():
            for heading in page.headings:
                address = f"/docs/{page.page_path}"
                anchor = f"#{heading.anchor}" if heading.level > 1 else ""
                yield page.title, heading.text, address + anchor, heading.body


def _list_sources(root: Path) -> Iterator[tuple[str, str]]:
    for _, folder, leading_names in SECTIONS:
        names = sorted(path.stem for path in (root / "docs" / folder).glob("*.md"))
        for name in sorted(names, key=lambda each: (*_sort_position(each, leading_names), each)):
            yield f"{folder}/{name}", f"docs/{folder}/{name}.md"
    yield from (
        (page_path, source) for page_path, source in REFERENCE.items() if (root / source).exists()
    )


def _sort_position(name: str, leading_names: Sequence[str]) -> tuple[bool, int]:
    is_leading = name in leading_names
    return not is_leading, leading_names.index(name) if is_leading else 0


def _list_files(path: Path) -> list[Path]:
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return [file for file in files if file.is_file()]


def _normalise_path(path: PurePosixPath) -> str:
    parts: list[str] = []
    for part in path.parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)


def _walk_tokens(tokens: "Sequence[Token]") -> "Iterator[Token]":
    for token in tokens:
        yield token
        yield from _walk_tokens(token.children or [])


def make_anchor(text: str) -> str:
    """Make the anchor of a heading as GitHub does."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def _anchor_headings(tokens: "Sequence[Token]", markdown: "MarkdownIt") -> Iterator[Heading]:
    """Set the anchors of the headings, and yield each heading with the text below it."""
    starts = [index for index, token in enumerate(tokens) if token.type == "heading_open"]
    for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
        text = "".join(part.content for part in tokens[start + 1].children or [])
        tokens[start].attrs["id"] = make_anchor(text)
        html: str = markdown.renderer.render(tokens[start + 3 : end], markdown.options, {})
        body = do_striptags(Markup(html))  # noqa: S704 - our own pages
        yield Heading(int(tokens[start].tag[1]), text, make_anchor(text), body)


def _add_markup(html: str) -> str:
    """Make wide tables and code scrollable, and highlight JSON."""
    html = html.replace("<table>", '<div class="scroll"><table>').replace(
        "</table>", "</table></div>"
    )
    html = re.sub(
        r'<pre><code class="language-json">(.*?)</code>',
        lambda match: f"<pre><code>{highlight_json(Markup(match[1]).unescape())}</code>",  # noqa: S704 - our own pages
        html,
        flags=re.DOTALL,
    )
    return html.replace("<pre>", '<pre tabindex="0">')
