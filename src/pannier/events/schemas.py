"""Events in JSON."""

from typing import Annotated, Any, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import PageIn
from pannier.db.paging import DEFAULT_LIMIT, Limit
from pannier.events.catalog import CatalogEntry, Name
from pannier.events.json_schema import DIALECT, JsonSchema, build_schema
from pannier.events.models import LoggedEvent
from pannier.web.identifiers import OrderReference
from pannier.web.resource_out import PublicId
from pannier.web.streams import AfterParameter
from pannier.web.times import Moment, Time, to_rfc3339


class EventOut(msgspec.Struct):
    """An event of the log, with the body that receivers get."""

    id: Annotated[str, Meta(examples=["event_2fLk9QdT7wYc3MzA"])]
    uuid: UUID
    public_id: PublicId
    event: Name
    subject: Annotated[str, Meta(description="Public id of the record that the event is about.")]
    created_at: Time
    relayed_at: Time | None
    body: dict[str, Any]

    @classmethod
    def from_row(cls, row: LoggedEvent) -> Self:
        return cls(
            row.public_id,
            row.uuid,
            row.public_id,
            row.name,
            row.subject,
            to_rfc3339(row.created_at),
            to_rfc3339(row.relayed_at),
            msgspec.json.decode(row.body),
        )


class StreamedEventOut(msgspec.Struct):
    """An event in the stream; read the event or its subject for details."""

    id: Annotated[str, Meta(examples=["event_2fLk9QdT7wYc3MzA"])]
    event: Name
    subject: Annotated[str, Meta(description="Public id of the record that the event is about.")]
    created_at: Time


class EventEnvelope(msgspec.Struct):
    """An event as webhooks receive it: the same fields, in the same bytes."""

    event: Name
    api_version: Annotated[str, Meta(examples=["1.0"])]
    created_at: Time
    data: Annotated[
        dict[str, Any],
        Meta(
            description="A snapshot of the record. `GET /int/v1/event-catalog` has its schema.",
            examples=[{"id": "order_5uJr2EwZ7bQx9KmT", "status": "completed"}],
        ),
    ]
    id: Annotated[str, Meta(examples=["event_2fLk9QdT7wYc3MzA"])]


class FeedMeta(msgspec.Struct):
    """How to continue in the feed of events."""

    limit: int
    has_more: Annotated[
        bool, Meta(description="Whether more events may follow at once. If not, poll again later.")
    ]
    next_cursor: Annotated[
        str,
        Meta(description="Send it as `cursor` to read on. It never ends, and is never null."),
    ]


class EventFeedOut(msgspec.Struct):
    """Events in the order in which they were committed, and where to read on."""

    data: list[EventEnvelope]
    meta: FeedMeta


class EntryOut(msgspec.Struct):
    """An event type of the catalogue."""

    event: Name
    group: Annotated[str, Meta(examples=["Orders"])]
    meaning: Annotated[str, Meta(examples=["new order placed"])]
    schema: Annotated[
        JsonSchema | None,
        Meta(
            description="JSON Schema (2020-12) of `data`; null if the event is never emitted.",
            examples=[
                {
                    "$schema": DIALECT,
                    "type": "object",
                    "properties": {"id": {"type": "string"}},
                    "required": ["id"],
                }
            ],
        ),
    ]

    @classmethod
    def from_entry(cls, entry: CatalogEntry, kind: type[msgspec.Struct] | None) -> Self:
        """Convert a catalogue entry, with the schema of its data if a domain declares one."""
        return cls(
            entry.name, entry.group, entry.meaning, None if kind is None else build_schema(kind)
        )


class EventFilters(PageIn, frozen=True, kw_only=True):
    """Filters of the event log."""

    event: Annotated[list[Name] | None, Meta(description="Filter by event name.")] = None
    subject: Annotated[
        str | None,
        Meta(
            description="Only events about this record, by UUID or public id.",
            examples=["order_5uJr2EwZ7bQx9KmT"],
        ),
    ] = None
    since: Moment | None = None
    until: Moment | None = None


class EventStreamFilters(msgspec.Struct, frozen=True, kw_only=True):
    """Filters of the event stream, and where it starts."""

    event: Annotated[list[Name] | None, Meta(description="Filter by event name.")] = None
    after: AfterParameter = None


class EventFeedFilters(msgspec.Struct, frozen=True, kw_only=True):
    """Filters of the feed of events, and where to read on."""

    limit: Limit = DEFAULT_LIMIT
    cursor: Annotated[
        Annotated[str, Meta(max_length=200)] | None,
        Meta(description="`meta.next_cursor` of the previous page, however old it is."),
    ] = None
    event: Annotated[
        list[str] | None,
        Meta(
            description="Only these events: names, groups such as `order.*`, or `*` for all.",
            examples=[["order.*"]],
        ),
    ] = None
    subject: Annotated[
        Annotated[str, Meta(max_length=100)] | None,
        Meta(
            description="Only events about this record, by UUID or public id.",
            examples=["driver_2nXw8CsU5zBq3RhV"],
        ),
    ] = None
    order: Annotated[
        OrderReference | None,
        Meta(
            description="Only events of this order, by public id: about the order, its proofs, "
            "tracking statuses, charges and cash."
        ),
    ] = None
    created_since: Annotated[
        Moment | None,
        Meta(
            description="Only events created at this time or later. Events are created when "
            "their request begins."
        ),
    ] = None
