"""The console's authentication: the operator's session, CSRF tokens, and submitted forms."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Self
from urllib.parse import parse_qsl, quote

from multipart import parse_options_header  # type: ignore[import-untyped]  # it has no types

from pannier.accounts import auth
from pannier.accounts.tokens.auth import read_cookie
from pannier.errors import BodyUnreadable
from pannier.files import uploads
from pannier.files.uploads import FormPart, Upload
from pannier.kit import credential
from pannier.web import bodies, idempotency, keyed_requests, request_turns
from pannier.web.exchange import SAFE_METHODS, Exchange, current

SIGN_IN: Final = "/console/sign-in"
CSRF_FIELD: Final = "csrf"
ONCE_FIELD: Final = "once"
MAX_FIELDS: Final = 2_000
UNREADABLE_MESSAGE: Final = "The form could not be read. Reload the page and try again."
BUSY_MESSAGE: Final = "Your request is still being processed. Reload the page in a moment."


class SignInRequiredError(Exception):
    """No operator is signed in. The handler redirects to the sign-in page."""

    def __init__(self, target: str) -> None:
        super().__init__(target)
        self.url = f"{SIGN_IN}?next={quote(target)}"


async def require_operator(_: auth.Connection) -> None:
    """Require a signed-in operator. Require the session's CSRF token for changes."""
    exchange = current.get()
    session_token = read_cookie(exchange, auth.SESSION_COOKIE)
    session_credential = credential.parse(session_token)
    login = await auth.TOKENS.authenticate(exchange, session_token)
    if login is None or session_credential is None:
        raise SignInRequiredError(choose_return_url(exchange))
    auth.set_caller(exchange, auth.to_caller(login))
    if exchange.method in SAFE_METHODS:
        await request_turns.take_turn(exchange)
    else:
        await bodies.load(exchange)
        csrf_header = exchange.headers.get(auth.CSRF_HEADER)
        form = exchange.form = await bodies.process_body(exchange, lambda: read_form(exchange))
        auth.check_csrf(
            exchange, session_credential, csrf_header or form.get(CSRF_FIELD, "").encode()
        )
        await _begin_idempotent_request(exchange, form)
        if exchange.turn is None:
            await request_turns.take_turn(exchange)


async def _begin_idempotent_request(exchange: Exchange, form: "FormData") -> None:
    """Process a form only once if it is sent twice. Different input makes it a new request."""
    if form.get(ONCE_FIELD):
        digest = await bodies.process_body(
            exchange, lambda: hashlib.sha256(exchange.body).hexdigest()
        )
        exchange.headers[idempotency.HEADER] = f"{form[ONCE_FIELD][:64]}:{digest}".encode()
        try:
            await keyed_requests.begin_request(exchange, f"operator:{exchange.caller.uuid}")
        except idempotency.InProgress:
            # Operators do not know about idempotency keys.
            raise idempotency.InProgress(BUSY_MESSAGE) from None


def choose_return_url(exchange: Exchange) -> str:
    """Return the URL to open after signing in. After a submitted form, it is the home page."""
    if exchange.method not in SAFE_METHODS:
        return "/console"
    return exchange.target.decode("latin-1").removesuffix("?")


def make_csrf_token(exchange: Exchange) -> str:
    """Return the session's CSRF token, which every form contains."""
    session_credential = credential.parse(read_cookie(exchange, auth.SESSION_COOKIE))
    if session_credential is None:
        return ""
    return auth.make_csrf_token(exchange.db.database, f"session_{session_credential.id}")


class FormData(Mapping[str, str]):
    """The fields of a submitted form. The last of repeated fields wins."""

    def __init__(self, body: bytes) -> None:
        try:
            pairs = parse_qsl(
                body.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict"
            )
        except ValueError:
            raise BodyUnreadable(UNREADABLE_MESSAGE) from None
        self._pairs, self._values = pairs, dict(pairs)
        # The files of a form that uploads some, by the name of their field.
        self.uploads: Mapping[str, Upload] = {}

    @classmethod
    def from_parts(cls, parts: Sequence[FormPart]) -> Self:
        """Build the data of a form that uploads files."""
        form_data = cls(b"")
        texts = [part for part in parts if part.upload.name is None]
        form_data._pairs = [
            (part.name, part.upload.data.decode(errors="replace")) for part in texts
        ]
        form_data._values = dict(form_data._pairs)
        form_data.uploads = {part.name: part.upload for part in parts if part not in texts}
        return form_data

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def get_all(self, name: str) -> list[str]:
        """Return all values of a field, in order."""
        return [value for field_name, value in self._pairs if field_name == name]


def read_form(exchange: Exchange) -> FormData:
    """Return the submitted form. For operators, the authentication has parsed it."""
    if exchange.form is not None:
        form: FormData = exchange.form
        return form
    content_type = exchange.headers.get(b"content-type", b"").decode("latin-1")
    media_type, options = parse_options_header(content_type)
    if media_type == "multipart/form-data":
        return FormData.from_parts(uploads.parse_form(exchange, options))
    return FormData(exchange.body)
