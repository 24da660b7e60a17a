"""Request bodies: received only after authentication, and parsed once into a handler's type."""

import asyncio
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import msgspec

from pannier.errors import BodyUnreadable, FieldError, Invalid, TooLarge, UnsupportedMedia
from pannier.kit import wording
from pannier.kit.json_depth import is_too_deep
from pannier.settings import Settings
from pannier.web import fields, former_names, times, unknown_names, validation_errors
from pannier.web.exchange import ClientDisconnectedError, Exchange

if TYPE_CHECKING:
    from litestar.types import Receive

Value = TypeVar("Value")

LARGE_BODY_BYTES: Final = 256 * 1024
MAX_ANONYMOUS_BYTES: Final = 64 * 1024  # bytes of a body without a credential
# A payment gateway's notices have a signature instead of a credential, and may be long.
NOTICE_PREFIX: Final = "/payments/"
MAX_BRIEF_BYTES: Final = 16 * 1024
LARGE_GZIP_BYTES: Final = 4 * 1024
# Maximum expansion of a compressed body. Thousands of events shrink to a thirtieth; only a body
# that is made to exhaust memory shrinks much further.
MAX_GZIP_RATIO: Final = 100
MIN_EXPANSION_BYTES: Final = 64 * 1024  # bytes, allowed at any ratio
# A file is one long string of plain letters. All other JSON consists of these bytes.
STRUCTURE_BYTES: Final = (b'"', b",", b"[", b"{", b"\\")
MAX_STRUCTURE_BYTES: Final = 100_000
# Objects and arrays in a body. Each costs the parser and the garbage collector as much as dozens
# of other bytes. The largest border or batch of orders has fewer.
MAX_CONTAINERS: Final = 50_000
# Values in a body without a credential, such as a sign-in.
MAX_ANONYMOUS_VALUES: Final = 2_000
# Bytes of a body with a key that ships in apps, and the objects and arrays in it.
MAX_PUBLIC_BYTES: Final = 256 * 1024
MAX_PUBLIC_CONTAINERS: Final = 5_000
# From this size, parsing takes milliseconds, and the bodies of a company are processed in turns.
MIN_TURN_BYTES: Final = 64 * 1024
CONTAINER_STARTS: Final = (b"[", b"{")
# More than any batch of device events has. These bytes separate and enclose values.
MAX_INTAKE_CONTAINERS: Final = 200_000
MAX_INTAKE_VALUES: Final = 1_000_000
VALUE_SEPARATORS: Final = (b",", b"[", b"{")
_GZIP: Final = 16 + zlib.MAX_WBITS  # with header and checksum


async def load(exchange: Exchange) -> None:
    """Receive and check the body. Authenticate first, so that strangers cannot fill the memory."""
    await receive(exchange)
    if exchange.unchecked and exchange.body and exchange.is_json:
        await process_body(exchange, lambda: _check_json(exchange))
    exchange.unchecked = False


async def receive(exchange: Exchange) -> None:
    """Receive the body without checking it: only authorized callers may see its errors."""
    if exchange.unread:
        limit = _find_size_limit(exchange)
        if _is_anonymous(exchange):
            limit = min(limit, MAX_ANONYMOUS_BYTES)
        elif _is_public(exchange):
            limit = min(limit, MAX_PUBLIC_BYTES)
        exchange.body = await _decompress(exchange, await _receive_bytes(exchange, limit), limit)
        exchange.unread = False


def _is_anonymous(exchange: Exchange) -> bool:
    """Tell whether a request has neither a credential nor a gateway's signature."""
    return exchange.caller is None and not exchange.path.startswith(NOTICE_PREFIX)


def _is_public(exchange: Exchange) -> bool:
    """Tell whether the caller's key ships in apps, so that anybody may have it."""
    return getattr(exchange.caller, "is_public", False)


def takes_turns(exchange: Exchange) -> bool:
    """Tell whether parsing a body takes so long that those of a company take turns.

    The long text of an upload is parsed quickly. Batches of device events have threads.
    """
    return (
        len(exchange.body) >= MIN_TURN_BYTES
        and exchange.is_json
        and _find_size_limit(exchange) == exchange.edge.settings.body_limit
    )


