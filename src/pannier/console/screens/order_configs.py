"""Order flows: the activities of an order, their sequence, and the proofs they require."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response

from pannier.console import columns, fields, flow_chart, flow_errors, flow_form, responses, session
from pannier.console.api_client import ApiClient
from pannier.console.collecting_steps import ADD_COLLECTING_STEPS
from pannier.console.confirmation import Question
from pannier.console.flow_errors import FlowErrors
from pannier.console.flow_form import FlowDraft
from pannier.console.flow_templates import TEMPLATES
from pannier.console.forms import Field, to_options
from pannier.console.records import Records, read_query
from pannier.errors import Problem
from pannier.orders.models import ConfigStatus
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

API: Final = "/v1/order-configs"
RECORD_PATH: Final = "/v1/order-configs/{order_config_id}"
STATES: Final = to_options(ConfigStatus)
MAX_VERSIONS: Final = 12
# The fields that differ between the versions of a flow.
VERSIONED_FIELDS: Final = ("flow", "subflows", "failure_reasons")
# The command that saves. Every other command only edits the form.
SAVE: Final = "save"


async def load_related(client: ApiClient, record: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Load a flow's charts, for the latest version or the version in the query."""
    latest_number = record["flow_version"]
    requested_number = flow_form.parse_int(read_query(client.exchange).get("version", ""))
    version_number = latest_number if requested_number < 0 else requested_number
    version = await client.get(
        f"{RECORD_PATH}/versions/{{number}}",
        order_config_id=record["id"],
        number=str(version_number),
    )
    draft = FlowDraft.from_config({**record, **{name: version[name] for name in VERSIONED_FIELDS}})
    return {
        **make_draft_context(draft),
        "shown": version,
        "latest": latest_number,
        "versions": range(latest_number, max(latest_number - MAX_VERSIONS, 0), -1),
    }


def make_draft_context(draft: FlowDraft) -> dict[str, Any]:
    """Return the charts, driver app previews and warnings of a flow."""
    return {
        "draft": draft,
        "charts": [
            flow_chart.lay_out_chart(section.chart_activities) for section in draft.sections
        ],
        "warnings": [list(flow_errors.list_warnings(section)) for section in draft.sections],
        "signs": flow_chart.PROOF_ICONS,
        "methods": flow_form.METHODS,
        "scopes": flow_form.SCOPES,
        "next_steps": flow_form.NEXT_STEPS,
        "scan_mismatches": flow_form.SCAN_MISMATCHES,
        "states": STATES,
    }


class FlowRecords(Records):
    """The pages of order flows, with the icons of proofs."""

    icons = flow_chart.PROOF_ICONS


FLOWS: Final = FlowRecords(
    API,
    noun="order flow",
    name="order_config_id",
    columns=(columns.NAME,),
    filters=(
        Field(name="query", label="Name or key"),
        fields.make_status_field(STATES),
    ),
    list_template="order-configs/list.html",
    record_template="order-configs/record.html",
    actions=(ADD_COLLECTING_STEPS,),
    load_related=load_related,
    delete_question=Question(
        "Delete this flow? Existing orders keep it. New orders cannot use it.", "Delete"
    ),
)


@get("/order-configs/new")
async def show_new_flow(exchange: Exchange) -> Response[bytes]:
    """Show the form for a new flow, or first the choice of a template or of a flow to copy."""
    client, query = ApiClient(exchange), read_query(exchange)
    if query.get("from"):
        source_flow = await client.get(RECORD_PATH, order_config_id=query["from"])
        draft = FlowDraft.from_config(
            {**source_flow, "name": f"{source_flow['name']} (copy)", "key": ""}
        )
        return await render_form(client, None, draft)
    if query.get("template") in TEMPLATES:
        return await render_form(
            client, None, FlowDraft.from_config(TEMPLATES[query["template"]].config)
        )
    charts = {
        name: flow_chart.lay_out_chart(
            FlowDraft.from_config(template.config).sections[0].own_activities
        )
        for name, template in TEMPLATES.items()
    }
    own_flows = (await client.list_rows(API, {"limit": "60"})).rows
    return await responses.render_page(
        client, "order-configs/templates.html", title="New order flow", records=FLOWS,
        templates=TEMPLATES, drawn=charts, own=own_flows, signs=flow_chart.PROOF_ICONS,
    )  # fmt: skip


