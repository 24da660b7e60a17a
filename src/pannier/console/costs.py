"""Forms with a cost: an amount in major units beside its currency."""

from collections.abc import Mapping
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

from pannier.console.amounts import amounts_to_major, amounts_to_minor
from pannier.console.api_client import ApiClient
from pannier.console.forms import Field, Form
from pannier.console.records import Records
from pannier.console.session import FormData
from pannier.errors import FieldError as Offence
from pannier.errors import Invalid

CURRENCY: Final = Field(name="currency", label="Cost currency", placeholder="SGD")
CURRENCY_NEEDED: Final = "Enter the currency of the cost, such as SGD."


class CostForm(Form, frozen=True):
    """A form with a field of kind `money`, named by `cost`, and one for its currency."""

    cost: str

    def fill(self, record: Any, zone: ZoneInfo) -> dict[str, str]:  # noqa: ANN401 - any JSON
        values = super().fill(record, zone)
        return amounts_to_major(values, self.fields, values["currency"])

    def body(
        self,
        form_data: FormData,
        zone: ZoneInfo,
        mode: Literal["new", "edit"] = "new",
        before: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Make the body of a call. The cost and its currency are sent together, if they changed."""
        other_fields = [
            field for field in self.fields if field.name not in {self.cost, CURRENCY.name}
        ]
        body = Form(other_fields).body(form_data, zone, mode, before)
        cost_text, currency = (
            form_data.get(name, "").strip() for name in (self.cost, CURRENCY.name)
        )
        previous = {} if before is None else before
        if (cost_text, cost_text and currency) == (
            previous.get(self.cost, ""),
            previous.get(CURRENCY.name, ""),
        ):
            return body
        if not cost_text:
            return {**body, self.cost: None} if previous.get(self.cost) else body
        if not currency:
            raise Invalid(fields=[Offence(CURRENCY.name, CURRENCY_NEEDED)])
        minor = amounts_to_minor(form_data, self.fields, currency.upper())
        return {**body, self.cost: int(minor[self.cost]), CURRENCY.name: currency}


class CostRecords(Records):
    """Pages of records with a cost. Their form suggests the company's currency."""

    async def render_form(
        self,
        client: ApiClient,
        record: Any,  # noqa: ANN401 - JSON
        values: Mapping[str, str],
        **more: Any,  # noqa: ANN401 - as the base class takes them
    ) -> Any:  # noqa: ANN401 - a response
        home = (await client.get("/int/v1/settings"))["currency"] or ""
        suggested = {**values, CURRENCY.name: values.get(CURRENCY.name) or home}
        return await super().render_form(client, record, suggested, **more)
