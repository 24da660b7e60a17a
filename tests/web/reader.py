"""A reader of the documentation's pages."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """What a browser would load, and where it could go."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.tags: set[str] = set()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.scripts: list[str] = []
        self.styled = False
        self._in_script = False
        self.feed(text)
        self.anchors = set(self.ids)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        self.styled |= "style" in found
        self.ids += [found["id"]] if "id" in found else []
        self._in_script = tag == "script"
        if tag == "a":
            self.links.append(found["href"])
        else:
            self.loaded += [found[name] for name in ("src", "href") if name in found]

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts.append(data)

    def handle_endtag(self, _: str) -> None:
        self._in_script = False
