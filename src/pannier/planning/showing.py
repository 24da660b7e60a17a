"""Rendering plans as JSON."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from pannier.db import Db
from pannier.planning import queries
from pannier.planning.material import PlanResult
from pannier.planning.models import PlanRow
from pannier.planning.plan_out import (
    PlanDetailOut,
    PlanFailureOut,
    PlanFiguresOut,
    PlanOut,
)
from pannier.planning.rendering import PlanNames, load_names
from pannier.web.serialization import to_schema


async def load_plan_outs(db: Db, company: UUID, rows: Sequence[PlanRow]) -> list[PlanOut]:
    """Render plans without their routes."""
    base_ids = await _load_base_ids(db, company, rows)
    return [_to_plan_out(row, PlanOut, base_ids) for row in rows]


async def _load_base_ids(db: Db, company: UUID, rows: Sequence[PlanRow]) -> dict[UUID, str]:
    uuids = {row.based_on for row in rows if row.based_on is not None}
    return await queries.load_plan_ids(db, company, uuids) if uuids else {}


def _to_plan_out(
    row: PlanRow, schema: type[PlanOut], base_ids: Mapping[UUID, str], **fields: object
) -> PlanOut:
    return to_schema(
        row,
        schema,
        based_on=None if row.based_on is None else base_ids.get(row.based_on),
        summary=row.summary and to_schema(row.summary, PlanFiguresOut),
        present=row.present and to_schema(row.present, PlanFiguresOut),
        failure=row.failure and to_schema(row.failure, PlanFailureOut),
        **fields,
    )


async def load_plan_detail(db: Db, row: PlanRow) -> PlanDetailOut:
    """Render a plan with its routes."""
    company = row.company
    contents = await queries.load_contents(db, company, row.uuid)
    material, solution = contents.material, contents.solution
    names = None if material is None else await load_names(db, company, material)
    detail = _to_plan_out(
        row,
        PlanDetailOut,
        await _load_base_ids(db, company, [row]),
        roads=None if material is None else material.source,
        request=contents.request,
        **_to_detail_fields(names, solution),
    )
    assert isinstance(detail, PlanDetailOut)  # noqa: S101 - the schema above
    return detail


def _to_detail_fields(names: PlanNames | None, solution: PlanResult | None) -> dict[str, Any]:
    """Render the lists of a plan, which are empty until it is done."""
    if names is None or solution is None:
        fields = ("routes", "idle", "unassigned", "moves", "present_routes")
        return {field: [] for field in fields}
    return {
        "routes": names.to_routes(solution.plan),
        "idle": names.to_idle_drivers(solution.plan),
        "unassigned": names.to_unassigned(solution.plan.left_out),
        "moves": names.to_moves(solution.plan),
        "present_routes": names.to_routes(solution.present),
    }
