"""Order flows: the activities of an order, their sequence, and the proofs they require."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response

from pannier.console import columns, door, fields, flow_chart, flow_faults, flow_form, render
from pannier.console.confirm import Question
from pannier.console.desk import Desk
from pannier.console.flow_faults import Faults
from pannier.console.flow_form import Draft
from pannier.console.flow_templates import TEMPLATES
from pannier.console.forms import Field, worded
from pannier.console.records import Records, asked
from pannier.errors import Problem
from pannier.orders.models import ConfigStatus
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

API: Final = "/v1/order-configs"
ONE: Final = "/v1/order-configs/{order_config_id}"
STATES: Final = worded(ConfigStatus)
LATEST: Final = 12
# The fields that a version has of its own.
KEPT: Final = ("flow", "subflows", "failure_reasons")
# The command that saves. Every other command only edits the form.
SAVE: Final = "save"


async def beside(desk: Desk, record: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Load the charts of a flow, in its current version or the one in the query."""
    latest = record["flow_version"]
    asked_for = flow_form.int_of(asked(desk.exchange).get("version", ""))
    number = latest if asked_for < 0 else asked_for
    version = await desk.get(
        f"{ONE}/versions/{{number}}", order_config_id=record["id"], number=str(number)
    )
    draft = Draft.of({**record, **{name: version[name] for name in KEPT}})
    return {
        **seen(draft),
        "shown": version,
        "latest": latest,
        "versions": range(latest, max(latest - LATEST, 0), -1),
    }


def seen(draft: Draft) -> dict[str, Any]:
    """Return the charts, driver app previews and warnings of a flow."""
    return {
        "draft": draft,
        "charts": [flow_chart.draw(part.drawn) for part in draft.parts],
        "warnings": [list(flow_faults.warnings(part)) for part in draft.parts],
        "signs": flow_chart.SIGNS,
        "methods": flow_form.METHODS,
        "scopes": flow_form.SCOPES,
        "thens": flow_form.THENS,
        "states": STATES,
    }


class Flows(Records):
    """The pages of order flows, with the icons of proofs."""

    signs = flow_chart.SIGNS


FLOWS: Final = Flows(
    API,
    noun="order flow",
    name="order_config_id",
    columns=(columns.NAME,),
    filters=(
        Field(name="query", label="Name or key"),
        fields.status(STATES),
    ),
    listing="order-configs/list.html",
    reading="order-configs/record.html",
    beside=beside,
    deleting=Question(
        "Delete this flow? Existing orders keep it. New orders cannot use it.", "Delete"
    ),
)


@get("/order-configs/new")
async def new(exchange: Exchange) -> Response[bytes]:
    """Start from a template or a copy, or show the choice of both."""
    desk, given = Desk(exchange), asked(exchange)
    if given.get("from"):
        copied = await desk.get(ONE, order_config_id=given["from"])
        draft = Draft.of({**copied, "name": f"{copied['name']} (copy)", "key": ""})
        return await ask(desk, None, draft)
    if given.get("template") in TEMPLATES:
        return await ask(desk, None, Draft.of(TEMPLATES[given["template"]].config))
    drawn = {
        name: flow_chart.draw(Draft.of(template.config).parts[0].own)
        for name, template in TEMPLATES.items()
    }
    own = (await desk.rows(API, {"limit": "60"})).rows
    return await render.page(
        desk, "order-configs/templates.html", title="New order flow", records=FLOWS,
        templates=TEMPLATES, drawn=drawn, own=own, signs=flow_chart.SIGNS,
    )  # fmt: skip


@post("/order-configs/new", status_code=200)
async def create(exchange: Exchange) -> Response[bytes]:
    """Save a new flow, or apply another command of the form."""
    desk, sent = Desk(exchange), door.sent(exchange)
    draft = Draft.read(sent)
    if (wish := sent.get("do")) != SAVE:
        return await go_on(desk, None, draft, wish or "")
    try:
        made = await desk.act("POST", API, draft.body(new=True))
    except Problem as problem:
        return await refuse(desk, None, draft, problem)
    return render.led(exchange, FLOWS.address(made["id"]), said="Order flow saved.")


@get("/order-configs/{identifier:str}/edit")
async def edit(exchange: Exchange, identifier: str) -> Response[bytes]:
    desk = Desk(exchange)
    record = await desk.get(ONE, order_config_id=identifier)
    return await ask(desk, record, Draft.of(record))


@post("/order-configs/{identifier:str}/edit", status_code=200)
async def change(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Save a change, or apply another command of the form."""
    desk, sent = Desk(exchange), door.sent(exchange)
    draft = Draft.read(sent)
    record = await desk.get(ONE, order_config_id=identifier)
    record["version"] = sent.get("version", record["version"])
    if (wish := sent.get("do")) != SAVE:
        return await go_on(desk, record, draft, wish or "")
    try:
        changed = await desk.act(
            "PATCH", ONE, draft.body(new=False), version=record["version"],
            order_config_id=identifier,
        )  # fmt: skip
    except Problem as problem:
        return await refuse(desk, record, draft, problem)
    said = "Saved." if changed["flow_version"] == record["flow_version"] else _versioned(changed)
    return render.led(exchange, FLOWS.address(identifier), said=said)


def _versioned(changed: Mapping[str, Any]) -> str:
    number = changed["flow_version"]
    return f"Saved as version {number}. Existing orders keep their version."


async def go_on(desk: Desk, record: Any, draft: Draft, wish: str) -> Response[bytes]:  # noqa: ANN401 - JSON
    """Show the editor after a command, with the errors that saving would have now."""
    draft.do(wish)
    named = {} if record is None else {"order_config_id": record["id"]}
    method, template = ("POST", API) if record is None else ("PATCH", ONE)
    body = draft.body(new=record is None)
    problem = await desk.attempt(method, template, body, tried=True, **named)
    faults = Faults.of(draft, problem)
    faults.sentence = ""
    return await ask(desk, record, draft, faults)


async def refuse(desk: Desk, record: Any, draft: Draft, problem: Problem) -> Response[bytes]:  # noqa: ANN401 - JSON
    """Undo the change, and show the editor with the errors."""
    await desk.undo(problem)
    return await ask(desk, record, draft, Faults.of(draft, problem), status=problem.status)


async def ask(
    desk: Desk,
    record: Any,  # noqa: ANN401 - JSON
    draft: Draft,
    faults: Faults | None = None,
    *,
    status: int = 200,
) -> Response[bytes]:
    title = "New order flow" if record is None else f"Edit {record['name']}"
    return await render.page(
        desk, "order-configs/edit.html", title=title, records=FLOWS, record=record,
        faults=faults or Faults(), status=status, **seen(draft),
    )  # fmt: skip


handlers: Final = [*FLOWS.handlers(), new, create, edit, change]
