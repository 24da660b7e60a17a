"""The operator's own account: name, password and sessions."""

from collections.abc import Mapping
from typing import Final

from litestar import Response

from pannier.console import door, fields, render, sign_ins
from pannier.console.desk import Desk
from pannier.console.forms import Field, Form, Refusal
from pannier.console.records import zone_of
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
            help="All your sessions end, including this one.",
        ),
    )
)  # fmt: skip
# Each form: its name, its title, the form itself, and the page that follows.
FORMS: Final = (
    ("name", "Name", NAME, HOME),
    ("password", "Password", PASSWORD, door.SIGN_IN),
)


@get("/me")
async def show_me(exchange: Exchange) -> Response[bytes]:
    return await _shown(Desk(exchange), {})


async def _shown(
    desk: Desk, refusals: Mapping[str, Refusal], *, status: int = 200
) -> Response[bytes]:
    me = (await desk.get("/int/v1/me"))["operator"]
    return await render.page(
        desk, "me/me.html", title=me["name"], me=me, forms=FORMS, home=HOME, at=HOME,
        filled={"name": me["name"]}, refusals=refusals, status=status,
        **await sign_ins.shown(desk, TOKENS),
    )  # fmt: skip


@post("/me/{part:str}", status_code=200)
async def change_me(exchange: Exchange, part: str) -> Response[bytes]:
    desk = Desk(exchange)
    name, _, form, onward = next((one for one in FORMS if one[0] == part), FORMS[0])
    try:
        body = form.body(door.sent(exchange), await zone_of(desk))
        await desk.act("PATCH", "/int/v1/me", body)
    except Problem as problem:
        await desk.undo(problem)
        return await _shown(desk, {name: Refusal.of(problem, form)}, status=problem.status)
    return render.led(exchange, onward, said="Saved.")


@post("/me/tokens/end", status_code=200)
async def end(exchange: Exchange) -> Response[bytes]:
    """End one of the operator's own sessions, or all of them."""
    return await sign_ins.end(exchange, HOME, TOKENS)


handlers: Final = [show_me, change_me, end]
