"""HTTP API for operators: export or erase a customer's data."""

from typing import Any, Final

from pannier.accounts import api_routers
from pannier.accounts.auth import Caller
from pannier.customers.operator_api import CloseIn, CustomerDetailsOut
from pannier.customers.queries import CUSTOMERS
from pannier.customers.schemas import CustomerId
from pannier.db import Db
from pannier.files.downloads import Download
from pannier.files.storage import Storage, StorageUnavailable
from pannier.privacy import erasure, export
from pannier.privacy.schemas import CustomerExport, ExportFilters
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

MEDIA_TYPES: Final = {"json": "application/json", "zip": "application/zip"}
EXPORT_RESPONSES: Final[dict[str, Any]] = {
    "responses": {
        200: {
            "application/json": CustomerExport,
            "application/zip": {"type": "string", "format": "binary"},
        }
    }
}


@get("/customers/{customer_id:str}/export", opt=EXPORT_RESPONSES, problems=[StorageUnavailable])
async def export_customer(
    caller: Caller,
    customer_id: CustomerId,
    filters: ExportFilters,
    exchange: Exchange,
    db: Db,
    storage: Storage,
) -> Download:
    """Export all data of a customer."""
    customer = await CUSTOMERS.get(db, caller.company, customer_id)
    async with exchange.edge.suspend_transaction(exchange):
        archive = await export.write_export(
            exchange.edge.database, storage, customer, filters.format
        )
    file_name = f"{customer.public_id}.{filters.format}"
    return Download(
        200, _make_headers(file_name, MEDIA_TYPES[filters.format]), export.stream_file(archive)
    )


def _make_headers(file_name: str, media_type: str) -> dict[str, str]:
    disposition = f'attachment; filename="{file_name}"'
    return {"Content-Type": media_type, "Content-Disposition": disposition}


@post("/customers/{customer_id:str}/erase", status_code=200, problems=[erasure.OrdersOpen])
async def erase_customer(
    caller: Caller, customer_id: CustomerId, data: CloseIn, db: Db
) -> CustomerDetailsOut:
    """Close a customer's account if it is open, and erase it without the grace period.

    The worker erases it within minutes, and sets `erased_at`.
    """
    customer = await CUSTOMERS.lock(db, caller.company, customer_id)
    updated_customer = await erasure.request_erasure(
        db, customer, reason=data.reason, closed_by=caller.public_id
    )
    return CustomerDetailsOut.from_row(updated_customer)


routers = (api_routers.operator_router("Customers", "admin", [export_customer, erase_customer]),)
