"""The stream of signed webhooks for a machine that the internet cannot reach.

It carries what an endpoint of the company would receive: the bytes of each event, and headers with
valid signatures. It writes nothing. The signing secret is derived from the API key, so it stays
the same while the key lives, and a client that reconnects verifies as before.
"""

import base64
from collections.abc import Collection, Sequence
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.accounts import modes
from pannier.accounts.auth import FleetKey
from pannier.db import Database, Db
from pannier.errors import parse_field
from pannier.events import patterns, stream
from pannier.events.catalog import Name
from pannier.events.stream import Follower, RelayedEvent
from pannier.kit.crypto import Keyring, derive_key
from pannier.web import sse
from pannier.web.exchange import Exchange
from pannier.web.serialization import encode
from pannier.web.streams import AfterParameter, StreamedResponse
from pannier.webhooks import requests, signing
from pannier.webhooks.models import delivery_name
from pannier.webhooks.schemas import Patterns

SIGNING_PURPOSE: Final = "webhook stream secret"
DELIVERY_PURPOSE: Final = "webhook stream delivery"
# The events of a page, and the bytes of bodies after which a page ends. Bodies are some kilobytes
# long, but those of orders with many items are longer.
PAGE_SIZE: Final = 100
MAX_PAGE_BYTES: Final = 1024 * 1024
# Reads only bodies that are sent, but moves on over all events.
NEW_BODIES: Final = """
    select place, uuid, public_id, name, subject, created_at, body
    from (select place, uuid, public_id, name, subject, created_at, body,
              sum(coalesce(octet_length(body), 0)) over (order by place) as bytes
          from (select place, uuid, public_id, name, subject, created_at,
                    case when name = any(:names) then body end as body
                from (select place, event from event_relays
                      where company = :company and place > :place order by place limit :page) r
                join events on uuid = event) found) measured
    where bytes - coalesce(octet_length(body), 0) < :max_bytes order by place"""
# The sequence numbers of a connection are greater than those of all earlier ones. They are not the
# places of events, because those count the events of all companies.
FIRST_SEQUENCE: Final = "select (extract(epoch from pannier_now()) * 1000000)::bigint"


class SignedStreamFilters(msgspec.Struct, frozen=True, kw_only=True):
    """The events of the stream, and where it starts."""

    event: Annotated[
        Patterns | None,
        Meta(description="Events by name, groups such as `order.*`, or `*`. Defaults to all."),
    ] = None
    after: AfterParameter = None


class SignedWebhook(msgspec.Struct):
    """A webhook as an endpoint would receive it: `body` holds its exact text."""

    headers: dict[str, str]
    body: str


class StreamSecret(msgspec.Struct):
    """The secret that signs a stream's webhooks."""

    secret: str


class RelayedBody(RelayedEvent):
    """A relayed event with its body, if that is sent."""

    uuid: UUID
    body: bytes | None


async def open_stream(
    exchange: Exchange, db: Db, key: FleetKey, filters: SignedStreamFilters
) -> StreamedResponse:
    """Start a stream of signed webhooks for a test company's key."""
    await modes.require_test_company(db, key.company)
    position = await stream.load_start(exchange, db, key.company, filters.after)
    names = _parse_patterns(filters.event)
    sequence: int = await db.fetch_value(FIRST_SEQUENCE)
    follower = SignedEventFollower(exchange.edge.database, key, position, names, sequence)
    return sse.stream_events(exchange, follower)


def _parse_patterns(texts: Sequence[str] | None) -> Collection[Name] | None:
    """Return the events that match the patterns, or None for all."""
    if texts is None:
        return None
    return frozenset(map(Name, patterns.list_names(parse_field("event", patterns.validate, texts))))


def derive_secret(keys: Keyring, key: UUID) -> str:
    """Derive the signing secret of an API key's streams."""
    secret = derive_key(keys.key(SIGNING_PURPOSE), key.bytes)
    return signing.PREFIX + base64.b64encode(secret).decode()


class SignedEventFollower(Follower[RelayedBody]):
    """Reads events as signed webhooks for one API key."""

    row_type = RelayedBody
    statement = NEW_BODIES
    page_size = PAGE_SIZE

    def __init__(
        self,
        database: Database,
        key: FleetKey,
        position: int,
        names: Collection[Name] | None,
        sequence: int,
    ) -> None:
        super().__init__(database, key.company, position, names)
        self._key, self._sequence = key, sequence
        self._wanted_names = list(Name if names is None else names)
        self._secret = derive_secret(database.keys, key.uuid)

    def heartbeat(self) -> bytes:
        """Encode a keep-alive message with the current cursor and the signing secret."""
        return super().heartbeat().replace(b"data:", b"data: " + encode(StreamSecret(self._secret)))

    def to_data(self, row: RelayedBody) -> bytes:
        """Sign an event as it is sent, because receivers refuse old timestamps."""
        body = row.body or b""
        self._sequence += 1
        return encode(SignedWebhook(self._build_headers(row, body), body.decode()))

    def _make_values(self) -> dict[str, Any]:
        limits = {"names": self._wanted_names, "max_bytes": MAX_PAGE_BYTES}
        return super()._make_values() | limits

    def _is_full(self, rows: Sequence[RelayedBody]) -> bool:
        total_bytes = sum(len(row.body or b"") for row in rows)
        return super()._is_full(rows) or total_bytes >= MAX_PAGE_BYTES

    def _build_headers(self, row: RelayedBody, body: bytes) -> dict[str, str]:
        # An event gets the same id again after a reconnection, as a repeated delivery would.
        delivery = UUID(
            bytes=derive_key(
                self._database.keys.key(DELIVERY_PURPOSE), self._key.uuid.bytes + row.uuid.bytes
            )[:16]
        )
        return requests.build_service_headers(
            body,
            id=delivery_name(delivery),
            name=row.name,
            attempt=1,
            sequence=self._sequence,
            sent_at=self._database.clock.now(),
            secrets=[self._secret],
            signature_format="prefixed",
        )