def is_brief(exchange: Exchange) -> bool:
    """Tell whether a body is fast to receive: small, uncompressed and not an upload."""
    content_length = exchange.headers.get(b"content-length", b"0")
    limit = exchange.edge.settings.body_limit
    return (
        content_length.isdigit()
        and int(content_length[:20]) <= min(MAX_BRIEF_BYTES, limit)
        and b"transfer-encoding" not in exchange.headers
        and b"content-encoding" not in exchange.headers
        and _find_size_limit(exchange) == limit
    )


def make_receive(exchange: Exchange) -> "Receive":
    """Return an ASGI `receive` that yields the body once, and then waits for a disconnect."""
    is_consumed = False

    async def receive_once() -> Any:  # noqa: ANN401 - an ASGI message
        nonlocal is_consumed
        if is_consumed:
            return await exchange.receive()
        is_consumed = True
        await load(exchange)
        return {"type": "http.request", "body": exchange.body, "more_body": False}

    return receive_once


def _check_json(exchange: Exchange) -> None:
    """Reject JSON that would take long to parse."""
    body, settings = exchange.body, exchange.edge.settings
    is_intake = exchange.edge.is_intake(exchange)
    if is_intake:
        check_value_count(body)
    elif _is_anonymous(exchange):
        _check_value_count(body, MAX_ANONYMOUS_VALUES)
    else:
        _check_container_count(
            body, MAX_PUBLIC_CONTAINERS if _is_public(exchange) else MAX_CONTAINERS
        )
    is_large = len(body) > settings.body_limit and not is_intake
    if is_large and any(body.count(byte) > MAX_STRUCTURE_BYTES for byte in STRUCTURE_BYTES):
        raise TooLarge("The request body is too large. Only files in it may be large.")
    check_depth(body, settings)


def check_value_count(body: bytes) -> None:
    """Reject device events that would decode to millions of objects."""
    _check_container_count(body, MAX_INTAKE_CONTAINERS)
    _check_value_count(body, MAX_INTAKE_VALUES)


def _check_value_count(body: bytes, limit: int) -> None:
    if sum(map(body.count, VALUE_SEPARATORS)) > limit:
        raise TooLarge(f"The body has more than {limit:,} values. Send it in parts.")


def _check_container_count(body: bytes, limit: int) -> None:
    if sum(map(body.count, CONTAINER_STARTS)) > limit:
        raise TooLarge(f"The body has more than {limit:,} objects and arrays. Send it in parts.")


def check_depth(body: bytes, settings: Settings) -> None:
    """Reject JSON that exceeds the depth limit."""
    depth = settings.depth_limit
    if is_too_deep(body, depth):
        raise BodyUnreadable(f"The body is nested too deeply. Send at most {depth} levels.")


async def process_body(exchange: Exchange, work: Callable[[], Value]) -> Value:
    """Run a function that reads the body; run it in a thread if the body is large."""
    return await asyncio.to_thread(work) if len(exchange.body) > LARGE_BODY_BYTES else work()


def _find_size_limit(exchange: Exchange) -> int:
    settings = exchange.edge.settings
    if exchange.edge.is_intake(exchange):
        return settings.intake_limit
    return settings.upload_limit if _is_upload(exchange) else settings.body_limit


async def _receive_bytes(exchange: Exchange, limit: int) -> bytes:
    size_error = TooLarge(f"The request body is too large. Send at most {limit:,} bytes.")
    content_length = exchange.headers.get(b"content-length", b"0")
    if content_length.isdigit() and int(content_length[:20]) > limit:
        raise size_error
    chunks: list[bytes] = []
    size, has_more = 0, True
    while has_more:
        message = cast("Any", await exchange.receive())
        if message["type"] == "http.disconnect":
            raise ClientDisconnectedError
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
        if size > limit:
            raise size_error
        has_more = message.get("more_body", False)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


