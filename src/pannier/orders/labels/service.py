"""Loading the orders of labels, and rendering them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec
from litestar import Response

from pannier.accounts import queries as accounts
from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import FieldError, Invalid, NotFound
from pannier.locales.catalogue import find_language
from pannier.orders import views
from pannier.orders.labels.content import Label, build_label, count_letters
from pannier.orders.labels.schemas import (
    MAX_DIFFERENT_LETTERS,
    MAX_PDF_LABELS,
    LabelFormat,
)
from pannier.orders.labels.sizes import LabelSize
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.orders.views import OrderAggregate
from pannier.proofs.documents import PDF, document_queue, make_disposition
from pannier.web.exchange import Exchange

MEDIA_TYPES: Final[dict[LabelFormat, str]] = {
    "pdf": PDF,
    "zpl": "application/zpl",
    "png": "image/png",
}
NO_SHEETS: Final = "ZPL has no sheets. Choose `a6` or `4x6`."
TOO_MANY_FOR_PDF: Final = f"must have at most {MAX_PDF_LABELS} orders for a PDF."
TOO_MANY_LETTERS: Final = (
    "need too many different characters for one PDF. Print fewer labels at once, or ZPL."
)
NO_ORDER: Final = "There is no order with this id."


class LabelJob(msgspec.Struct, kw_only=True):
    """Labels to render, and their form."""

    labels: Sequence[Label]
    format: LabelFormat
    size: LabelSize
    start: int
    language: str
    author: str
    made_at: datetime

    def render(self) -> bytes:
        if self.format == "zpl":
            from pannier.orders.labels.zpl import render_zpl  # noqa: PLC0415 - loads the fonts

            return render_zpl(self.labels, self.size, self.language)
        from pannier.orders.labels import pdf, png  # noqa: PLC0415 - imports take half a second

        document = pdf.render_pdf(
            self.labels,
            self.size,
            self.language,
            start=self.start,
            author=self.author,
            made_at=self.made_at,
        )
        return document if self.format == "pdf" else png.render_png(document)


async def load_orders(db: Db, company: UUID, identifiers: Sequence[str]) -> list[Order]:
    """Load orders, each once. Report every unknown one."""
    orders, errors = dict[UUID, Order](), []
    for index, identifier in enumerate(identifiers):
        order = await ORDERS.find(db, company, identifier)
        if order is None:
            errors.append(FieldError(f"orders[{index}]", NO_ORDER))
        else:
            orders[order.uuid] = order
    if errors:
        raise NotFound(fields=errors)
    return list(orders.values())


async def download_labels(
    exchange: Exchange,
    db: Db,
    orders: Sequence[Order],
    *,
    format: LabelFormat,
    size: LabelSize,
    start: int,
) -> Response[bytes]:
    """Render the labels of orders as one document."""
    if format == "zpl" and size == "a4":
        raise Invalid(fields=[FieldError("size", NO_SHEETS)])
    if format != "zpl" and len(orders) > MAX_PDF_LABELS:
        raise Invalid(fields=[FieldError("orders", TOO_MANY_FOR_PDF)])
    company = orders[0].company
    settings = await company_settings.load(db, company)
    company_name = (await accounts.get_company(db, company)).name
    related = await views.load_related(db, company, orders)
    job = LabelJob(
        labels=[
            build_label(OrderAggregate(row, related), company_name, settings) for row in orders
        ],
        format=format,
        size=size,
        start=start,
        language=find_language(settings.locale),
        author=company_name,
        made_at=db.now,
    )
    if format != "zpl" and count_letters(job.labels) > MAX_DIFFERENT_LETTERS:
        raise Invalid(fields=[FieldError("orders", TOO_MANY_LETTERS)])
    name = f"label-{orders[0].public_id}" if len(orders) == 1 else "labels"
    async with document_queue.wait_turn(exchange, company):
        document = await document_queue.run(job.render)
    headers = make_disposition(f"{name}.{format}")
    return Response(document, media_type=MEDIA_TYPES[format], headers=headers)
