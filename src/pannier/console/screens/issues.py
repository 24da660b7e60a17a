"""Issues: reported problems with vehicles, drivers and orders, and their resolutions."""

from typing import Any, Final

from pannier.console import columns, fields
from pannier.console.actions import Action
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.fleet_data import CLOSED_STATUSES
from pannier.console.forms import Field, Form, to_options
from pannier.console.records import Records
from pannier.console.screens.proofs import picture_path
from pannier.fleet.models import IssueStatus, Priority

STATUSES: Final = to_options(IssueStatus)
PRIORITIES: Final = to_options(Priority)
FORM: Final = Form(
    (
        Field(name="title", label="Title"),
        Field(name="report", label="Report", kind="area", required=True, nullable=False),
        Field(name="priority", label="Priority", kind="choice", options=PRIORITIES, nullable=False,
              default="medium"),
        Field(name="status", label="Status", kind="choice", options=STATUSES, nullable=False,
              only="edit"),
        fields.DRIVER,
        fields.VEHICLE,
        fields.ORDER,
        Field(name="type", label="Type", placeholder="vehicle"),
        Field(name="category", label="Category", placeholder="bodywork"),
        Field(name="location", label="Location", kind="point", help="Latitude, longitude.",
              pin=True),
        Field(name="tags", label="Tags", kind="list", help="One per line."),
    )
)  # fmt: skip


def is_closed(issue: Any) -> bool:  # noqa: ANN401 - JSON
    return issue["status"] in CLOSED_STATUSES


async def _load_related(client: ApiClient, record: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load the photos of an issue."""
    photos = await client.get("/v1/issues/{issue_id}/photos", issue_id=record["id"])
    return {"photos": [(picture_path(photo), picture_path(photo, "url")) for photo in photos]}


ISSUES: Final = Records(
    "/v1/issues",
    title_path="title",
    columns=(
        Column("Issue", "title", "title"),
        Column("Priority", "priority", "standing"),
        columns.STATUS,
        columns.VEHICLE,
        columns.DRIVER,
        Column("Category", "category", "words", wide=True),
        Column("Reported", "created_at", "ago"),
    ),
    facts=(
        Column("Report", "report"),
        "priority",
        "status",
        "vehicle",
        "driver",
        columns.ORDER,
        columns.TYPE,
        "category",
        Column("Tags", "tags", "list"),
        Column("Location", "location", "coordinates"),
        Column("Reported", "created_at", "time"),
        Column("Resolution", "resolution"),
        Column("Resolved", "resolved_at", "time"),
    ),
    filters=(
        Field(name="query", label="Title, report or category"),
        fields.make_status_field(STATUSES),
        Field(name="resolved", label="Resolved", kind="choice",
              options=(("false", "No"), ("true", "Yes"))),
        Field(name="priority", label="Priority", kind="choice", options=PRIORITIES),
        fields.VEHICLE,
        fields.DRIVER,
    ),
    form=FORM,
    record_template="issues/issue.html",
    load_related=_load_related,
    actions=(
        Action("resolve", "Resolve", "POST", "/v1/issues/{issue_id}/resolve", "circle-check",
               "Issue resolved.", condition=lambda issue: issue["resolved_at"] is None,
               form=Form((Field(name="resolution", label="Resolution", kind="area"),))),
        Action("reopen", "Reopen", "POST", "/v1/issues/{issue_id}/reopen", "rotate-ccw",
               "Issue reopened.", condition=is_closed),
    ),
    live_events="issue.",
    empty="No issues. Report one here, or have drivers report them in the app.",
)  # fmt: skip
handlers: Final = ISSUES.make_handlers()
