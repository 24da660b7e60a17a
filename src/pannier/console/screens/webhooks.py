"""Webhooks: their configuration and health, and examples that verify signatures."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from litestar import Response

from pannier.console import columns, fields, responses
from pannier.console.actions import Action
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.forms import Field, Form
from pannier.console.records import Records, read_query
from pannier.web.docs import guides
from pannier.web.exchange import Exchange
from pannier.web.routes import get

MAX_DELIVERIES: Final = "8"
FORMATS: Final = (("prefixed", "sha256=<hex>"), ("bare", "<hex>"))
ORDERINGS: Final = (
    ("first_attempt", "Best effort: a failed delivery does not block later events"),
    ("strict", "Strict: each event waits for the previous one"),
)
FORM: Final = Form(
    (
        Field(
            name="url", label="URL", kind="url", required=True, nullable=False,
            placeholder="https://shop.example.com/hooks",
            help="An HTTPS URL that is reachable from the internet.",
        ),
        Field(name="description", label="Description", help="For your own reference."),
        Field(name="events", label="Events", kind="choices", nullable=False),
        Field(
            name="signature_format", label="X-Service-Signature format", kind="choice",
            options=FORMATS, required=True, default="prefixed", nullable=False,
        ),
        Field(
            name="headers", label="Custom headers", kind="pairs",
            placeholder="Authorization: Bearer …",
            help="One per line.",
        ),
        Field(
            name="ordering", label="Ordering", kind="choice", options=ORDERINGS, required=True,
            default="first_attempt", nullable=False,
        ),
        Field(name="timeout", label="Timeout (seconds)", kind="number",
              nullable=False, default="10"),
        Field(name="rate_limit", label="Rate limit (per second)", kind="number"),
        Field(name="max_in_flight", label="Concurrency", kind="number",
              nullable=False, default="16"),
    )
)  # fmt: skip
ROTATION: Final = Form(
    (
        Field(
            name="grace_seconds", label="Old secret expires after", kind="choice",
            required=True, numeric=True, default="86400", options=fields.GRACE_PERIODS,
            help="Until then, deliveries are signed with both secrets.",
        ),
        Field(
            name="switch", label="X-Service-Signature uses", kind="choice",
            required=True, default="now",
            options=(
                ("now", "New secret, from now"),
                ("at_end", "Old secret, until it expires"),
            ),
        ),
    )
)  # fmt: skip


def _make_state_condition(*states: str) -> Any:  # noqa: ANN401 - a condition on a record
    return lambda record: record["state"] in states


ACTIONS: Final = (
    Action(
        "ping", "Send test", "POST", "/int/v1/webhooks/{webhook_id}/ping", "zap", "",
        result_variable="ping",
    ),
    Action(
        "pause", "Pause", "PATCH", "/int/v1/webhooks/{webhook_id}", "pause",
        "Webhook paused. Events are held until you resume it.",
        body={"state": "paused"}, condition=_make_state_condition("enabled"),
    ),
    Action(
        "resume", "Resume", "PATCH", "/int/v1/webhooks/{webhook_id}", "play",
        "Webhook resumed. Held events are sent in order.",
        body={"state": "enabled"}, condition=_make_state_condition("paused", "disabled"),
    ),
    Action(
        "rotate-secret", "Rotate secret", "POST", "/int/v1/webhooks/{webhook_id}/rotate-secret",
        "refresh-cw", "", form=ROTATION,
    ),
)  # fmt: skip


class VerificationExample(NamedTuple):
    """A program that verifies signatures in one language."""

    language: str
    file: str
    run: str
    code: str


# By the name in the URL.
LANGUAGES: Final[Mapping[str, tuple[str, str, str]]] = {
    "python": ("Python", "verify.py", "python verify.py serve 8080"),
    "node": ("Node.js", "verify.mjs", "node verify.mjs serve 8080"),
    "go": ("Go", "verify.go", "go run verify.go serve 8080"),
    "php": ("PHP", "verify.php", "php -S 127.0.0.1:8080 verify.php"),
}


@lru_cache
def load_example(language: str) -> VerificationExample:
    """Read the example of a language from the guide."""
    label, file, run = LANGUAGES[language]
    code = (guides.ROOT / "docs" / "guide" / "verify" / file).read_text()
    return VerificationExample(label, file, run, code)


async def _load_related(client: ApiClient, record: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load a webhook's performance and its latest deliveries."""
    path = "/int/v1/webhooks/{webhook_id}"
    deliveries = await client.list_rows(
        f"{path}/deliveries", {"limit": MAX_DELIVERIES}, webhook_id=record["id"]
    )
    performance = await client.get(f"{path}/performance", webhook_id=record["id"])
    return {
        "performance": performance,
        "deliveries": deliveries.rows,
        "subjects": [row["subject"] for row in deliveries.rows],
        "ping": None,
        "languages": LANGUAGES,
    }


