"""Pages as a reader sees them: titles, headings, tables, links, forms."""

import re
from collections.abc import Iterator
from functools import cached_property
from html import unescape
from typing import Any, Final

# What a page is written in: comments, ends and beginnings of elements, and words. It is our own
# pages that are read, thousands in a run of the tests, and a reader of any page takes four times as
# long.
TOKEN: Final = re.compile(
    r"""<!--.*?-->|<![^>]*+>
    |</(?P<end>[a-zA-Z][\w-]*+)[^>]*+>
    |<(?P<begin>[a-zA-Z][\w-]*+)(?P<written>(?:[^>"']++|"[^"]*+"|'[^']*+')*+)>
    |(?P<words>[^<]++|<)""",
    re.DOTALL | re.VERBOSE,
)
ATTRIBUTE: Final = re.compile(
    r"""([^\s=/"'>]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]++)))?"""
)
# What ends only with its own end, and has no references to characters.
RAW: Final = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style")}
VOID = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})


class Element:
    """An element of a page."""

    def __init__(self, name: str, written: str = "") -> None:
        self.name, self._written = name, written
        self.inside: list[Element | str] = []

    @cached_property
    def attributes(self) -> dict[str, str | None]:
        """What is written of it, by name; nothing for what only stands there."""
        return {
            one[1].lower(): unescape(one[one.lastindex]) if (one.lastindex or 1) > 1 else None
            for one in ATTRIBUTE.finditer(self._written)
        }

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


def read(text: str) -> Element:
    """Read a page into its elements."""
    root = Element("page")
    opened, at = [root], 0
    while found := TOKEN.match(text, at):
        at = found.end()
        if words := found["words"]:
            opened[-1].inside.append(unescape(words))
        elif begun := found["begin"]:
            element = Element(begun.lower(), found["written"])
            opened[-1].inside.append(element)
            if element.name in RAW:
                ends = RAW[element.name].search(text, at)
                raw = text[at : ends.start() if ends else len(text)]
                element.inside += [raw] if raw else []
                at += len(raw)
            if element.name not in VOID and not found["written"].endswith("/"):
                opened.append(element)
        elif (ended := found["end"]) and opened[-1].name == ended.lower():
            opened.pop()
    return root


class Page:
    """A page that was answered; it is read when somebody looks at it."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def root(self) -> Element:
        """All of it."""
        return read(self.text)

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
        name, value = field["name"], field["value"]
        is_again = field["type"] == "checkbox" and name in made
        before = made.get(name, []) if is_again else []
        made[name] = (
            [*([before] if isinstance(before, str) else before), value] if is_again else value
        )
    for area in form.all("textarea"):
        made[area["name"]] = "".join(one for one in area.inside if isinstance(one, str))
    for choice in form.all("select"):
        chosen = [one for one in choice.all("option") if "selected" in one.attributes]
        made[choice["name"]] = (chosen or choice.all("option"))[0]["value"]
    return made
