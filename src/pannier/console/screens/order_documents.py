"""Documents of an order: its label, codes and proofs."""

from typing import Final, cast

from litestar import Response

from pannier.console import error_pages, responses, session
from pannier.console.api_client import ApiClient
from pannier.console.label_forms import LABEL_FORMS
from pannier.console.screens.order import ORDER
from pannier.console.screens.order_actions import ORDER_PATH
from pannier.console.session import FormData
from pannier.errors import NotFound
from pannier.files.downloads import Download
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

SELECT_ORDERS: Final = "Select at least one order. Press X to select a row."
# The file names of the codes on a label.
CODE_FILES: Final = frozenset({"qr.svg", "barcode.svg", "qr.png", "barcode.png"})


@get("/orders/{identifier:str}/proof-sheet.pdf")
async def download_sheet(exchange: Exchange, identifier: str) -> Download:
    """Download the proof sheet of an order."""
    return await _download_file(exchange, identifier, "proof-sheet.pdf")


@get("/orders/{identifier:str}/proofs.zip")
async def download_archive(exchange: Exchange, identifier: str) -> Download:
    """Download the proofs of an order with their pictures."""
    return await _download_file(exchange, identifier, "proofs.zip")


async def _download_file(exchange: Exchange, identifier: str, name: str) -> Download:
    return cast(
        "Download",
        await ApiClient(exchange).get_response(f"{ORDER_PATH}/{name}", order_id=identifier),
    )


@get("/orders/{identifier:str}/proofs.csv")
async def download_table(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Download the proofs of an order as a table."""
    response = await ApiClient(exchange).get_response(
        f"{ORDER_PATH}/proofs.csv", order_id=identifier
    )
    return cast("Response[bytes]", response)


@get("/tracking-numbers/{number:str}/{code:str}")
async def show_tracking_code(exchange: Exchange, number: str, code: str) -> Response[bytes]:
    """Return the QR code or bar code of a tracking number."""
    if code not in CODE_FILES:
        raise NotFound
    template = f"/v1/tracking-numbers/{{number_id}}/{code}"
    return cast(
        "Response[bytes]", await ApiClient(exchange).get_response(template, number_id=number)
    )


@get("/orders/{identifier:str}/label")
async def show_label(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Show an order's label for printing."""
    client = ApiClient(exchange)
    order = await client.get(ORDER_PATH, order_id=identifier)
    return await responses.render_page(
        client,
        "orders/label.html",
        title=f"Label {ORDER.record_name(order)}",
        order=order,
        label_forms=LABEL_FORMS,
    )


@get("/orders/{identifier:str}/label/file")
async def download_label(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Download an order's label as a file for a printer."""
    query = FormData(exchange.query)
    filters = {name: query[name] for name in ("format", "size", "start") if query.get(name)}
    response = await ApiClient(exchange).get_response(
        f"{ORDER_PATH}/label", filters, order_id=identifier
    )
    return cast("Response[bytes]", response)


@post("/orders/labels", status_code=200)
async def download_labels(exchange: Exchange) -> Response[bytes]:
    """Download the labels of the selected orders."""
    form_data = session.read_form(exchange)
    order_ids = list(dict.fromkeys(form_data.get_all("order")))
    if not order_ids:
        url = error_pages.get_previous_page_url(exchange)
        return responses.redirect_with_flash(exchange, url, error=SELECT_ORDERS)
    label_format, _, size = form_data.get("label", "").partition(" ")
    body = {"orders": order_ids, "format": label_format or "pdf", "size": size or "a6"}
    response = await ApiClient(exchange).post_for_response("/v1/labels", body)
    return cast("Response[bytes]", response)


handlers: Final = [
    download_sheet,
    download_archive,
    download_table,
    show_tracking_code,
    show_label,
    download_label,
    download_labels,
]
