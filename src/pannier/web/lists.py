"""Lists: filters from the query, pages out as the two prefixes have them."""

import types
from collections.abc import Callable
from typing import Annotated, Any, Generic, TypeVar, Union, get_args, get_origin
from urllib.parse import parse_qsl, urlencode

import msgspec
from litestar import Request, Response, get
from litestar.di import Provide
from msgspec import Meta

from pannier.db import Page
from pannier.db.paging import DEFAULT_LIMIT, MOST
from pannier.errors import Field, Invalid
from pannier.web import problems, query

Row = TypeVar("Row", bound=msgspec.Struct)
Out = TypeVar("Out")
Filters = TypeVar("Filters", bound="PageIn")


class PageIn(msgspec.Struct, frozen=True, kw_only=True):
    """What every list takes."""

    limit: Annotated[
        int, Meta(ge=1, le=MOST, description="Rows a page.", examples=[DEFAULT_LIMIT])
    ] = DEFAULT_LIMIT
    cursor: Annotated[
        str | None, Meta(description="Where the last page ended; from its next link.")
    ] = None
    sort: Annotated[
        str | None, Meta(description="The column to sort by, with `-` for descending.")
    ] = None


class PageMeta(msgspec.Struct):
    """What a page says of itself."""

    limit: int
    has_more: bool
    next_cursor: str | None


class Listed(msgspec.Struct, Generic[Out]):
    """A page under `/int/v1`."""

    data: list[Out]
    meta: PageMeta


def enveloped(page: Page[Row], out: Callable[[Row], Out]) -> Listed[Out]:
    """Spell a page as `/int/v1` does."""
    meta = PageMeta(page.limit, page.next_cursor is not None, page.next_cursor)
    return Listed(page.map(out), meta)


def linked(
    request: Request[Any, Any, Any], page: Page[Row], out: Callable[[Row], Out]
) -> Response[list[Out]]:
    """Spell a page as `/v1` and `/storefront/v1` do: a bare array, the next page in `Link`."""
    headers = {}
    if page.next_cursor is not None:
        given = parse_qsl(request.scope["query_string"].decode(), keep_blank_values=True)
        kept = [pair for pair in given if pair[0] != "cursor"]
        target = f"{request.url.path}?{urlencode([*kept, ('cursor', page.next_cursor)])}"
        headers["Link"] = f'<{target}>; rel="next"'
    return Response(page.map(out), headers=headers)


def listing(path: str, filters: type[Filters], **options: Any) -> Any:  # noqa: ANN401 - Litestar's decorator
    """Make a GET handler of a list, with its filters parsed from the query."""

    def parsed(request: Request[Any, Any, Any]) -> Filters:
        return read(request.scope["query_string"], filters)

    return get(
        path,
        dependencies={"filters": Provide(parsed, sync_to_thread=False)},
        opt={"query": filters},
        **options,
    )


def read(query_string: bytes, into: type[Filters]) -> Filters:
    """Parse a query in any of the spellings existing clients use."""
    try:
        given = query.parse(query_string)
    except ValueError as wrong:
        raise Invalid(str(wrong), fields=[Field("query", str(wrong))]) from None
    for field in msgspec.structs.fields(into):
        if field.name in given and takes_list(field.type):
            value = given[field.name]
            given[field.name] = value if isinstance(value, list) else [value]
    try:
        return msgspec.convert(given, into, strict=False)
    except msgspec.ValidationError as wrong:
        raise problems.invalid(wrong) from None


def takes_list(kind: Any) -> bool:  # noqa: ANN401 - an annotation
    """Tell whether a filter takes several values."""
    if get_origin(kind) in {Union, types.UnionType, Annotated}:
        return any(takes_list(part) for part in get_args(kind))
    return get_origin(kind) is list
