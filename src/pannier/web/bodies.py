"""Bodies: received only behind the door, and JSON read once, strictly, into what is asked for."""

import asyncio
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import msgspec

from pannier.errors import BodyUnreadable, Field, Invalid, TooLarge, UnsupportedMedia
from pannier.kit import wording
from pannier.kit.depth import too_deep
from pannier.settings import Settings
from pannier.web import fields, offenders, times, unknown
from pannier.web.exchange import ClientLeftError, Exchange

if TYPE_CHECKING:
    from litestar.types import Receive

Value = TypeVar("Value")

LARGE: Final = 256 * 1024
STRANGER_LIMIT: Final = 64 * 1024  # bytes of a body that comes without a credential
# A gateway's notices carry a signature instead of a credential, and may be long.
NOTICES: Final = "/payments/"
BRIEF: Final = 16 * 1024
LARGE_PACKED: Final = 4 * 1024
# How far a compressed body may expand: events by the thousand shrink to a thirtieth, and only what
# is made to exhaust memory shrinks much further.
MAX_RATIO: Final = 100
SMALLEST_EXPANSION: Final = 64 * 1024  # bytes that any compressed body may expand to
# A file is one long string of plain letters; whatever else a body holds is made of these.
SIGNS: Final = (b'"', b",", b"[", b"{", b"\\")
MOST_SIGNS: Final = 100_000
# More than any batch of device events has: these signs are between values and around them.
MAX_INTAKE_VALUES: Final = 1_000_000
VALUE_SIGNS: Final = (b",", b"[", b"{")
_GZIP: Final = 16 + zlib.MAX_WBITS  # with its header and its sum


async def load(exchange: Exchange) -> None:
    """Receive the body, once the caller is known: strangers do not fill our memory."""
    await receive(exchange)
    if exchange.unchecked and exchange.body and exchange.is_json:
        await aside(exchange, lambda: _check(exchange))
    exchange.unchecked = False


async def receive(exchange: Exchange) -> None:
    """Receive the body without looking at it: whoever may not come in hears nothing of it."""
    if exchange.unread:
        limit = _limit(exchange)
        if exchange.caller is None and not exchange.path.startswith(NOTICES):
            limit = min(limit, STRANGER_LIMIT)
        exchange.body = await _unpacked(exchange, await _received(exchange, limit), limit)
        exchange.unread = False


def is_brief(exchange: Exchange) -> bool:
    """Tell whether a body is small and plain, and no file: it is received and read in no time."""
    announced = exchange.headers.get(b"content-length", b"0")
    limit = exchange.edge.settings.body_limit
    return (
        announced.isdigit()
        and int(announced[:20]) <= min(BRIEF, limit)
        and b"transfer-encoding" not in exchange.headers
        and b"content-encoding" not in exchange.headers
        and _limit(exchange) == limit
    )


def again(exchange: Exchange) -> "Receive":
    """Hand the body out once per run; after it, only the caller's leaving is news."""
    handed_out = False

    async def take() -> Any:  # noqa: ANN401 - an ASGI message
        nonlocal handed_out
        if handed_out:
            return await exchange.receive()
        handed_out = True
        await load(exchange)
        return {"type": "http.request", "body": exchange.body, "more_body": False}

    return take


def _check(exchange: Exchange) -> None:
    """Refuse JSON over which a parser would take long."""
    body, settings = exchange.body, exchange.edge.settings
    intake = exchange.edge.is_intake(exchange)
    if intake:
        check_values(body)
    large = len(body) > settings.body_limit and not intake
    if large and any(body.count(sign) > MOST_SIGNS for sign in SIGNS):
        raise TooLarge("The body is too large. Only files in it may be large.")
    check_depth(body, settings)


def check_values(body: bytes) -> None:
    """Refuse device events that would become millions of objects."""
    if sum(map(body.count, VALUE_SIGNS)) > MAX_INTAKE_VALUES:
        raise TooLarge(f"The body has more than {MAX_INTAKE_VALUES:,} values. Send it in parts.")


def check_depth(body: bytes, settings: Settings) -> None:
    """Refuse JSON that is nested too deeply to be meant."""
    depth = settings.depth_limit
    if too_deep(body, depth):
        raise BodyUnreadable(f"The body is nested too deeply. Send at most {depth} levels.")


