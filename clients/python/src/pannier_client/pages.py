"""Lists that load their next page when it is needed."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import parse_qs, urlsplit

import httpx

from pannier_client.problem import PannierError
from pannier_client.requests import read_json

Item = TypeVar("Item")


class Page(NamedTuple, Generic[Item]):
    """A part of a list. Some lists have a next cursor at their end too, for what is added later."""

    items: list[Item]
    next_cursor: str | None
    has_more: bool


class Pages(Generic[Item]):
    """The items of a list. Nothing is requested before the first is read."""

    def __init__(self, fetch: Callable[[str | None], httpx.Response]) -> None:
        self._fetch = fetch

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page.items

    def pages(self, cursor: str | None = None) -> Iterator[Page[Item]]:
        """Iterate over pages, from the given cursor or the beginning."""
        while True:
            page: Page[Item] = read_page(self._fetch(cursor))
            yield page
            if not page.has_more:
                return
            cursor = _check_progress(cursor, page.next_cursor)

    def first_page(self) -> Page[Item]:
        """Load the first page only."""
        return read_page(self._fetch(None))


class AsyncPages(Generic[Item]):
    """The items of a list. Nothing is requested before the first is read."""

    def __init__(self, fetch: Callable[[str | None], Awaitable[httpx.Response]]) -> None:
        self._fetch = fetch

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in page.items:
                yield item

    async def pages(self, cursor: str | None = None) -> AsyncIterator[Page[Item]]:
        """Iterate over pages, from the given cursor or the beginning."""
        while True:
            page: Page[Item] = read_page(await self._fetch(cursor))
            yield page
            if not page.has_more:
                return
            cursor = _check_progress(cursor, page.next_cursor)

    async def first_page(self) -> Page[Item]:
        """Load the first page only."""
        return read_page(await self._fetch(None))


def read_page(response: httpx.Response) -> Page[Any]:
    """Read a page: an array with a `Link` header, or an object with `data` and `meta`."""
    body = read_json(response)
    if isinstance(body, list):
        cursor = _read_link_cursor(response)
        return Page(body, cursor, cursor is not None)
    meta = body["meta"]
    return Page(body["data"], meta.get("next_cursor"), bool(meta.get("has_more")))


def _read_link_cursor(response: httpx.Response) -> str | None:
    """Read the cursor of the next page from the `Link` header.

    Only the cursor is used, never the address: credentials go nowhere else.
    """
    target = response.links.get("next", {}).get("url", "")
    cursors = parse_qs(urlsplit(target).query).get("cursor", [])
    return cursors[0] if cursors else None


def _check_progress(cursor: str | None, next_cursor: str | None) -> str:
    # Without a cursor, the list would begin again.
    if not next_cursor or cursor == next_cursor:
        raise PannierError("The list does not end: a page refers to itself or to the first.")
    return next_cursor
