"""Authentication of drivers by token, including on routes that take API keys."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from pannier.accounts import auth, credentials
from pannier.accounts.auth import AppKey, Connection, FleetKey, RequestGuard, TokenPrincipal
from pannier.accounts.tokens.auth import TokenLogin, TokenLookup, read_bearer
from pannier.errors import NotFound
from pannier.fleet import eligibility
from pannier.fleet.models import DriverStatus
from pannier.kit import credential, ids
from pannier.web import keyed_requests
from pannier.web.exchange import current

# Signed-in drivers may use it in a path instead of their id.
ME: Final = "me"


class DriverCaller(TokenPrincipal, frozen=True):
    """The driver who sends a request under `/v1`."""

    kind = "driver"


class _DriverLogin(TokenLogin, kw_only=True):
    status: DriverStatus
    deleted_at: datetime | None

    @property
    def can_sign_in(self) -> bool:
        """Whether the driver exists and may work. Every request checks this."""
        return self.deleted_at is None and eligibility.can_work(self.status)


TOKENS: Final = TokenLookup("driver", "drivers", _DriverLogin)


def require_driver_or_key(resource: str) -> RequestGuard:
    """Require a driver token, or an API key whose scopes cover the resource."""
    guard_api_key = auth.require_api_key(resource, (TOKENS.prefix,))

    async def guard(connection: Connection) -> None:
        if credential.kind(read_bearer(current.get())) == TOKENS.prefix:
            await require_driver(connection)
        else:
            await guard_api_key(connection)

    return guard


# Route options of handlers for drivers and for API keys.
DRIVER_OR_KEY_ROUTE: Final[Mapping[str, Any]] = {
    "before_request": require_driver_or_key("drivers"),
    "security": [{"driverToken": []}],
}


async def require_driver(_: Connection) -> None:
    """Require a driver token."""
    exchange = current.get()
    login = await TOKENS.authenticate(exchange, read_bearer(exchange))
    if login is None:
        raise credentials.make_refusal(read_bearer(exchange), TOKENS.prefix)
    exchange.caller = DriverCaller(login.holder, login.public_id, login.company, login.token)
    await keyed_requests.begin_request(exchange, f"driver:{login.holder}")


def resolve_driver(caller: FleetKey | DriverCaller, identifier: str) -> str | UUID:
    """Resolve the driver in a path. Keys may access any driver, drivers only themselves."""
    if not isinstance(caller, DriverCaller):
        return identifier
    is_self = identifier in {ME, caller.public_id} or ids.parse_uuid(identifier) == caller.uuid
    if not is_self:
        raise NotFound
    return caller.uuid


def is_public(caller: FleetKey | AppKey) -> bool:
    """Return whether a key is public, so that sign-ins with it are limited by address."""
    return isinstance(caller, AppKey)


def get_own_driver(caller: FleetKey | DriverCaller) -> UUID | None:
    """Return the driver whose records a request is limited to, or None for an API key."""
    return caller.uuid if isinstance(caller, DriverCaller) else None
