"""Erasure and export of a person's data in order templates."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from pannier.db import Db, columns
from pannier.orders.templates import people
from pannier.orders.templates.models import OrderTemplate


async def erase_contacts(db: Db, company: UUID, contacts: Sequence[str]) -> list[str]:
    """Erase people from templates, by public id; return the public ids of these templates.

    Templates for their orders are deleted with their recurring orders. Others lose their stops and
    items.
    """
    await _lock_recurring_orders(db, company, contacts)
    templates = await _list_templates(db, company, contacts, lock=True)
    for template in templates:
        body = people.remove_person(template.body, contacts)
        if body is None:
            await db.execute(
                """delete from recurring_orders
                   where company = :company and template = :template""",
                company=company,
                template=template.uuid,
            )
            await db.execute(
                "delete from order_templates where company = :company and uuid = :uuid",
                company=company,
                uuid=template.uuid,
            )
        else:
            await db.execute(
                """update order_templates set body = :body, partners = :partners,
                       updated_at = :now, version = version + 1
                   where company = :company and uuid = :uuid""",
                company=company,
                uuid=template.uuid,
                body=body,
                partners=people.list_partners(body),
                now=db.now,
            )
    return [template.public_id for template in templates]


async def export_templates(
    db: Db, company: UUID, contacts: Sequence[str]
) -> list[tuple[OrderTemplate, dict[str, Any]]]:
    """Return templates with people, by public id, and these people's part of each."""
    templates = await _list_templates(db, company, contacts)
    return [(template, people.select_parts(template.body, contacts)) for template in templates]


async def _list_templates(
    db: Db, company: UUID, contacts: Sequence[str], *, lock: bool = False
) -> list[OrderTemplate]:
    return await db.fetch_all(
        OrderTemplate,
        f"""select {columns(OrderTemplate)} from order_templates
            where company = :company and partners && :contacts
            order by created_at, uuid {"for no key update" if lock else ""}""",
        company=company,
        contacts=contacts,
    )


async def _lock_recurring_orders(db: Db, company: UUID, contacts: Sequence[str]) -> None:
    """Lock the recurring orders of the templates first, as the worker does."""
    await db.execute(
        """select r.uuid from recurring_orders r join order_templates t on t.uuid = r.template
           where t.company = :company and t.partners && :contacts and r.company = :company
           order by r.uuid for no key update of r""",
        company=company,
        contacts=contacts,
    )
