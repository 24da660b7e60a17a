# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.plans`."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import OMITTED, Omitted, Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class PlansListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    state: types.PlanState | Sequence[types.PlanState]
    """Any of these."""
    day: str
    """A day between the years 1970 and 2100."""


class Plans:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def accept(self, plan_id: str, /, *, options: Options | None = None) -> types.PlanDetailOut:
        """Assign the orders of a plan to its drivers, all of them or none."""
        return self._transport.call(
            "POST", fill_path("/v1/plans/{plan_id}/accept", plan_id), options=options
        )

    def cancel(self, plan_id: str, /, *, options: Options | None = None) -> types.PlanDetailOut:
        """Cancel a queued or running plan."""
        return self._transport.call(
            "POST", fill_path("/v1/plans/{plan_id}/cancel", plan_id), options=options
        )

    def create(
        self,
        *,
        from_: Literal["now", "start"] | Omitted = OMITTED,
        options: Options | None = None,
        **fields: Unpack[types.PlanIn],
    ) -> types.PlanDetailOut:
        """Request a plan."""
        return self._transport.call(
            "POST", "/v1/plans", body={**fields, "from": from_}, options=options
        )

    def get(self, plan_id: str, /, *, options: Options | None = None) -> types.PlanDetailOut:
        """Retrieve a plan with its routes."""
        return self._transport.call(
            "GET", fill_path("/v1/plans/{plan_id}", plan_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[PlansListQuery]
    ) -> Pages[types.PlanOut]:
        """List plans without their routes, sorted by `created_at`."""
        return self._transport.list_pages("/v1/plans", query=query, options=options)

    def list_lines(
        self, plan_id: str, /, *, options: Options | None = None
    ) -> builtins.list[types.PlanLineOut]:
        """Draw the routes of a plan along streets, or as straight lines without a routing engine."""
        return self._transport.call(
            "GET", fill_path("/v1/plans/{plan_id}/lines", plan_id), options=options
        )

    def preview(
        self, plan_id: str, /, *, options: Options | None = None, **fields: Unpack[types.PlanEditIn]
    ) -> types.PlanPreviewOut:
        """Preview an edit of a plan."""
        return self._transport.call(
            "POST", fill_path("/v1/plans/{plan_id}/preview", plan_id), body=fields, options=options
        )

    def revert(
        self, plan_id: str, /, *, options: Options | None = None, **fields: Unpack[types.RevertIn]
    ) -> types.PlanDetailOut:
        """Give the orders of an accepted plan back to the drivers who had them before."""
        return self._transport.call(
            "POST", fill_path("/v1/plans/{plan_id}/revert", plan_id), body=fields, options=options
        )

    def update(
        self, plan_id: str, /, *, options: Options | None = None, **fields: Unpack[types.PlanEditIn]
    ) -> types.PlanDetailOut:
        """Edit a plan that is done: move orders between drivers, and lock orders."""
        return self._transport.call(
            "PATCH", fill_path("/v1/plans/{plan_id}", plan_id), body=fields, options=options
        )


class AsyncPlans:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def accept(
        self, plan_id: str, /, *, options: Options | None = None
    ) -> types.PlanDetailOut:
        """Assign the orders of a plan to its drivers, all of them or none."""
        return await self._transport.call(
            "POST", fill_path("/v1/plans/{plan_id}/accept", plan_id), options=options
        )

    async def cancel(
        self, plan_id: str, /, *, options: Options | None = None
    ) -> types.PlanDetailOut:
        """Cancel a queued or running plan."""
        return await self._transport.call(
            "POST", fill_path("/v1/plans/{plan_id}/cancel", plan_id), options=options
        )

    async def create(
        self,
        *,
        from_: Literal["now", "start"] | Omitted = OMITTED,
        options: Options | None = None,
        **fields: Unpack[types.PlanIn],
    ) -> types.PlanDetailOut:
        """Request a plan."""
        return await self._transport.call(
            "POST", "/v1/plans", body={**fields, "from": from_}, options=options
        )

    async def get(self, plan_id: str, /, *, options: Options | None = None) -> types.PlanDetailOut:
        """Retrieve a plan with its routes."""
        return await self._transport.call(
            "GET", fill_path("/v1/plans/{plan_id}", plan_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[PlansListQuery]
    ) -> AsyncPages[types.PlanOut]:
        """List plans without their routes, sorted by `created_at`."""
        return self._transport.list_pages("/v1/plans", query=query, options=options)

    async def list_lines(
        self, plan_id: str, /, *, options: Options | None = None
    ) -> builtins.list[types.PlanLineOut]:
        """Draw the routes of a plan along streets, or as straight lines without a routing engine."""
        return await self._transport.call(
            "GET", fill_path("/v1/plans/{plan_id}/lines", plan_id), options=options
        )

    async def preview(
        self, plan_id: str, /, *, options: Options | None = None, **fields: Unpack[types.PlanEditIn]
    ) -> types.PlanPreviewOut:
        """Preview an edit of a plan."""
        return await self._transport.call(
            "POST", fill_path("/v1/plans/{plan_id}/preview", plan_id), body=fields, options=options
        )

    async def revert(
        self, plan_id: str, /, *, options: Options | None = None, **fields: Unpack[types.RevertIn]
    ) -> types.PlanDetailOut:
        """Give the orders of an accepted plan back to the drivers who had them before."""
        return await self._transport.call(
            "POST", fill_path("/v1/plans/{plan_id}/revert", plan_id), body=fields, options=options
        )

    async def update(
        self, plan_id: str, /, *, options: Options | None = None, **fields: Unpack[types.PlanEditIn]
    ) -> types.PlanDetailOut:
        """Edit a plan that is done: move orders between drivers, and lock orders."""
        return await self._transport.call(
            "PATCH", fill_path("/v1/plans/{plan_id}", plan_id), body=fields, options=options
        )