async def _decompress(exchange: Exchange, body: bytes, limit: int) -> bytes:
    """Decompress a gzip body, such as phones send; use a thread if it is large."""
    encoding = exchange.headers.get(b"content-encoding", b"identity").strip().lower()
    if encoding == b"identity" or not body:
        return body
    if encoding != b"gzip":
        raise UnsupportedMedia("Send the body uncompressed or with gzip.")
    if not has_secret_credential(exchange):
        raise UnsupportedMedia("Compressed bodies need a secret credential. Send it uncompressed.")
    if len(body) > LARGE_GZIP_BYTES:
        return await asyncio.to_thread(_inflate_gzip, body, limit)
    return _inflate_gzip(body, limit)


def has_secret_credential(exchange: Exchange) -> bool:
    """Tell whether the caller's credential is secret, unlike a key inside an app."""
    return exchange.caller is not None and not _is_public(exchange)


def _inflate_gzip(body: bytes, limit: int) -> bytes:
    """Decompress gzip within the limits for size and expansion."""
    max_inflated = min(limit, max(MIN_EXPANSION_BYTES, MAX_GZIP_RATIO * len(body)))
    inflater = zlib.decompressobj(wbits=_GZIP)
    try:
        content = inflater.decompress(body, max_inflated + 1)
    except zlib.error:
        raise BodyUnreadable("The body is not valid gzip.") from None
    if len(content) > limit:
        raise TooLarge(
            f"The request body is too large. Send at most {limit:,} bytes, uncompressed."
        )
    if len(content) > max_inflated:
        raise TooLarge(f"The body expands more than {MAX_GZIP_RATIO}-fold. Send it uncompressed.")
    if not inflater.eof or inflater.unused_data:
        raise BodyUnreadable("The gzip body is incomplete, or followed by other data.")
    return content


def require_json(exchange: Exchange) -> None:
    """Reject a body with another content type."""
    if exchange.body and not exchange.is_json:
        raise UnsupportedMedia("Send the body as application/json.")


def read(exchange: Exchange, kind: Any) -> Any:  # noqa: ANN401 - an annotation, and a value of it
    """Parse the body into a type. A missing body counts as an empty object."""
    require_json(exchange)
    value = parse(exchange, exchange.body or b"{}", kind)
    if exchange.method == "PATCH":
        fields.mark_patch(value)
    return value


def parse(exchange: Exchange, body: bytes, kind: Any) -> Any:  # noqa: ANN401 - an annotation, and a value of it
    """Parse a body, or a part of one, into a type."""
    body = unknown_names.check_body(exchange, body, kind)
    try:
        value = msgspec.json.decode(body, type=kind, dec_hook=times.read)
    except msgspec.ValidationError as error:
        raise _name_body_errors(
            validation_errors.from_value(error, parse_plain(body), kind)
        ) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BodyUnreadable(wording.describe_json_error(error)) from None
    if former_names.has_former_names(kind):
        former_names.replace_former_names(value, exchange.former_uses)
    return value


def _name_body_errors(problem: Invalid) -> Invalid:
    """Report errors of the whole body under the path `body`."""
    return Invalid(fields=[FieldError(path or "body", message) for path, message in problem.fields])


async def reject_body_fields(exchange: Exchange) -> None:
    """Reject body fields on a path that accepts no body."""
    if unknown_names.is_strict(exchange) and not _is_upload(exchange):
        await load(exchange)
        unknown_names.check_empty_body(exchange)


def _is_upload(exchange: Exchange) -> bool:
    """Tell whether the path accepts uploads, which its handler parses.

    The route is compared too, because an identifier in the path can contain a slash.
    """
    return any(
        pattern.match(path)
        for pattern in exchange.edge.uploads
        for path in (exchange.path, exchange.route)
    )


def parse_plain(body: bytes) -> Any:  # noqa: ANN401 - JSON may hold anything
    """Parse a body into plain lists and objects."""
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError as error:
        raise BodyUnreadable(wording.describe_json_error(error)) from None
