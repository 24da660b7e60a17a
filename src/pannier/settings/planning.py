"""Planning of routes."""

from typing import Annotated

from msgspec import Meta

from pannier.settings.maps import MapSettings


class PlanningSettings(MapSettings, frozen=True, kw_only=True):
    """Planning of routes."""

    planners: Annotated[
        int,
        Meta(
            ge=0,
            le=32,
            description="Maximum concurrent plans per worker. Each uses one CPU core. With 0, the "
            "worker calculates no plans.",
        ),
    ] = 1
    planner_memory: Annotated[
        int,
        Meta(ge=256, le=65_536, description="Maximum memory of a planner in MiB."),
    ] = 3072
    plan_retention_days: Annotated[
        int, Meta(ge=1, description="Maximum days to keep plans and their stops.")
    ] = 60