async def aside(exchange: Exchange, work: Callable[[], Value]) -> Value:
    """Do something with the body; where it is large, in a thread, so that others need not wait."""
    return await asyncio.to_thread(work) if len(exchange.body) > LARGE else work()


def _limit(exchange: Exchange) -> int:
    settings = exchange.edge.settings
    if exchange.edge.is_intake(exchange):
        return settings.intake_limit
    return settings.upload_limit if _reads_itself(exchange) else settings.body_limit


async def _received(exchange: Exchange, limit: int) -> bytes:
    refusal = TooLarge(f"The body is too large. Send at most {limit:,} bytes.")
    announced = exchange.headers.get(b"content-length", b"0")
    if announced.isdigit() and int(announced[:20]) > limit:
        raise refusal
    chunks: list[bytes] = []
    size, more = 0, True
    while more:
        message = cast("Any", await exchange.receive())
        if message["type"] == "http.disconnect":
            raise ClientLeftError
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
        if size > limit:
            raise refusal
        more = message.get("more_body", False)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


async def _unpacked(exchange: Exchange, body: bytes, limit: int) -> bytes:
    """Decompress gzip, which phones send; what may become large, in a thread."""
    packing = exchange.headers.get(b"content-encoding", b"identity").strip().lower()
    if packing == b"identity" or not body:
        return body
    if packing != b"gzip":
        raise UnsupportedMedia("Send the body uncompressed or with gzip.")
    if not has_secret(exchange):
        raise UnsupportedMedia("Compressed bodies need a secret credential. Send it uncompressed.")
    if len(body) > LARGE_PACKED:
        return await asyncio.to_thread(_inflated, body, limit)
    return _inflated(body, limit)


def has_secret(exchange: Exchange) -> bool:
    """Tell whether the caller has shown a credential that does not ship in an app."""
    return exchange.caller is not None and not getattr(exchange.caller, "is_public", False)


def _inflated(body: bytes, limit: int) -> bytes:
    """Decompress gzip, no further than a plain body may go and than the ratio allows."""
    most = min(limit, max(SMALLEST_EXPANSION, MAX_RATIO * len(body)))
    inflater = zlib.decompressobj(wbits=_GZIP)
    try:
        inflated = inflater.decompress(body, most + 1)
    except zlib.error:
        raise BodyUnreadable("The body is not valid gzip.") from None
    if len(inflated) > limit:
        raise TooLarge(f"The body is too large. Send at most {limit:,} bytes, uncompressed.")
    if len(inflated) > most:
        raise TooLarge(f"The body expands more than {MAX_RATIO}-fold. Send it uncompressed.")
    if not inflater.eof or inflater.unused_data:
        raise BodyUnreadable("The gzip body is incomplete, or more follows it.")
    return inflated


def must_be_json(exchange: Exchange) -> None:
    """Refuse a body that says it is something else."""
    if exchange.body and not exchange.is_json:
        raise UnsupportedMedia("Send the body as application/json.")


def read(exchange: Exchange, into: Any) -> Any:  # noqa: ANN401 - an annotation, and a value of it
    """Parse the body; no body at all is an empty object."""
    must_be_json(exchange)
    body = unknown.check_body(exchange, exchange.body or b"{}", into)
    try:
        value = msgspec.json.decode(body, type=into, dec_hook=times.read)
    except msgspec.ValidationError as wrong:
        raise _name_body(offenders.refusal(wrong, plain(body), into)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as wrong:
        raise BodyUnreadable(wording.describe_json_error(wrong)) from None
    if exchange.method == "PATCH":
        fields.mark_patch(value)
    return value


def _name_body(refusal: Invalid) -> Invalid:
    """Call the body by a name, where it is wrong as a whole."""
    return Invalid(fields=[Field(path or "body", message) for path, message in refusal.fields])


async def refuse_fields(exchange: Exchange) -> None:
    """Refuse fields in the body of a path that takes none."""
    if unknown.is_strict(exchange) and not _reads_itself(exchange):
        await load(exchange)
        unknown.check_empty_body(exchange)


def _reads_itself(exchange: Exchange) -> bool:
    """Tell whether the handler reads the body: files come as forms too."""
    return any(pattern.match(exchange.path) for pattern in exchange.edge.uploads)


def plain(body: bytes) -> Any:  # noqa: ANN401 - JSON may hold anything
    """Parse a body into plain lists and objects."""
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError as wrong:
        raise BodyUnreadable(wording.describe_json_error(wrong)) from None
