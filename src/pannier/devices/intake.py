"""Reception of device events as JSON: parse a body, store its events, report rejects by index."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeAlias

import msgspec

from pannier.accounts import auth as accounts
from pannier.accounts.auth import Connection, RequestGuard
from pannier.accounts.models import KEY_PREFIXES
from pannier.devices import auth, items, readings
from pannier.devices.brokers.backends import IngestBackend
from pannier.devices.ingest import reception
from pannier.devices.ingest.reception import ReadingRefused
from pannier.devices.items import EventItem
from pannier.devices.outcomes import UNKNOWN_DEVICE, IngestOutcome
from pannier.devices.readings import ItemRefusal, Reading
from pannier.devices.sources import Source
from pannier.errors import BodyUnreadable, NotFound, TooLarge
from pannier.kit import credential, wording
from pannier.web import bodies
from pannier.web.exchange import Exchange, current

MAX_EVENTS: Final = 5000
MAX_LINES: Final = 4 * MAX_EVENTS  # including empty lines
NDJSON_TYPES: Final = frozenset(
    {b"application/x-ndjson", b"application/ndjson", b"application/jsonl"}
)
SplitBody: TypeAlias = Callable[[bytes], list[Any]]
_SENDER_PREFIXES: Final = (auth.TOKENS.prefix, KEY_PREFIXES["api"])


class TooManyEvents(TooLarge):
    """The request exceeds the limit, and nothing was stored."""

    code = "too_many_events"
    title = f"A request can contain at most {MAX_EVENTS:,} device events."
    remedy = "Split the events into several requests."


class _Envelope(msgspec.Struct):
    events: list[EventItem]


class _RawEnvelope(msgspec.Struct):
    events: list[msgspec.Raw]


_envelope_decoder: Final = msgspec.json.Decoder(_Envelope)
_raw_envelope_decoder: Final = msgspec.json.Decoder(_RawEnvelope)


def make_sender_guard() -> RequestGuard:
    """Build a guard for senders: a device or gateway, a program by its key, or a dispatcher."""
    guard_sender, guard_operator = (
        auth.make_device_or_key_guard(),
        accounts.require_operator("dispatcher", other_prefixes=_SENDER_PREFIXES),
    )

    async def guard(connection: Connection) -> None:
        exchange = current.get()
        if credential.kind(auth.read_header_credential(exchange)) in _SENDER_PREFIXES:
            await guard_sender(connection)
            return
        exchange.edge.count_address_hit(exchange)
        await guard_operator(connection)
        company = exchange.caller.company
        exchange.caller = Source(company, None, None, speaks_for_all=True, adopts=False)

    return guard


async def store_device_events(
    exchange: Exchange, backend: IngestBackend, device: str
) -> IngestOutcome:
    """Store the events of one device: an event, or a list of them."""
    try:
        return await _store_body(exchange, backend, items.split_body, device)
    except ReadingRefused as error:
        if {rejected_item["code"] for rejected_item in error.extra["rejected"]} == {UNKNOWN_DEVICE}:
            raise NotFound from None
        raise


async def store_events(exchange: Exchange, backend: IngestBackend) -> IngestOutcome:
    """Store the events of many devices: a list, a list in an envelope, or one event per line."""
    return await _store_body(exchange, backend, _split_body, None)


def _split_body(body: bytes) -> list[Any]:
    """Split a list of events that may be in an envelope."""
    if body.lstrip()[:1] != b"{":
        return items.split_body(body)
    try:
        return _split_envelope(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise BodyUnreadable(wording.describe_json_error(error)) from None


def _split_envelope(body: bytes) -> list[Any]:
    """Split an envelope, event by event if one of them is invalid.

    An object without `events` is a single event.
    """
    for decoder in (_envelope_decoder, _raw_envelope_decoder):
        with suppress(msgspec.ValidationError):
            return decoder.decode(body).events
    return items.split_body(body)


async def _store_body(
    exchange: Exchange, backend: IngestBackend, split: SplitBody, device: str | None
) -> IngestOutcome:
    """Parse a body and store its events, without holding a transaction."""
    await bodies.load(exchange)
    source: Source = exchange.caller
    readings, refusals = await bodies.process_body(
        exchange, lambda: _parse_body(exchange, source, split, device)
    )
    if not readings and not refusals:
        return IngestOutcome(0, 0, [])
    async with exchange.edge.suspend_transaction(exchange):
        return reception.check_outcome(await backend.put(source, readings, refusals))


def _split_lines(exchange: Exchange) -> list[Any]:
    """Split an NDJSON body, and check the nesting depth of each line."""
    bodies.check_value_count(exchange.body)
    if items.count_lines(exchange.body) > MAX_LINES:
        raise TooManyEvents
    lines = items.split_lines(exchange.body)
    for line in lines:
        bodies.check_depth(line, exchange.edge.settings)
    return lines


def _parse_body(
    exchange: Exchange, source: Source, split: SplitBody, device: str | None
) -> tuple[list[Reading], list[ItemRefusal]]:
    now, key = exchange.db.now, readings.company_hash(source.company)
    bounds = reception.make_clock_bounds(exchange.edge.settings, now)
    content_type = exchange.headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if content_type in NDJSON_TYPES:
        raw_items = _split_lines(exchange)
    else:
        bodies.require_json(exchange)
        raw_items = split(exchange.body)
    if len(raw_items) > MAX_EVENTS:
        raise TooManyEvents
    return readings.parse_all(raw_items, device=device, now=now, bounds=bounds, key=key)
