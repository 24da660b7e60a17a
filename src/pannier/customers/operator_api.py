"""HTTP API of customers for operators: find customers, end sessions, close and restore accounts."""

from datetime import timedelta
from typing import Annotated, ClassVar, Final, Self

import msgspec
from msgspec import Meta

from pannier.accounts import api_routers
from pannier.accounts.auth import Caller
from pannier.accounts.queries import get_store
from pannier.accounts.tokens import api as tokens
from pannier.accounts.tokens.models import Holder
from pannier.customers import closure, devices, sessions
from pannier.customers.models import Customer
from pannier.customers.queries import CUSTOMERS
from pannier.customers.schemas import CustomerId, CustomerOut
from pannier.customers.service import CustomerExists
from pannier.db import Db, PageIn
from pannier.errors import NotFound
from pannier.kit.structs import convert_struct
from pannier.settings import Settings
from pannier.web.lists import Listed, to_envelope
from pannier.web.routes import get, post
from pannier.web.times import Time, to_rfc3339

# How long an operator's push message is worth delivering.
PUSH_LIFETIME: Final = timedelta(days=1)


class CustomerDetailsOut(CustomerOut, kw_only=True):
    """A customer, as operators see them."""

    has_password: bool
    closed_at: Time | None
    close_reason: str | None
    erase_at: Time | None
    erased_at: Time | None

    @classmethod
    def from_row(cls, row: Customer) -> Self:
        summary = CustomerOut.from_row(row)
        return convert_struct(
            summary,
            cls,
            has_password=row.password_hash is not None,
            closed_at=to_rfc3339(row.closed_at),
            close_reason=row.close_reason,
            erase_at=to_rfc3339(row.erase_at),
            erased_at=to_rfc3339(row.erased_at),
        )


class CustomerFilters(PageIn, frozen=True, kw_only=True):
    """Filters of the list of customers."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "updated_at", "name")

    query: Annotated[
        str | None, Meta(description="Searched in name, email and phone.", examples=["ada"])
    ] = None
    store: Annotated[
        str | None,
        Meta(description="Only customers of this store.", examples=["store_9cVt3RkW5yXe1NqP"]),
    ] = None
    closed: Annotated[bool | None, Meta(description="Only closed ones, or only open ones.")] = None


class CloseIn(msgspec.Struct):
    """The reason why an operator closes an account."""

    reason: Annotated[str, Meta(min_length=1, max_length=2000, examples=["Asked by phone."])]


class PushIn(msgspec.Struct):
    """A push message."""

    title: Annotated[str, Meta(min_length=1, max_length=200, examples=["On the way"])]
    text: Annotated[str, Meta(min_length=1, max_length=2000, examples=["Your parcel left."])]


class PushQueued(msgspec.Struct):
    """The push message was queued."""

    status: str
    devices: Annotated[int, Meta(description="The number of devices it is sent to.", examples=[1])]


@get("/customers", problems=[NotFound])
async def list_customers(
    caller: Caller, filters: CustomerFilters, db: Db
) -> Listed[CustomerDetailsOut]:
    """List customers, newest first."""
    where = CUSTOMERS.where(caller.company)
    if filters.store is not None:
        where.add_equal(store=(await get_store(db, caller.company, filters.store)).uuid)
    if filters.closed is not None:
        where.add(f"closed_at is {'not null' if filters.closed else 'null'}")
    page = await CUSTOMERS.load_page(db, where, filters, query=filters.query)
    return to_envelope(page, CustomerDetailsOut.from_row)


@get("/customers/{customer_id:str}")
async def get_customer(caller: Caller, customer_id: CustomerId, db: Db) -> CustomerDetailsOut:
    """Retrieve a customer."""
    return CustomerDetailsOut.from_row(await CUSTOMERS.get(db, caller.company, customer_id))


async def _find_holder(db: Db, caller: Caller, customer_id: str) -> Holder:
    """Find the holder of the customer's sessions."""
    return sessions.make_token_holder(await CUSTOMERS.get(db, caller.company, customer_id))


@post("/customers/{customer_id:str}/close", status_code=200)
async def close_customer(
    caller: Caller, customer_id: CustomerId, data: CloseIn, db: Db, settings: Settings
) -> CustomerDetailsOut:
    """Close a customer's account on the customer's behalf."""
    customer = await CUSTOMERS.lock(db, caller.company, customer_id)
    grace = timedelta(days=settings.erasure_days)
    closed_customer = await closure.close_account(
        db, customer, reason=data.reason, grace=grace, closed_by=caller.public_id
    )
    return CustomerDetailsOut.from_row(closed_customer)


@post(
    "/customers/{customer_id:str}/restore",
    status_code=200,
    problems=[closure.NotClosed, CustomerExists],
)
async def restore_customer(caller: Caller, customer_id: CustomerId, db: Db) -> CustomerDetailsOut:
    """Restore a closed account before it is erased."""
    customer = await CUSTOMERS.lock(db, caller.company, customer_id)
    restored_customer = await closure.restore_account(db, customer)
    return CustomerDetailsOut.from_row(restored_customer)


@post("/customers/{customer_id:str}/push", status_code=200)
async def push_to_customer(
    caller: Caller, customer_id: CustomerId, data: PushIn, db: Db
) -> PushQueued:
    """Send a push message to every device of a customer."""
    customer = await CUSTOMERS.get(db, caller.company, customer_id)
    expires_at = db.now + PUSH_LIFETIME
    device_count = await devices.push_to_devices(
        db, caller.company, customer.uuid, data.title, data.text, expires_at
    )
    return PushQueued("ok", device_count)


viewer_routes = api_routers.operator_router("Customers", "viewer", [list_customers, get_customer])
dispatcher_routes = api_routers.operator_router(
    "Customers",
    "dispatcher",
    [
        *tokens.make_managed_session_handlers("customer", _find_holder),
        close_customer,
        restore_customer,
        push_to_customer,
    ],
)
routers = (viewer_routes, dispatcher_routes)
