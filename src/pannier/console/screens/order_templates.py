"""Order templates: orders that are made again and again."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pannier.console import columns, fields
from pannier.console.actions import Action
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.forms import Field, Form
from pannier.console.record_names import load_names
from pannier.console.records import Records

ENDPOINTS: Final = ("pickup", "dropoff", "return")
TEMPLATE_PATH: Final = "/v1/order-templates/{order_template_id}"
CREATE_FORM: Final = Form(
    (
        Field(
            name="day", label="Day", kind="day",
            help="Without a day, the order has no schedule and no time windows.",
        ),
        fields.DRIVER,
        fields.INTERNAL_ID,
    )
)  # fmt: skip


def list_places(template: Mapping[str, Any]) -> list[Any]:
    """List the places of a template's route, each by id or by its fields."""
    payload = template["body"]["payload"]
    if "waypoints" in payload:
        return [stop["place"] for stop in payload["waypoints"]]
    return [payload[name] for name in ENDPOINTS if name in payload]


async def load_routes(client: ApiClient, templates: Sequence[Any]) -> Mapping[str, Any]:
    """Load the names of the places of each template, by the template's id."""
    places = {template["id"]: list_places(template) for template in templates}
    names = await load_names(client, [place for row in places.values() for place in row])
    return {
        "routes": {
            identifier: [_name_place(place, names) for place in row]
            for identifier, row in places.items()
        }
    }


def _name_place(place: Any, names: Mapping[str, str]) -> str:  # noqa: ANN401 - JSON
    """Return the name of a place, or its address."""
    if isinstance(place, str):
        return names.get(place, "Deleted place")
    parts = (place.get("street1"), place.get("city"))
    return str(place.get("name") or ", ".join(filter(None, parts)) or "Point on the map")


async def load_related(client: ApiClient, template: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Load the template variables of a template's page."""
    return await load_routes(client, [template])


CUSTOMER: Final = Column("Customer", "body.customer", "link", to="contacts")
TEMPLATES: Final = Records(
    "/v1/order-templates",
    noun="template",
    name="order_template_id",
    columns=(columns.NAME, CUSTOMER, Column("Created", "created_at", "time", wide=True)),
    facts=(
        CUSTOMER,
        Column("Notes for the driver", "body.notes", quiet=True),
        Column("Created", "created_at", "time"),
        Column("Updated", "updated_at", "ago"),
    ),
    filters=(Field(name="query", label="Name"),),
    form=Form((fields.NAME,)),
    actions=(
        Action(
            "create-order",
            "Create order",
            "POST",
            f"{TEMPLATE_PATH}/orders",
            "plus",
            "Order created. Check its times and details.",
            form=CREATE_FORM,
            make_url=lambda order: f"/console/orders/{order['id']}/edit",
        ),
    ),
    list_template="order-templates/list.html",
    record_template="order-templates/record.html",
    load_list_extras=load_routes,
    load_related=load_related,
    empty="No templates yet. Save one on an order\N{RIGHT SINGLE QUOTATION MARK}s page.",
)
handlers: Final = TEMPLATES.make_handlers("list", "read", "edit", "delete", "act")
