"""Undo of assignments and schedules.

A page offers it after the change. It restores the earlier driver, vehicle and schedule with an
ordinary change of the order, and only if nothing else has changed the order since.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from pannier.console.api_client import ApiClient
from pannier.console.session import FormData
from pannier.errors import Invalid, Problem

STEP_FIELD: Final = "step"
MAX_STEPS: Final = 60
ORDER_PATH: Final = "/v1/orders/{order_id}"
# The fields of an order that can be restored, and their names in a change.
RECORD_FIELDS: Final = {"driver": "driver_assigned", "vehicle": "vehicle_assigned"}


class UndoStep(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The earlier values of an order, and its version after the change."""

    order: str
    version: int
    driver: str | UnsetType | None = UNSET
    vehicle: str | UnsetType | None = UNSET
    scheduled_at: str | UnsetType | None = UNSET

    @classmethod
    def from_change(cls, before: Any, after: Any) -> "UndoStep | None":  # noqa: ANN401 - JSON
        """Return the step that undoes a change, or None if it cannot or need not be undone."""
        # Somebody else may have changed the order between the two reads.
        is_single_change = after["version"] == before["version"] + 1
        if not is_single_change or after["status"] != before["status"]:
            return None
        values = {
            **{name: _get_id(before[path]) for name, path in RECORD_FIELDS.items()},
            "scheduled_at": before["scheduled_at"],
        }
        new_values = {
            **{name: _get_id(after[path]) for name, path in RECORD_FIELDS.items()},
            "scheduled_at": after["scheduled_at"],
        }
        if values == new_values:
            return None
        # A driver brings a vehicle, so both are restored together.
        names = {name for name, value in values.items() if value != new_values[name]}
        names |= {"vehicle"} if "driver" in names else set()
        return cls(
            order=after["id"],
            version=after["version"],
            **{name: value for name, value in values.items() if name in names},
        )

    def make_body(self) -> dict[str, Any]:
        """Build the body of the change that restores the values."""
        values = {name: getattr(self, name) for name in (*RECORD_FIELDS, "scheduled_at")}
        return {name: value for name, value in values.items() if value is not UNSET}


def _get_id(record: Mapping[str, Any] | None) -> str | None:
    return None if record is None else str(record["id"])


def encode_step(step: UndoStep) -> str:
    return msgspec.json.encode(step).decode()


def decode_step(text: str) -> UndoStep | None:
    """Decode a step. Return None for any other text."""
    try:
        return msgspec.json.decode(text, type=UndoStep)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None


def read_steps(form_data: FormData) -> list[UndoStep]:
    """Read the steps of a form, one for each order."""
    texts = form_data.get_all(STEP_FIELD)
    steps = {step.order: step for step in map(decode_step, texts[:MAX_STEPS]) if step is not None}
    if not steps or len(steps) != len(texts):
        raise Invalid("Nothing was undone. Open the order to change it.")
    # Orders are changed in a fixed sequence, so that two requests cannot deadlock.
    return [steps[order] for order in sorted(steps)]


async def run_steps(client: ApiClient, steps: Sequence[UndoStep]) -> dict[str, Problem | None]:
    """Run each step on its own. Return the problem of each order, if it was refused."""
    return {
        step.order: await client.try_send(
            "PATCH", ORDER_PATH, step.make_body(), version=step.version, order_id=step.order
        )
        for step in steps
    }
