"""Creation and changes of order templates."""

from datetime import date
from typing import Any, Final
from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db, Page, Sort, Table
from pannier.errors import Conflict, FieldError, Invalid
from pannier.orders.duplicates import copying
from pannier.orders.queries import ORDERS
from pannier.orders.schemas import OrderIn
from pannier.orders.templates import people
from pannier.orders.templates.models import OrderTemplate
from pannier.orders.templates.schemas import (
    OrderTemplateChange,
    OrderTemplateFilters,
    OrderTemplateIn,
)
from pannier.orders.views import OrderAggregate
from pannier.web.fields import get_sent_fields

TEMPLATES: Final = Table(
    "order_templates",
    OrderTemplate,
    sort=Sort(("created_at", "name")),
    search=("name",),
    # The log names the partners; the body also has addresses of people who are nobody's partner.
    secret=frozenset({"body"}),
)


class TemplateInUse(Conflict):
    """Recurring orders need their template until they end."""

    code = "template_in_use"
    title = "A recurring order uses this template."
    remedy = "End the recurring order first, or choose another template for it."


async def list_templates(
    db: Db, company: UUID, filters: OrderTemplateFilters
) -> Page[OrderTemplate]:
    """List templates."""
    where = TEMPLATES.where(company)
    return await TEMPLATES.load_page(db, where, filters, query=filters.query)


async def create_template(db: Db, company: UUID, data: OrderTemplateIn) -> OrderTemplate:
    """Save an order as a template."""
    name = parse_name(data.name)
    columns = await _copy_order(db, company, data.order)
    return await TEMPLATES.create(db, company, name=name, **columns)


async def change_template(
    db: Db, template: OrderTemplate, data: OrderTemplateChange
) -> OrderTemplate:
    """Rename a locked template, or copy another order to it."""
    values = get_sent_fields(data)
    if "name" in values:
        values["name"] = parse_name(values["name"])
    if "order" in values:
        values |= await _copy_order(db, template.company, values.pop("order"))
    changed_template, _ = await TEMPLATES.change(db, template, **values)
    return changed_template


async def remove_template(db: Db, template: OrderTemplate) -> None:
    """Delete a locked template that no recurring order uses."""
    is_used = await db.fetch_value(
        """select exists (select from recurring_orders
           where company = :company and template = :template and ended_at is null)""",
        company=template.company,
        template=template.uuid,
    )
    if is_used:
        raise TemplateInUse
    await TEMPLATES.remove(db, template)


async def make_request(db: Db, template: OrderTemplate, day: date | None) -> OrderIn:
    """Return the request for an order of a template, with its times on the given day."""
    zone = (await company_settings.load(db, template.company)).zone
    return copying.make_request(template.body, day, zone)


async def _copy_order(db: Db, company: UUID, order: str) -> dict[str, Any]:
    """Return the columns of a template like an order.

    The order is locked, so that nobody in it is erased at the same time and stays in the template.
    """
    row = await ORDERS.resolve_reference(db, company, "order", order, lock=True)
    zone = (await company_settings.load(db, company)).zone
    body = copying.make_body(await OrderAggregate.load(db, row), zone)
    return {"body": body, "partners": people.list_partners(body)}


def parse_name(name: str) -> str:
    """Normalise spaces in a name."""
    normal_name = " ".join(name.split())
    if not normal_name:
        raise Invalid(fields=[FieldError("name", "This field is required.")])
    return normal_name
