"""Reception of device events as JSON: parse a body, store its events, report rejects by index."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeAlias

import msgspec

from pannier.accounts import auth as accounts
from pannier.accounts.auth import Connection, Door
from pannier.accounts.models import KEY_PREFIXES
from pannier.devices import auth, items, readings
from pannier.devices.ingest import receiving
from pannier.devices.ingest.receiving import ReadingRefused
from pannier.devices.items import Item
from pannier.devices.outcomes import UNKNOWN_DEVICE, Outcome
from pannier.devices.readings import Reading, Refusal
from pannier.devices.sources import Source
from pannier.devices.streams.takers import Takes
from pannier.errors import BodyUnreadable, NotFound, TooLarge
from pannier.kit import credential, wording
from pannier.web import bodies
from pannier.web.exchange import Exchange, current

MOST_EVENTS: Final = 5000
MAX_LINES: Final = 4 * MOST_EVENTS  # including empty lines
LINES: Final = frozenset({b"application/x-ndjson", b"application/ndjson", b"application/jsonl"})
Parse: TypeAlias = Callable[[bytes], list[Any]]
_SENDERS: Final = (auth.TOKENS.prefix, KEY_PREFIXES["api"])


class TooManyEvents(TooLarge):
    """A request has more device events than the limit; nothing was stored."""

    code = "too_many_events"
    title = f"A request takes at most {MOST_EVENTS:,} device events."
    remedy = "Send the others in another request."


class _Envelope(msgspec.Struct):
    events: list[Item]


class _Unread(msgspec.Struct):
    events: list[msgspec.Raw]


_enveloped: Final = msgspec.json.Decoder(_Envelope)
_unread: Final = msgspec.json.Decoder(_Unread)


def sender() -> Door:
    """Build a guard for senders: a device or gateway, a program by its key, or a dispatcher."""
    by_key, by_operator = auth.device_or_key(), accounts.operator("dispatcher", _SENDERS)

    async def door(connection: Connection) -> None:
        exchange = current.get()
        if credential.kind(auth.presented(exchange)) in _SENDERS:
            await by_key(connection)
            return
        exchange.edge.count_address(exchange)
        await by_operator(connection)
        company = exchange.caller.company
        exchange.caller = Source(company, None, None, speaks_for_all=True, adopts=False)

    return door


async def of_device(exchange: Exchange, writer: Takes, device: str) -> Outcome:
    """Store the events of one device: an event, or a list of them."""
    try:
        return await _taken_in(exchange, writer, items.items, device)
    except ReadingRefused as refused:
        if {rejected["code"] for rejected in refused.extra["rejected"]} == {UNKNOWN_DEVICE}:
            raise NotFound from None
        raise


async def of_many(exchange: Exchange, writer: Takes) -> Outcome:
    """Store the events of many devices: a list, a list in an envelope, or one event per line."""
    return await _taken_in(exchange, writer, _listed, None)


def _listed(body: bytes) -> list[Any]:
    """Split a list of events that may be in an envelope."""
    if body.lstrip()[:1] != b"{":
        return items.items(body)
    try:
        return _enveloped_in(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as wrong:
        raise BodyUnreadable(wording.describe_json_error(wrong)) from None


def _enveloped_in(body: bytes) -> list[Any]:
    """Split an envelope, event by event if one of them is invalid.

    An object without `events` is a single event.
    """
    for decoder in (_enveloped, _unread):
        with suppress(msgspec.ValidationError):
            return decoder.decode(body).events
    return items.items(body)


async def _taken_in(exchange: Exchange, writer: Takes, parse: Parse, device: str | None) -> Outcome:
    """Parse a body and store its events, without holding a transaction."""
    await bodies.load(exchange)
    source: Source = exchange.caller
    found, refusals = _read(exchange, source, parse, device)
    if not found and not refusals:
        return Outcome(0, 0, [])
    async with exchange.edge.outside(exchange):
        return receiving.unless_nothing(await writer.put(source, found, refusals))


def _lines(exchange: Exchange) -> list[Any]:
    """Split an NDJSON body, and check the nesting depth of each line alone."""
    bodies.check_values(exchange.body)
    if items.count_lines(exchange.body) > MAX_LINES:
        raise TooManyEvents
    lines = items.split_lines(exchange.body)
    for line in lines:
        bodies.check_depth(line, exchange.edge.settings)
    return lines


def _read(
    exchange: Exchange, source: Source, parse: Parse, device: str | None
) -> tuple[list[Reading], list[Refusal]]:
    now, key = exchange.db.now, readings.keyed(source.company)
    bounds = receiving.believed(exchange.edge.settings, now)
    kind = exchange.headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if kind in LINES:
        told = _lines(exchange)
    else:
        bodies.must_be_json(exchange)
        told = parse(exchange.body)
    if len(told) > MOST_EVENTS:
        raise TooManyEvents
    return readings.read_all(told, device=device, now=now, bounds=bounds, key=key)
