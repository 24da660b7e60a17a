"""Signing in to the console and signing out."""

from typing import Final
from urllib.parse import urlsplit

import msgspec
from litestar import Response
from litestar.datastructures import Cookie

from pannier.accounts import api as accounts
from pannier.accounts import auth
from pannier.accounts.schemas import LoginIn
from pannier.accounts.signin import LoginFailed
from pannier.console import responses, session
from pannier.console.api_client import ApiClient
from pannier.console.records import read_query
from pannier.db import Db
from pannier.errors import Problem
from pannier.kit.passwords import Passwords
from pannier.settings import Settings
from pannier.web import bodies
from pannier.web.exchange import Exchange, current
from pannier.web.routes import get, post

HOME: Final = "/console/home"


async def allow_anyone(_: auth.Connection) -> None:
    """Allow visitors without a session. A sign-in must come from our own page."""
    exchange = current.get()
    if exchange.method == "POST":
        auth.check_same_site(exchange)
        await bodies.load(exchange)


@get("/sign-in", before_request=allow_anyone)
async def show_sign_in(exchange: Exchange) -> Response[bytes]:
    return responses.render_bare_page("sign-in.html", input_values=read_query(exchange), error="")


@post("/sign-in", before_request=allow_anyone, status_code=200)
async def sign_in(
    exchange: Exchange, db: Db, hasher: Passwords, settings: Settings
) -> Response[bytes]:
    """Sign an operator in, and redirect to the requested page."""
    form_data = session.read_form(exchange)
    try:
        login_response = await accounts.sign_operator_in(
            _parse_login(form_data), db, exchange, hasher, settings
        )
    except Problem as problem:
        exchange.failure = problem
        return responses.render_bare_page(
            "sign-in.html", status=problem.status, input_values=form_data, error=problem.detail
        )
    response = responses.redirect_with_flash(exchange, choose_next_url(form_data.get("next", "")))
    response.cookies.extend(login_response.cookies)
    return response


def _parse_login(form_data: session.FormData) -> LoginIn:
    fields = {
        "email": form_data.get("email", ""),
        "password": form_data.get("password", ""),
        "cookie": True,
    }
    try:
        return msgspec.convert(fields, LoginIn)
    except msgspec.ValidationError:
        raise LoginFailed from None


def choose_next_url(requested_url: str) -> str:
    """Return the requested URL, or the home page if the URL is not a console page."""
    parts = urlsplit(requested_url)
    is_console_page = not parts.scheme and not parts.netloc and parts.path.startswith("/console/")
    return (
        requested_url
        if is_console_page and parts.path != session.SIGN_IN and "\\" not in requested_url
        else HOME
    )


@post("/sign-out", status_code=200)
async def sign_out(exchange: Exchange) -> Response[bytes]:
    """End the browser's session."""
    await ApiClient(exchange).send("POST", "/int/v1/logout")
    response = responses.redirect_with_flash(exchange, session.SIGN_IN)
    response.cookies.append(Cookie(auth.SESSION_COOKIE, value="", max_age=0, path="/"))
    return response


handlers: Final = [show_sign_in, sign_in, sign_out]
