"""The operators' doors: have somebody forgotten."""

from pannier.accounts import doors
from pannier.accounts.auth import Caller
from pannier.customers.desk import CloseIn, CustomerShown
from pannier.customers.queries import CUSTOMERS
from pannier.customers.schemas import CustomerId
from pannier.db import Db
from pannier.privacy import erasure
from pannier.web.routes import post


@post("/customers/{customer_id:str}/erase", status_code=200, problems=[erasure.OrdersOpen])
async def erase_customer(
    caller: Caller, customer_id: CustomerId, data: CloseIn, db: Db
) -> CustomerShown:
    """Close a customer's account if it is open, and have it erased without waiting for the grace.

    The worker erases it within minutes, and `erased_at` tells when it has.
    """
    customer = await CUSTOMERS.take(db, caller.company, customer_id)
    asked = await erasure.ask(db, customer, reason=data.reason, by=caller.public_id)
    return CustomerShown.of(asked)


routers = (doors.for_operators("Customers", "admin", [erase_customer]),)
