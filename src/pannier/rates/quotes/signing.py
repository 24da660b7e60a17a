"""Quote ids that carry the whole quote, signed: nothing is stored, and nothing can be altered.

An accepted quote is charged by the contents of its id: the amount and its lines, the rate and its
version, the times of creation and expiry, and a fingerprint of the shipment. An id is valid only
for its company. Ids signed with older secrets of the installation stay valid.
"""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Database, Db
from pannier.errors import NotFound, Problem
from pannier.kit import crypto, ids
from pannier.kit.structs import convert_struct
from pannier.rates.pricing import Code, PriceLine
from pannier.rates.quotes.quoting import Quote
from pannier.rates.shipment import ParcelMeasures, Shipment
from pannier.routing.route import Route, Source

PREFIX: Final = "quote_"
PURPOSE: Final = "service quote"
FINGERPRINT_LENGTH: Final = 16
NONCE_LENGTH: Final = 8
MAX_LINES: Final = 12
MAX_DETAILS_BYTES: Final = 600
# Valid ids are shorter, so longer ones are not decoded.
MAX_ID_LENGTH: Final = 2_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class QuoteExpired(Problem):
    """A quote can be accepted until `expired_at`."""

    status, code = 410, "quote_expired"
    title = "The quote has expired."
    remedy = "Request a new one."


class SignedLine(msgspec.Struct, frozen=True, array_like=True):
    """A line in an id."""

    code: Code
    details: str
    amount: int


class SignedQuote(msgspec.Struct, frozen=True, array_like=True, kw_only=True):
    """The content of an id."""

    # Makes ids unique, so that two customers never have the same one.
    nonce: bytes
    rate: UUID
    rate_version: int
    amount: int
    currency: str
    created_ms: int
    expired_ms: int
    lines: tuple[SignedLine, ...]
    distance: int
    time: int
    source: Source
    # The fingerprint of the shipment that was priced.
    shipment: bytes
    # The store in which the quote was made, if any.
    store: UUID | None = None
    # The shipment's scheduled time, which decides which rates apply to it.
    scheduled_ms: int | None = None
    # Whether the distance is final, and not an estimate while the engine was unavailable.
    firm: bool = True
    # The contact or vendor for whom the quote was made. Rates may be for certain customers only.
    customer: UUID | None = None
    tax_rate: Decimal | None = None
    tax_amount: int = 0

    @property
    def created_at(self) -> datetime:
        return _EPOCH + timedelta(milliseconds=self.created_ms)

    @property
    def expired_at(self) -> datetime:
        return _EPOCH + timedelta(milliseconds=self.expired_ms)

    @property
    def scheduled_at(self) -> datetime | None:
        if self.scheduled_ms is None:
            return None
        return _EPOCH + timedelta(milliseconds=self.scheduled_ms)

    @property
    def route(self) -> Route:
        return Route(self.distance, self.time, self.source, firm=self.firm)

    @property
    def items(self) -> tuple[PriceLine, ...]:
        return tuple(convert_struct(line, PriceLine) for line in self.lines)


_encode: Final = msgspec.msgpack.Encoder(uuid_format="bytes").encode
_decode: Final = msgspec.msgpack.Decoder(SignedQuote).decode


def fingerprint_shipment(shipment: Shipment) -> bytes:
    """Return a fingerprint of a shipment's stops, items, references, cash and scheduled time.

    The time of the request and the measured route are not part of it.
    """
    fields: tuple[object, ...] = (
        shipment.stops,
        [convert_struct(parcel, ParcelMeasures) for parcel in shipment.parcels],
        shipment.order_config,
        shipment.facilitator,
        shipment.cod,
        shipment.cod_amount,
        shipment.cod_currency,
        shipment.scheduled_at,
    )
    if shipment.declared_values:
        fields = (*fields, shipment.declared_values)
    # Without quantities, the fingerprint is that of earlier releases.
    if shipment.item_count != len(shipment.parcels):
        fields = (*fields, [parcel.quantity for parcel in shipment.parcels])
    return hashlib.sha256(msgspec.json.encode(fields)).digest()[:FINGERPRINT_LENGTH]


def sign_quote(
    database: Database, company: UUID, quote: Quote, fingerprint: bytes, store: UUID | None = None
) -> str:
    """Encode a quote as a signed id."""
    content = SignedQuote(
        nonce=ids.random_bytes(NONCE_LENGTH),
        rate=quote.rate.uuid,
        rate_version=quote.rate.version,
        amount=quote.amount,
        currency=quote.currency,
        created_ms=_to_milliseconds(quote.created_at),
        expired_ms=_to_milliseconds(quote.expired_at),
        lines=_to_signed_lines(quote.lines),
        distance=quote.route.distance,
        time=quote.route.time,
        source=quote.route.source,
        shipment=fingerprint,
        store=store,
        scheduled_ms=None if quote.scheduled_at is None else _to_milliseconds(quote.scheduled_at),
        firm=quote.route.firm,
        customer=quote.customer,
        tax_rate=quote.tax_rate,
        tax_amount=quote.tax_amount,
    )
    message = _encode(content)
    return PREFIX + crypto.to_text(database.keys.sign(PURPOSE, company.bytes + message) + message)


def _to_signed_lines(lines: Sequence[PriceLine]) -> tuple[SignedLine, ...]:
    """Convert the lines. If they are too long, combine them to one line per code."""
    details_bytes = sum(len(line.details.encode()) for line in lines)
    if len(lines) <= MAX_LINES and details_bytes <= MAX_DETAILS_BYTES:
        return tuple(convert_struct(line, SignedLine) for line in lines)
    sums: dict[Code, int] = {}
    for line in lines:
        sums[line.code] = sums.get(line.code, 0) + line.amount
    return tuple(SignedLine(code, "", amount) for code, amount in sums.items())


def parse_quote_id(db: Db, company: UUID, text: str) -> SignedQuote:
    """Parse a signed id. An altered id, or one of another company, is not found."""
    data = _decode_id(text)
    signature, message = data[: crypto.SIGNATURE_LENGTH], data[crypto.SIGNATURE_LENGTH :]
    if not db.database.keys.is_valid(PURPOSE, company.bytes + message, signature):
        raise NotFound
    quote: SignedQuote = _decode(message)
    if quote.expired_at <= db.now:
        raise QuoteExpired
    return quote


def is_signed_id(text: str) -> bool:
    """Return whether an id contains a signed quote. Otherwise it is a row's public id."""
    return text.startswith(PREFIX) and len(text) > len(PREFIX) + 64


def _decode_id(text: str) -> bytes:
    """Decode an id in canonical base64. Other encodings of the same bytes are refused."""
    body = text.removeprefix(PREFIX)
    data = crypto.from_text(body) if len(text) <= MAX_ID_LENGTH else None
    return data if data is not None and PREFIX + crypto.to_text(data) == text else b""


def _to_milliseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(milliseconds=1)
