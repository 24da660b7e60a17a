"""Messages to people. Without a provider, messages are stored and not sent."""

from collections.abc import Mapping
from typing import Final

from litestar import Response

from pannier.console import columns, fields, responses, session
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.first_steps import TEST_MESSAGE_URL, list_missing_providers
from pannier.console.forms import Field, Form, FormErrors
from pannier.console.records import Records, load_zone
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

TEST_API: Final = "/int/v1/test-messages"

CHANNELS: Final = (("sms", "SMS"), ("email", "Email"), ("push", "Push"))
STATES: Final = (
    ("due", "Queued"),
    ("sent", "Sent"),
    ("drawer", "Not sent"),
    ("failed", "Failed"),
)
MESSAGES: Final = Records(
    "/int/v1/messages",
    columns=(
        columns.TIME,
        Column("Status", "state", "standing"),
        Column("Channel", "channel", "words"),
        Column("To", "to", "link"),
        Column("Text", "text"),
        Column("Type", "kind", "words", wide=True),
        Column("Error", "error", wide=True),
    ),
    facts=(
        "state",
        "channel",
        Column("To", "to"),
        Column("Created", "created_at", "log_time"),
        Column("Sent", "sent_at", "log_time"),
        Column("Type", "kind", "words", quiet=True),
        Column("Order", "order", "link", to="orders", quiet=True),
        Column("Attempts", "attempts", "number"),
        Column("Error", "error", quiet=True),
    ),
    filters=(
        Field(name="to", label="Phone number or email"),
        fields.ORDER,
        Field(name="channel", label="Channel", kind="choice", options=CHANNELS),
        Field(name="state", label="Status", kind="choice", options=STATES),
        *fields.TIMES,
    ),
    title_path="to",
    empty="No messages yet. Codes, links and updates appear here.",
    list_template="messages/list.html",
    record_template="messages/message.html",
    deletable=False,
)
TEST_FORM: Final = Form(
    (
        Field(name="channel", label="Channel", kind="choice", required=True, nullable=False,
              options=(("email", "Email"), ("sms", "SMS"))),
        Field(name="to", label="To", required=True, placeholder="ada@example.com or +6591234567",
              help="An email address, or a phone number for SMS."),
    )
)  # fmt: skip


@get("/messages/test")
async def show_test_form(exchange: Exchange) -> Response[bytes]:
    """Show the form of a test message, for the operator's own address at first."""
    client = ApiClient(exchange)
    client.require("POST", TEST_API)
    me = await client.get("/int/v1/me")
    return await _render_test_form(client, {"channel": "email", "to": me["operator"]["email"]})


async def _render_test_form(
    client: ApiClient,
    filled: Mapping[str, str],
    form_errors: FormErrors | None = None,
    status: int = 200,
) -> Response[bytes]:
    return await responses.render_page(
        client,
        "messages/test.html",
        title="Send a test message",
        url=TEST_MESSAGE_URL,
        records=MESSAGES,
        form=TEST_FORM,
        filled=filled,
        refusal=form_errors or FormErrors(),
        missing_providers=list_missing_providers(client),
        status=status,
    )


@post("/messages/test", status_code=200)
async def send_test_message(exchange: Exchange) -> Response[bytes]:
    """Send a test message, and show what becomes of it."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    try:
        body = TEST_FORM.make_body(form_data, await load_zone(client))
        message = await client.send("POST", TEST_API, body)
    except Problem as problem:
        if problem.status not in {409, 422, 429}:
            raise
        await client.undo(problem)
        form_errors = FormErrors.from_problem(problem, TEST_FORM)
        return await _render_test_form(client, form_data, form_errors, problem.status)
    return responses.redirect_with_flash(exchange, MESSAGES.record_url(message["id"]))


handlers: Final = [show_test_form, send_test_message, *MESSAGES.make_handlers()]
