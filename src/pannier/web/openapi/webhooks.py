"""The events that webhooks receive, as the document's `webhooks`."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec

from pannier.web.openapi.examples import MOMENT, Examples
from pannier.web.openapi.schemas import PREFIX, Schema, Schemas

# The key in the application's `opt` with its events.
EVENTS_KEY: Final = "webhook_events"
TAG: Final = "Webhooks"
API_VERSION: Final = "1.0"
EXAMPLE_ID: Final = "event_2fLk9QdT7wYc3MzA"
SIGNATURES: Final[Mapping[str, tuple[str, str]]] = {
    "X-Service-Signature": (
        "HMAC-SHA256 of the raw body with the webhook's secret. Compare it in constant time.",
        "sha256=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ),
    "webhook-id": ("The event's id. It stays the same when a delivery is repeated.", EXAMPLE_ID),
    "webhook-timestamp": ("Time of the attempt in seconds since 1970.", "1769851800"),
    "webhook-signature": (
        "Signatures by the Standard Webhooks specification, one for each active secret.",
        "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    ),
}


class WebhookEvent(NamedTuple):
    """An event type: its name, its meaning, and the type of its data."""

    name: str
    meaning: str
    data_type: type[msgspec.Struct]

    @property
    def component(self) -> str:
        """The name of the schema of its body."""
        return f"{''.join(part.capitalize() for part in self._list_parts())}Event"

    @property
    def operation_id(self) -> str:
        """The id of its operation."""
        first, *rest = self._list_parts()
        return f"webhookEvents.{first}{''.join(part.capitalize() for part in rest)}"

    def _list_parts(self) -> list[str]:
        return self.name.replace(".", "_").split("_")


def make_schema(event: WebhookEvent, schemas: Schemas) -> Schema:
    """Make the schema of an event's body."""
    return {
        "title": event.component,
        "description": f"The body of `{event.name}`.",
        "type": "object",
        "properties": {
            "event": {"type": "string", "const": event.name},
            "api_version": {"type": "string", "const": API_VERSION},
            "created_at": {"type": "string", "format": "date-time", "examples": [MOMENT]},
            "data": schemas.find_schema(event.data_type),
            "id": {"description": "Identifies the event.", "type": "string",
                   "examples": [EXAMPLE_ID]},
        },
        "required": ["event", "api_version", "created_at", "data", "id"],
    }  # fmt: skip


def make_path_item(event: WebhookEvent, examples: Examples) -> dict[str, Any]:
    """Make the request that a webhook receives for an event."""
    schema = {"$ref": f"{PREFIX}{event.component}"}
    summary = event.meaning[:1].upper() + event.meaning[1:]
    return {
        "post": {
            "operationId": event.operation_id,
            "summary": summary,
            "description": f"{summary}. Sent to each webhook that subscribes to `{event.name}`. "
            "Events can arrive more than once and out of order.",
            "tags": [TAG],
            "security": [],
            "parameters": [
                {"name": name, "in": "header", "required": True, "description": description,
                 "schema": {"type": "string"}, "example": example}
                for name, (description, example) in SIGNATURES.items()
            ],
            "requestBody": {
                "required": True,
                "content": {
                    "application/json": {"schema": schema, "example": examples.make(schema)}
                },
            },
            "responses": {
                "2XX": {"description": "Received. Any other response is an error."},
                "4XX": {"description": "Not accepted. The delivery is retried; 410 disables it."},
            },
        }
    }  # fmt: skip
