"""Authentication of drivers by their tokens, also on routes that take API keys."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from pannier.accounts import auth, credentials
from pannier.accounts.auth import AppKey, Bearer, Connection, Door, FleetKey
from pannier.accounts.tokens.auth import Entry, LookUp, bearer
from pannier.errors import NotFound
from pannier.fleet import eligibility
from pannier.fleet.models import DriverStatus
from pannier.kit import credential, ids
from pannier.web import keyed_requests
from pannier.web.exchange import current

# A signed-in driver may use it in a path instead of their id.
ME: Final = "me"


class Driving(Bearer, frozen=True):
    """The driver who sends a request under `/v1`."""

    kind = "driver"


class _Entry(Entry, kw_only=True):
    status: DriverStatus
    deleted_at: datetime | None

    @property
    def welcome(self) -> bool:
        """Whether the driver exists and may work. Otherwise the next request is refused."""
        return self.deleted_at is None and eligibility.may_work(self.status)


TOKENS: Final = LookUp("driver", "drivers", _Entry)


def driver_or_key(resource: str) -> Door:
    """Require a driver token, or an API key whose scopes cover the resource."""
    by_key = auth.fleet(resource, (TOKENS.prefix,))

    async def door(connection: Connection) -> None:
        if credential.kind(bearer(current.get())) == TOKENS.prefix:
            await driver(connection)
        else:
            await by_key(connection)

    return door


# Route options of handlers for drivers and for API keys.
OWN: Final[Mapping[str, Any]] = {
    "before_request": driver_or_key("drivers"),
    "security": [{"driverToken": []}],
}


async def driver(_: Connection) -> None:
    """Require a driver token."""
    exchange = current.get()
    found = await TOKENS.enter(exchange, bearer(exchange))
    if found is None:
        raise credentials.refuse(bearer(exchange), TOKENS.prefix)
    exchange.caller = Driving(found.holder, found.public_id, found.company, found.token)
    await keyed_requests.begin(exchange, f"driver:{found.holder}")


def reach(caller: FleetKey | Driving, identifier: str) -> str | UUID:
    """Return the driver that the caller may access: a key any driver, drivers only themselves."""
    if not isinstance(caller, Driving):
        return identifier
    itself = identifier in {ME, caller.public_id} or ids.as_uuid(identifier) == caller.uuid
    if not itself:
        raise NotFound
    return caller.uuid


def is_public(caller: FleetKey | AppKey) -> bool:
    """Tell whether the key is public. Sign-ins with it are limited by address."""
    return isinstance(caller, AppKey)


def own(caller: FleetKey | Driving) -> UUID | None:
    """Return the driver to whom a request is limited; None for an API key."""
    return caller.uuid if isinstance(caller, Driving) else None
