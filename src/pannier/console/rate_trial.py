"""The trial of a rate: the price of an example shipment, before or after the rate is saved."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from pannier.console import lookup, shipments
from pannier.console.amounts import to_minor_amounts
from pannier.console.api_client import ApiClient
from pannier.console.forms import Form
from pannier.console.session import FormData
from pannier.errors import Problem

PREVIEW: Final = "/int/v1/service-rates/preview"
TRIAL_PREFIX: Final = "try."
TRIAL_FORM: Final = Form(
    tuple(
        msgspec.structs.replace(
            field,
            name=f"{TRIAL_PREFIX}{field.name}",
            help="In the rate's currency." if field.kind == "money" else field.help,
        )
        for field in shipments.FIELDS
    )
)


class TrialResult(NamedTuple):
    """The price of a trial shipment, or the errors."""

    priced: Any = None
    # The names of the pickup and the drop-off.
    ends: Sequence[str] = ()
    errors: Sequence[str] = ()
    problem: Problem | None = None

    @property
    def rate(self) -> Any:  # noqa: ANN401 - JSON
        """The rate's result, if the shipment was valid."""
        return self.priced["rates"][0] if self.priced and self.priced["rates"] else None


async def price_shipment(
    client: ApiClient,
    form: Form,
    form_data: FormData,
    zone: ZoneInfo,
    rate: Mapping[str, Any],
    currency: str,
) -> TrialResult:
    """Price the submitted shipment. The result has the price or the errors."""
    try:
        form_data = await lookup.resolve_form(client, form.fields, form_data)
        body = form.make_body(to_minor_amounts(form_data, form.fields, currency), zone)
        shipment = shipments.to_body(body.get(TRIAL_PREFIX[:-1], body))
        preview = await client.send("POST", PREVIEW, {**shipment, **rate})
        return TrialResult(preview, await shipments.load_endpoint_names(client, shipment))
    except Problem as problem:
        return TrialResult(
            errors=shipments.list_messages(problem, shipments.LABELS), problem=problem
        )


async def load_trial_example(client: ApiClient) -> dict[str, str]:
    """Load the example shipment, with the field names of the trial form."""
    return {
        f"{TRIAL_PREFIX}{name}": value
        for name, value in (await shipments.load_example(client)).items()
    }
