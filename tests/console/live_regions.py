"""Regions of a page that are refreshed by events."""

from collections.abc import Iterator

from console.reading import Element, Page

LIVE = {"data-live-on", "data-live-every"}


def list_faulty_regions(page: Page) -> list[str]:
    """List the regions that have no id, or are within another one.

    An inner region would be refreshed twice, and its outer one would lose what is in use in it.
    """
    regions = [one for one in page.root.within() if LIVE & one.attributes.keys()]
    unnamed = ["a region without an id" for one in regions if not one["id"]]
    return unnamed + [
        f"{inner['id']} within {outer['id']}"
        for outer in regions
        for inner in _list_inner(outer)
        if LIVE & inner.attributes.keys()
    ]


def _list_inner(outer: Element) -> Iterator[Element]:
    return (one for one in outer.within() if one is not outer)
