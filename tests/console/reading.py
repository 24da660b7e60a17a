"""Pages as a reader sees them: titles, headings, tables, links, forms."""

from collections.abc import Iterator
from functools import cached_property
from html.parser import HTMLParser
from typing import Any

VOID = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})


class Element:
    """An element of a page."""

    def __init__(self, name: str, attributes: dict[str, str | None]) -> None:
        self.name, self.attributes = name, attributes
        self.inside: list[Element | str] = []

    def __getitem__(self, attribute: str) -> str:
        return self.attributes.get(attribute) or ""

    @property
    def text(self) -> str:
        """All words in it, as one line."""
        parts = (one if isinstance(one, str) else one.text for one in self.inside)
        return " ".join(" ".join(parts).split())

    def all(self, name: str, /, **attributes: str) -> "list[Element]":
        """Find elements in it, by name and attributes; `class_` is one of its classes."""
        return [one for one in self.within() if one.name == name and one.fits(attributes)]

    def one(self, name: str, /, **attributes: str) -> "Element":
        """Find the only such element in it."""
        (found,) = self.all(name, **attributes)
        return found

    def fits(self, attributes: dict[str, str]) -> bool:
        """Tell whether it has these attributes."""
        wanted = {**attributes}
        classed = wanted.pop("class_", None)
        return (classed is None or classed in self["class"].split()) and all(
            self[name.replace("_", "-")] == value for name, value in wanted.items()
        )

    def within(self) -> "Iterator[Element]":
        """Go through all elements in it."""
        for one in self.inside:
            if isinstance(one, Element):
                yield one
                yield from one.within()


class Reader(HTMLParser):
    """Reads a page into its elements."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Element("page", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        element = Element(tag, dict(attrs))
        self._open[-1].inside.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        if self._open[-1].name == tag:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        """Read words."""
        self._open[-1].inside.append(data)

    def updatepos(self, i: int, j: int) -> int:
        """Count no lines: nobody asks where something stood."""
        del i
        return j


class Page:
    """A page that was answered; it is read when somebody looks at it."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def root(self) -> Element:
        """All of it."""
        reader = Reader()
        reader.feed(self._text)
        return reader.root

    @property
    def main(self) -> Element:
        """What is between the side bar and the end."""
        return self.root.one("main")

    @property
    def heading(self) -> str:
        """The only h1."""
        return self.root.one("h1").text

    def rows(self) -> list[list[str]]:
        """The cells of the page's tables, row by row."""
        bodies = [row for body in self.main.all("tbody") for row in body.all("tr")]
        return [[cell.text for cell in row.all("td")] for row in bodies]

    def links(self) -> list[str]:
        """Where the page leads."""
        return [link["href"] for link in self.root.all("a")]

    def form(self, action: str) -> dict[str, Any]:
        """What a form would send as it stands, by its action."""
        return sent_by(self.root.one("form", action=action))

    def sheet(self) -> dict[str, Any]:
        """What the page's own form would send as it stands."""
        return sent_by(self.main.one("form", class_="form"))


def sent_by(form: Element) -> dict[str, Any]:
    """What a form would send as it stands."""
    made: dict[str, Any] = {}
    for field in form.all("input"):
        if field["type"] in {"checkbox", "radio"} and "checked" not in field.attributes:
            continue
        made[field["name"]] = field["value"]
    for area in form.all("textarea"):
        made[area["name"]] = "".join(one for one in area.inside if isinstance(one, str))
    for choice in form.all("select"):
        chosen = [one for one in choice.all("option") if "selected" in one.attributes]
        made[choice["name"]] = (chosen or choice.all("option"))[0]["value"]
    return made
