"""The operator's own account: name, password and sessions."""

from collections.abc import Mapping
from typing import Final

from litestar import Response

from pannier.console import access_tokens, fields, responses, session
from pannier.console.alert_texts import KIND_TEXTS
from pannier.console.api_client import ApiClient
from pannier.console.forms import Field, Form, FormErrors
from pannier.console.records import load_zone
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

HOME: Final = "/console/me"
TOKENS: Final = "/int/v1/sessions"
NAME: Final = Form((fields.NAME,))
PASSWORD: Final = Form(
    (
        Field(name="current_password", label="Current password", kind="password", required=True),
        Field(
            name="password", label="New password", kind="password", required=True,
            help="Changing your password ends all your sessions, including this one.",
        ),
    )
)  # fmt: skip
WEEKLY_PATH: Final = "/int/v1/me/weekly-report"
WEEKLY: Final = Form(
    (
        Field(name="enabled", label="Email me a weekly report", kind="switch",
              help="On Monday mornings: last week's orders, punctuality and revenue."),
    )
)  # fmt: skip
RULES_PATH: Final = "/int/v1/me/alert-rules"
# The ways to hear of an alert: the field of a rule, the end of the box's name, and its label.
WAYS: Final = (
    ("list", "", "In your list"),
    ("desktop", "-desktop", "On the desktop"),
    ("sound", "-sound", "With a sound"),
)
# Each form: its name, its title, its fields, and the URL to open after saving.
FORMS: Final = (
    ("name", "Name", NAME, HOME),
    ("password", "Password", PASSWORD, session.SIGN_IN),
)


@get("/me")
async def show_me(exchange: Exchange) -> Response[bytes]:
    return await _render_me(ApiClient(exchange), {})


async def _render_me(
    client: ApiClient, errors_by_form: Mapping[str, FormErrors], *, status: int = 200
) -> Response[bytes]:
    me = (await client.get("/int/v1/me"))["operator"]
    weekly = await client.get(WEEKLY_PATH)
    rules = await client.get(RULES_PATH)
    return await responses.render_page(
        client, "me/me.html", title=me["name"], me=me, forms=FORMS, home=HOME, url=HOME,
        filled={"name": me["name"]}, weekly=WEEKLY,
        weekly_values={"enabled": "on" if weekly["enabled"] else ""},
        alert_kinds=KIND_TEXTS, alert_ways=WAYS, alert_rules=rules,
        refusals=errors_by_form, status=status,
        **await access_tokens.load_tokens(client, TOKENS),
    )  # fmt: skip


@post("/me/{part:str}", status_code=200)
async def change_me(exchange: Exchange, part: str) -> Response[bytes]:
    client = ApiClient(exchange)
    name, _, form, next_url = next((entry for entry in FORMS if entry[0] == part), FORMS[0])
    try:
        body = form.make_body(session.read_form(exchange), await load_zone(client))
        await client.send("PATCH", "/int/v1/me", body)
    except Problem as problem:
        await client.undo(problem)
        return await _render_me(
            client, {name: FormErrors.from_problem(problem, form)}, status=problem.status
        )
    return responses.redirect_with_flash(exchange, next_url, message="Saved.")


@post("/me/weekly-report", status_code=200)
async def change_weekly_report(exchange: Exchange) -> Response[bytes]:
    """Begin or end the operator's weekly report."""
    client = ApiClient(exchange)
    body = WEEKLY.make_body(session.read_form(exchange), await load_zone(client))
    await client.send("PUT", WEEKLY_PATH, body)
    return responses.redirect_with_flash(exchange, HOME, message="Saved.")


@post("/me/alert-rules", status_code=200)
async def change_alert_rules(exchange: Exchange) -> Response[bytes]:
    """Choose how the operator hears of each kind of alert."""
    form_data = session.read_form(exchange)
    body = {
        kind: {field: f"{kind}{suffix}" in form_data for field, suffix, _ in WAYS}
        for kind in KIND_TEXTS
    }
    await ApiClient(exchange).send("PATCH", RULES_PATH, body)
    return responses.redirect_with_flash(exchange, HOME, message="Saved.")


@post("/me/tokens/end", status_code=200)
async def end_sessions(exchange: Exchange) -> Response[bytes]:
    """End one of the operator's own sessions, or all of them."""
    return await access_tokens.end_tokens(exchange, HOME, TOKENS)


handlers: Final = [show_me, change_me, change_weekly_report, change_alert_rules, end_sessions]
