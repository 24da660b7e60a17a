"""Signing in and out."""

from typing import Final
from urllib.parse import urlsplit

import msgspec
from litestar import Response
from litestar.datastructures import Cookie

from pannier.accounts import api as accounts
from pannier.accounts import auth
from pannier.accounts.schemas import LoginIn
from pannier.accounts.signin import LoginFailed
from pannier.console import door, render
from pannier.console.desk import Desk
from pannier.console.records import asked
from pannier.db import Db
from pannier.errors import Problem
from pannier.kit.passwords import Passwords
from pannier.settings import Settings
from pannier.web import bodies
from pannier.web.exchange import Exchange, current
from pannier.web.routes import get, post

HOME: Final = "/console/orders"


async def anybody(_: auth.Connection) -> None:
    """Allow visitors without a session. A sign-in must come from our own page."""
    exchange = current.get()
    if exchange.method == "POST":
        auth.refuse_cross_site(exchange)
        await bodies.load(exchange)


@get("/sign-in", before_request=anybody)
async def show_sign_in(exchange: Exchange) -> Response[bytes]:
    return render.bare("sign-in.html", given=asked(exchange), refused="")


@post("/sign-in", before_request=anybody, status_code=200)
async def sign_in(
    exchange: Exchange, db: Db, hasher: Passwords, settings: Settings
) -> Response[bytes]:
    """Sign an operator in, and redirect to the requested page."""
    sent = door.sent(exchange)
    try:
        signed_in = await accounts.signed_in(_given(sent), db, exchange, hasher, settings)
    except Problem as problem:
        exchange.failure = problem
        return render.bare(
            "sign-in.html", status=problem.status, given=sent, refused=problem.detail
        )
    answer = render.led(exchange, onward(sent.get("next", "")))
    answer.cookies.extend(signed_in.cookies)
    return answer


def _given(sent: door.Sent) -> LoginIn:
    told = {"email": sent.get("email", ""), "password": sent.get("password", ""), "cookie": True}
    try:
        return msgspec.convert(told, LoginIn)
    except msgspec.ValidationError:
        raise LoginFailed from None


def onward(wanted: str) -> str:
    """Return the page to go to, always one of the console's own."""
    parts = urlsplit(wanted)
    own = not parts.scheme and not parts.netloc and parts.path.startswith("/console/")
    return wanted if own and parts.path != door.SIGN_IN and "\\" not in wanted else HOME


@post("/sign-out", status_code=200)
async def sign_out(exchange: Exchange) -> Response[bytes]:
    """End the browser's session."""
    await Desk(exchange).act("POST", "/int/v1/logout")
    answer = render.led(exchange, door.SIGN_IN)
    answer.cookies.append(Cookie(auth.COOKIE, value="", max_age=0, path="/"))
    return answer


handlers: Final = [show_sign_in, sign_in, sign_out]
