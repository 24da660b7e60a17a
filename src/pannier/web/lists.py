"""Lists: filters from the query, and pages in the formats of the APIs."""

import types
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Generic, TypeVar, Union, get_args, get_origin
from urllib.parse import parse_qsl, urlencode

import msgspec
from litestar import MediaType, Response

from pannier.db import Page
from pannier.errors import FieldError, Invalid, NotFound, UnknownValue
from pannier.web import compatibility, former_names, query, times, unknown_names, validation_errors
from pannier.web.exchange import Exchange
from pannier.web.serialization import encode

Row = TypeVar("Row", bound=msgspec.Struct)
Out = TypeVar("Out")
Filters = TypeVar("Filters", bound=msgspec.Struct)


class PageMeta(msgspec.Struct):
    """Metadata of a page."""

    limit: int
    has_more: bool
    next_cursor: str | None


class Listed(msgspec.Struct, Generic[Out]):
    """A page under `/int/v1`."""

    data: list[Out]
    meta: PageMeta


def to_envelope(page: Page[Row], convert: Callable[[Row], Out]) -> Listed[Out]:
    """Convert a page to the envelope of `/int/v1`."""
    meta = PageMeta(page.limit, page.next_cursor is not None, page.next_cursor)
    return Listed(page.map(convert), meta)


def to_array_response(
    exchange: Exchange, page: Page[Row], convert: Callable[[Row], Out]
) -> Response[list[Out]]:
    """Respond as `/v1` and `/storefront/v1` do: a bare array, and the next page in `Link`.

    With `single`, respond with the first record instead.
    """
    if is_single(exchange):
        return Response(encode(_get_first(page.map(convert))), media_type=MediaType.JSON)  # type: ignore[arg-type]  # one of them
    headers = {}
    if page.next_cursor is not None:
        parameters = parse_qsl(exchange.query.decode(), keep_blank_values=True)
        other_parameters = [
            pair
            for pair in parameters
            if pair[0] not in {"cursor", *unknown_names.FIRST_PAGE_VALUES}
        ]
        # The encoded path: a decoded one could inject headers.
        path = exchange.target.partition(b"?")[0].decode("latin-1")
        target = f"{path}?{urlencode([*other_parameters, ('cursor', page.next_cursor)])}"
        headers["Link"] = f'<{target}>; rel="next"'
    # Encoded here, because Litestar would encode decimals as strings.
    return Response(encode(page.map(convert)), headers=headers, media_type=MediaType.JSON)  # type: ignore[arg-type]  # of such a list


def is_single(exchange: Exchange) -> bool:
    """Tell whether the caller requests only the first record of a list, as an object."""
    if b"single" not in exchange.query:
        return False
    single = _parse_query(exchange.query).get("single")
    return isinstance(single, str) and single.lower() in compatibility.TRUE_TEXTS


def _get_first(rows: Sequence[Out]) -> Out:
    if not rows:
        raise NotFound("No record matches the filters.")
    return rows[0]


def read(exchange: Exchange, kind: type[Filters]) -> Filters:
    """Parse a query in any of the formats that existing clients use."""
    parameters = _parse_query(exchange.query)
    if _is_blank(parameters.get("query")):
        del parameters["query"]
    unknown_names.check_query(exchange, parameters, kind)
    single_names = [
        name
        for name in parameters.keys() & _list_filter_names(kind)
        if not isinstance(parameters[name], list)
    ]
    for name in single_names:
        parameters[name] = [parameters[name]]
    try:
        filters = msgspec.convert(parameters, kind, strict=False, dec_hook=times.read)
    except msgspec.ValidationError as error:
        problem = validation_errors.from_value(error, parameters, kind, strict=False)
        raise _use_sent_names(problem, {f"{name}[0]": name for name in single_names}) from None
    return former_names.replace_former_names(filters, exchange.former_uses)


def check_parameters(exchange: Exchange) -> None:
    """Reject all query parameters on a path that has none."""
    if exchange.query and unknown_names.is_strict(exchange):
        unknown_names.check_query(exchange, _parse_query(exchange.query), compatibility.EmptyBody)


def _parse_query(query_string: bytes) -> dict[str, Any]:
    try:
        return query.parse(query_string)
    except ValueError as error:
        raise Invalid(str(error), fields=[FieldError("query", str(error))]) from None


def _is_blank(text: object) -> bool:
    return isinstance(text, str) and not text.strip()


def _use_sent_names(problem: Invalid, sent_names: Mapping[str, str]) -> Invalid:
    """Use the caller's parameter names. If all errors are unlisted values, use UnknownValue."""
    fields = [
        type(field)(sent_names.get(field.path, field.path), field.message)
        for field in problem.fields
    ]
    are_unlisted = all(isinstance(field, validation_errors.UnlistedValueError) for field in fields)
    return UnknownValue(fields=fields) if are_unlisted else Invalid(fields=fields)


@lru_cache(maxsize=512)
def _list_filter_names(kind: type[msgspec.Struct]) -> frozenset[str]:
    """Return the filters that accept several values. Cached, because reading types is slow."""
    return frozenset(
        field.name for field in msgspec.structs.fields(kind) if accepts_list(field.type)
    )


def accepts_list(kind: Any) -> bool:  # noqa: ANN401 - an annotation
    """Tell whether a filter accepts only lists, and no single text."""
    if get_origin(kind) in {Union, types.UnionType, Annotated}:
        parts = get_args(kind)
        return any(map(accepts_list, parts)) and str not in parts
    return get_origin(kind) is list
