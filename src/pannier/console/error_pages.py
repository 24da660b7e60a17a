"""Error responses of the console: a page, or a message on the previous page."""

from typing import Any, Final
from urllib.parse import urlsplit

from litestar import Request, Response

from pannier.accounts.auth import Caller
from pannier.console import responses, session
from pannier.console.confirmation import BACK_FIELD, CONFIRMED_FIELD, ConfirmationRequiredError
from pannier.console.session import ONCE_FIELD, SIGN_IN, SignInRequiredError
from pannier.web import problems
from pannier.web.exchange import SAFE_METHODS, Exchange, current

NOT_FOUND: Final = 404
NOT_FOUND_SENTENCE: Final = (
    "This page does not exist, or its record was deleted. Check the address."
)


def handle(_: Request[Any, Any, Any], failure: Exception) -> Response[bytes]:
    """Respond to an exception of a console page."""
    exchange = current.get()
    exchange.failure = failure
    if isinstance(failure, SignInRequiredError):
        return _redirect_to_sign_in(exchange, failure)
    if isinstance(failure, ConfirmationRequiredError):
        return _render_confirmation(exchange, failure)
    problem = problems.to_problem(exchange, failure)
    if exchange.method not in SAFE_METHODS:
        return responses.redirect_with_flash(
            exchange, get_previous_page_url(exchange), error=problem.detail
        )
    is_missing = problem.status == NOT_FOUND
    title = "Not found" if is_missing else problem.title.rstrip(".")
    return responses.render_bare_page(
        "refused.html", status=problem.status, title=title,
        sentence=NOT_FOUND_SENTENCE if is_missing else problem.detail,
        signed_in=isinstance(exchange.caller, Caller), request_id=exchange.id,
    )  # fmt: skip


def _redirect_to_sign_in(exchange: Exchange, failure: SignInRequiredError) -> Response[bytes]:
    """Redirect to the sign-in page.

    The page cannot redirect a fragment request, so a header makes htmx load the sign-in page.
    """
    if exchange.headers.get(b"hx-request"):
        return Response(b"", status_code=401, headers={"HX-Redirect": failure.url})
    return Response(b"", status_code=303, headers={"Location": failure.url})


def _render_confirmation(exchange: Exchange, failure: ConfirmationRequiredError) -> Response[bytes]:
    """Render the question. Confirming it sends the form again."""
    form_data = session.read_form(exchange)
    pairs = [
        (name, value)
        for name in form_data
        if name not in {CONFIRMED_FIELD, BACK_FIELD, ONCE_FIELD}
        for value in form_data.get_all(name)
    ]
    return responses.render_bare_page(
        "confirm.html", title=f"{failure.label}?", sentence=failure.question, label=failure.label,
        action=exchange.path, pairs=pairs, back=get_previous_page_url(exchange),
    )  # fmt: skip


def get_previous_page_url(exchange: Exchange) -> str:
    """Return the URL of the operator's previous console page."""
    if exchange.method not in SAFE_METHODS:
        page_url = session.read_form(exchange).get(BACK_FIELD, "")
        if page_url.startswith("/console") and page_url != SIGN_IN:
            return page_url
    referer = urlsplit(exchange.headers.get(b"referer", b"").decode("latin-1"))
    is_own_page = referer.path.startswith("/console") and referer.path != SIGN_IN
    query = f"?{referer.query}" if referer.query else ""
    return f"{referer.path}{query}" if is_own_page else "/console"