@post("/order-configs/new", status_code=200)
async def create_flow(exchange: Exchange) -> Response[bytes]:
    """Save a new flow, or apply another command of the form."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    draft = FlowDraft.from_form(form_data)
    if (action := form_data.get("do")) != SAVE:
        return await render_draft(client, None, draft, action or "")
    try:
        flow = await client.send("POST", API, draft.make_body(is_new=True))
    except Problem as problem:
        return await render_refusal(client, None, draft, problem)
    return responses.redirect_with_flash(
        exchange, FLOWS.record_url(flow["id"]), message="Order flow saved."
    )


@get("/order-configs/{identifier:str}/edit")
async def show_flow_form(exchange: Exchange, identifier: str) -> Response[bytes]:
    client = ApiClient(exchange)
    record = await client.get(RECORD_PATH, order_config_id=identifier)
    return await render_form(client, record, FlowDraft.from_config(record))


@post("/order-configs/{identifier:str}/edit", status_code=200)
async def change_flow(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Save a change, or apply another command of the form."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    draft = FlowDraft.from_form(form_data)
    record = await client.get(RECORD_PATH, order_config_id=identifier)
    record["version"] = form_data.get("version", record["version"])
    if (action := form_data.get("do")) != SAVE:
        return await render_draft(client, record, draft, action or "")
    try:
        updated_flow = await client.send(
            "PATCH", RECORD_PATH, draft.make_body(is_new=False), version=record["version"],
            order_config_id=identifier,
        )  # fmt: skip
    except Problem as problem:
        return await render_refusal(client, record, draft, problem)
    message = (
        "Saved."
        if updated_flow["flow_version"] == record["flow_version"]
        else _make_version_message(updated_flow)
    )
    return responses.redirect_with_flash(exchange, FLOWS.record_url(identifier), message=message)


def _make_version_message(flow: Mapping[str, Any]) -> str:
    number = flow["flow_version"]
    return f"Saved as version {number}. Existing orders keep their version."


async def render_draft(
    client: ApiClient,
    record: Any,  # noqa: ANN401 - JSON
    draft: FlowDraft,
    command: str,
) -> Response[bytes]:
    """Apply a command, and show the editor with the errors that saving would cause."""
    draft.apply(command)
    path_params = {} if record is None else {"order_config_id": record["id"]}
    method, template = ("POST", API) if record is None else ("PATCH", RECORD_PATH)
    body = draft.make_body(is_new=record is None)
    problem = await client.try_send(method, template, body, dry_run=True, **path_params)
    flow_errors = FlowErrors.from_problem(draft, problem)
    flow_errors.sentence = ""
    return await render_form(client, record, draft, flow_errors)


async def render_refusal(
    client: ApiClient,
    record: Any,  # noqa: ANN401 - JSON
    draft: FlowDraft,
    problem: Problem,
) -> Response[bytes]:
    """Undo the change, and show the editor with the errors."""
    await client.undo(problem)
    return await render_form(
        client, record, draft, FlowErrors.from_problem(draft, problem), status=problem.status
    )


async def render_form(
    client: ApiClient,
    record: Any,  # noqa: ANN401 - JSON
    draft: FlowDraft,
    flow_errors: FlowErrors | None = None,
    *,
    status: int = 200,
) -> Response[bytes]:
    title = "New order flow" if record is None else f"Edit {record['name']}"
    return await responses.render_page(
        client, "order-configs/edit.html", title=title, records=FLOWS, record=record,
        faults=flow_errors or FlowErrors(), status=status, **make_draft_context(draft),
    )  # fmt: skip


handlers: Final = [
    *FLOWS.make_handlers(),
    show_new_flow,
    create_flow,
    show_flow_form,
    change_flow,
]