async def _load_choices(client: ApiClient, _: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load the event catalogue, grouped by the first part of the names."""
    families: dict[str, list[Any]] = {}
    for entry in await client.get("/int/v1/event-catalog"):
        families.setdefault(entry["event"].partition(".")[0], []).append(entry)
    return {"families": families}


WEBHOOKS: Final = Records(
    "/int/v1/webhooks",
    title_path="description",
    columns=(
        Column("URL", "url", "link"),
        Column("Status", "state", "standing"),
        Column("Events", "events", "list", wide=True),
        Column("Description", "description", wide=True),
        Column("Last success", "health.last_success_at", "ago"),
        Column("Last failure", "health.last_failure_at", "ago", wide=True),
    ),
    facts=(
        "state",
        Column("URL", "url", "mono"),
        "events",
        "description",
        Column("Custom headers", "headers", "list"),
        Column("Ordering", "ordering", "words"),
        Column("Timeout", "timeout", "duration"),
        Column("Rate limit (per second)", "rate_limit", "number"),
        Column("Concurrency", "max_in_flight", "number"),
        "health.last_success_at",
        "health.last_failure_at",
        columns.CREATED,
    ),
    filters=(
        Field(name="query", label="URL or description"),
        Field(
            name="state",
            label="Status",
            kind="choice",
            options=(("enabled", "Enabled"), ("paused", "Paused"), ("disabled", "Disabled")),
        ),
    ),
    form=FORM,
    actions=ACTIONS,
    empty="No webhooks yet. Add one to send events to your server.",
    list_template="webhooks/list.html",
    record_template="webhooks/webhook.html",
    form_template="webhooks/form.html",
    load_related=_load_related,
    load_choices=_load_choices,
    shown_once="secret",
)


@get("/webhooks/{webhook_id:str}/verify")
async def show_verification(exchange: Exchange, webhook_id: str) -> Response[bytes]:
    """Show how to verify signatures of this webhook, in several languages."""
    client, query = ApiClient(exchange), read_query(exchange)
    webhook = await client.get("/int/v1/webhooks/{webhook_id}", webhook_id=webhook_id)
    deliveries = await client.list_rows(
        "/int/v1/webhooks/{webhook_id}/deliveries", {"limit": "1"}, webhook_id=webhook_id
    )
    language = query.get("language", "")
    selected_language = language if language in LANGUAGES else next(iter(LANGUAGES))
    return await responses.render_page(
        client,
        "webhooks/verify.html",
        title="Verify signatures",
        webhook=webhook,
        chosen=selected_language,
        languages=LANGUAGES,
        example=load_example(selected_language),
        headers=await _load_latest_headers(client, deliveries.rows),
    )


async def _load_latest_headers(client: ApiClient, rows: list[Any]) -> Mapping[str, str]:
    """Load the request headers of the latest attempt."""
    if not rows:
        return {}
    delivery = await client.get(
        "/int/v1/webhook-deliveries/{delivery_id}", delivery_id=rows[0]["id"]
    )
    headers_by_attempt = [attempt["request_headers"] for attempt in delivery["attempt_log"]]
    return next((headers for headers in reversed(headers_by_attempt) if headers), {})


handlers: Final = [*WEBHOOKS.make_handlers(), show_verification]
