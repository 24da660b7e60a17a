"""The console's authentication: the operator's session, CSRF tokens, and submitted forms."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import parse_qsl, quote

from pannier.accounts import auth
from pannier.accounts.tokens.auth import read_cookie
from pannier.errors import BodyUnreadable
from pannier.kit import credential
from pannier.web import bodies, idempotency, keyed_requests
from pannier.web.exchange import SAFE_METHODS, Exchange, current

SIGN_IN: Final = "/console/sign-in"
CSRF_FIELD: Final = "csrf"
ONCE_FIELD: Final = "once"
MAX_FIELDS: Final = 2_000
BUSY_MESSAGE: Final = "Your request is still being processed. Reload the page in a moment."


class SignInRequiredError(Exception):
    """No operator is signed in. The handler redirects to the sign-in page."""

    def __init__(self, target: str) -> None:
        super().__init__(target)
        self.url = f"{SIGN_IN}?next={quote(target)}"


async def require_operator(_: auth.Connection) -> None:
    """Require a signed-in operator, and the session's CSRF token with every change."""
    exchange = current.get()
    text = read_cookie(exchange, auth.SESSION_COOKIE)
    presented = credential.parse(text)
    login = await auth.TOKENS.authenticate(exchange, text)
    if login is None or presented is None:
        raise SignInRequiredError(requested_page(exchange))
    auth.set_caller(exchange, auth.to_caller(login))
    if exchange.method not in SAFE_METHODS:
        await bodies.load(exchange)
        csrf_header = exchange.headers.get(auth.CSRF_HEADER)
        form = read_form(exchange)
        auth.check_csrf(exchange, presented, csrf_header or form.get(CSRF_FIELD, "").encode())
        await _begin_idempotent(exchange, form)


async def _begin_idempotent(exchange: Exchange, form: "FormData") -> None:
    """Process a form once if it is sent twice. A form with other input is a new request."""
    if form.get(ONCE_FIELD):
        digest = hashlib.sha256(exchange.body).hexdigest()
        exchange.headers[idempotency.HEADER] = f"{form[ONCE_FIELD][:64]}:{digest}".encode()
        try:
            await keyed_requests.begin_request(exchange, f"operator:{exchange.caller.uuid}")
        except idempotency.InProgress:
            # Operators do not know about idempotency keys.
            raise idempotency.InProgress(BUSY_MESSAGE) from None


def requested_page(exchange: Exchange) -> str:
    """Return the page to open after signing in. A submitted form cannot be sent again."""
    if exchange.method not in SAFE_METHODS:
        return "/console"
    return exchange.target.decode("latin-1").removesuffix("?")


def csrf_token(exchange: Exchange) -> str:
    """Return the CSRF token of the session, which every form carries."""
    presented = credential.parse(read_cookie(exchange, auth.SESSION_COOKIE))
    if presented is None:
        return ""
    return auth.make_csrf_token(exchange.db.database, f"session_{presented.id}")


class FormData(Mapping[str, str]):
    """The fields of a submitted form. The last of repeated fields counts."""

    def __init__(self, body: bytes) -> None:
        try:
            pairs = parse_qsl(
                body.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict"
            )
        except ValueError:
            raise BodyUnreadable(
                "The form could not be read. Reload the page and try again."
            ) from None
        self._pairs, self._last = pairs, dict(pairs)

    def __getitem__(self, name: str) -> str:
        return self._last[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._last)

    def __len__(self) -> int:
        return len(self._last)

    def get_all(self, name: str) -> list[str]:
        """List all values of a field."""
        return [value for field_name, value in self._pairs if field_name == name]


def read_form(exchange: Exchange) -> FormData:
    return FormData(exchange.body)
