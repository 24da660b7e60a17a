"""The console's door: a signed-in operator, and a form that was made for this very session."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import parse_qsl, quote

from pannier.accounts import auth
from pannier.accounts.tokens.auth import cookie
from pannier.errors import BodyUnreadable
from pannier.kit import credential
from pannier.web import bodies, idempotency, keyed_requests
from pannier.web.exchange import SAFE_METHODS, Exchange, current

SIGN_IN: Final = "/console/sign-in"
CSRF_FIELD: Final = "csrf"
ONCE_FIELD: Final = "once"
MOST_FIELDS: Final = 2_000
BUSY: Final = "Your request is still being processed. Reload the page in a moment."


class SignInFirstError(Exception):
    """Nobody is signed in; the page leads to where one can."""

    def __init__(self, target: str) -> None:
        super().__init__(target)
        self.address = f"{SIGN_IN}?next={quote(target)}"


async def operator(_: auth.Connection) -> None:
    """Let whoever is signed in at this browser in; what is sent must carry the session's token."""
    exchange = current.get()
    text = cookie(exchange, auth.COOKIE)
    presented = credential.read(text)
    found = await auth.TOKENS.enter(exchange, text)
    if found is None or presented is None:
        raise SignInFirstError(asked_for(exchange))
    auth.admit(exchange, auth.entered(found))
    if exchange.method not in SAFE_METHODS:
        await bodies.load(exchange)
        given = exchange.headers.get(auth.CSRF_HEADER)
        form = sent(exchange)
        auth.check_csrf(exchange, presented, given or form.get(CSRF_FIELD, "").encode())
        await _once(exchange, form)


async def _once(exchange: Exchange, form: "Sent") -> None:
    """Do what a form says once, though it is sent twice; filled in otherwise, it is another."""
    if form.get(ONCE_FIELD):
        digest = hashlib.sha256(exchange.body).hexdigest()
        exchange.headers[idempotency.HEADER] = f"{form[ONCE_FIELD][:64]}:{digest}".encode()
        try:
            await keyed_requests.begin(exchange, f"operator:{exchange.caller.uuid}")
        except idempotency.InProgress:
            # Who pressed twice has never heard of keys.
            raise idempotency.InProgress(BUSY) from None


def asked_for(exchange: Exchange) -> str:
    """Name the page somebody wanted to see; what was sent cannot be sent again for them."""
    if exchange.method not in SAFE_METHODS:
        return "/console"
    return exchange.target.decode("latin-1").removesuffix("?")


def csrf_of(exchange: Exchange) -> str:
    """Answer the token that every form of this session carries."""
    presented = credential.read(cookie(exchange, auth.COOKIE))
    if presented is None:
        return ""
    return auth.csrf_token(exchange.db.database, f"session_{presented.id}")


class Sent(Mapping[str, str]):
    """What a form sent: fields by name; of one that was sent several times, the last one."""

    def __init__(self, body: bytes) -> None:
        try:
            pairs = parse_qsl(
                body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict"
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

    def all(self, name: str) -> list[str]:
        """List all that was sent under a name."""
        return [value for known, value in self._pairs if known == name]


def sent(exchange: Exchange) -> Sent:
    """Read what a form sent."""
    return Sent(exchange.body)
