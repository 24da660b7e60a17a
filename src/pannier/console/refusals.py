"""Error responses of the console: a page, or a message on the previous page."""

from typing import Any, Final
from urllib.parse import urlsplit

from litestar import Request, Response

from pannier.accounts.auth import Caller
from pannier.console import door, render
from pannier.console.confirm import BACK, SURE, ConfirmFirstError
from pannier.console.door import ONCE_FIELD, SIGN_IN, SignInFirstError
from pannier.web import problems
from pannier.web.exchange import SAFE_METHODS, Exchange, current

NOT_FOUND: Final = 404


def handle(_: Request[Any, Any, Any], failure: Exception) -> Response[bytes]:
    """Handle an exception of any console page."""
    exchange = current.get()
    exchange.failure = failure
    if isinstance(failure, SignInFirstError):
        return _to_sign_in(exchange, failure)
    if isinstance(failure, ConfirmFirstError):
        return _ask(exchange, failure)
    problem = problems.told(exchange, failure)
    if exchange.method not in SAFE_METHODS:
        return render.led(exchange, came_from(exchange), refused=problem.detail)
    title = "Not found" if problem.status == NOT_FOUND else problem.title.rstrip(".")
    return render.bare(
        "refused.html", status=problem.status, title=title, sentence=problem.detail,
        signed_in=isinstance(exchange.caller, Caller), request_id=exchange.id,
    )  # fmt: skip


def _to_sign_in(exchange: Exchange, failure: SignInFirstError) -> Response[bytes]:
    """Redirect to the sign-in page.

    A fragment request cannot be redirected there, so the header makes htmx redirect the page.
    """
    if exchange.headers.get(b"hx-request"):
        return Response(b"", status_code=401, headers={"HX-Redirect": failure.address})
    return Response(b"", status_code=303, headers={"Location": failure.address})


def _ask(exchange: Exchange, failure: ConfirmFirstError) -> Response[bytes]:
    """Render the question. Its answer sends the form again."""
    sent = door.sent(exchange)
    pairs = [
        (name, value)
        for name in sent
        if name not in {SURE, BACK, ONCE_FIELD}
        for value in sent.all(name)
    ]
    return render.bare(
        "confirm.html", title=f"{failure.label}?", sentence=failure.sentence, label=failure.label,
        action=exchange.path, pairs=pairs, back=came_from(exchange),
    )  # fmt: skip


def came_from(exchange: Exchange) -> str:
    """Return the console page that the operator was on."""
    if exchange.method not in SAFE_METHODS:
        back = door.sent(exchange).get(BACK, "")
        if back.startswith("/console") and back != SIGN_IN:
            return back
    referer = urlsplit(exchange.headers.get(b"referer", b"").decode("latin-1"))
    own = referer.path.startswith("/console") and referer.path != SIGN_IN
    query = f"?{referer.query}" if referer.query else ""
    return f"{referer.path}{query}" if own else "/console"
