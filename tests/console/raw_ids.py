"""Raw ids that a page shows where people read names."""

import re
from collections.abc import Iterator
from typing import Final

from console.reading import Element, Page

# The code has a digit or a capital, unlike words such as `proof_of_delivery_captured`. An id within
# an address is the address of an API for a program.
RAW_ID: Final = re.compile(
    r"(?<![\w/-])[a-z]+(?:_[a-z]+)*_(?=[a-z]*[A-Z0-9])[A-Za-z0-9]{16}(?![A-Za-z0-9])"
)
# What is not read as a name: bodies of requests and events, what one copies, and values of forms.
HIDDEN: Final = frozenset({"pre", "script", "style", "svg"})


def is_read(element: Element) -> bool:
    """Tell whether people read what is in an element as words of the page."""
    # A list of records has a name in each line; JSON is for programs.
    is_code = element.name == "textarea" and element.fits({"class_": "code"})
    return element.name not in HIDDEN and not is_code and not element.fits({"class_": "copy"})


def words(element: Element) -> Iterator[str]:
    """List what people read in an element, also what they read in its fields."""
    if element.name == "input" and element["type"] not in {"hidden", "checkbox", "radio"}:
        yield element["value"]
    for one in element.inside:
        if isinstance(one, str):
            yield one
        elif is_read(one):
            yield from words(one)


def raw_ids(page: Page) -> list[str]:
    """List the ids that a page shows as words."""
    title, body = page.root.all("title")[0], page.root.one("body")
    return RAW_ID.findall(" ".join((*words(title), *words(body))))
