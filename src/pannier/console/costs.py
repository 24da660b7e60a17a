"""Forms with a cost: an amount in major units and its currency."""

from collections.abc import Mapping
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

from pannier.console.amounts import to_major_amounts, to_minor_amounts
from pannier.console.api_client import ApiClient
from pannier.console.forms import Field, Form
from pannier.console.records import Records
from pannier.console.session import FormData
from pannier.errors import FieldError as Offence
from pannier.errors import Invalid

CURRENCY: Final = Field(name="currency", label="Cost currency", placeholder="SGD")
CURRENCY_NEEDED: Final = "Enter the currency of the cost, such as SGD."


class CostForm(Form, frozen=True):
    """A form with an amount, in the field named by `cost`, and its currency."""

    cost: str

    def fill(self, record: Any, zone: ZoneInfo) -> dict[str, str]:  # noqa: ANN401 - any JSON
        values = super().fill(record, zone)
        return to_major_amounts(values, self.fields, values["currency"])

    def make_body(
        self,
        form_data: FormData,
        zone: ZoneInfo,
        mode: Literal["new", "edit"] = "new",
        previous_values: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Build the request body. A changed cost is sent together with its currency."""
        other_fields = [
            field for field in self.fields if field.name not in {self.cost, CURRENCY.name}
        ]
        body = Form(other_fields).make_body(form_data, zone, mode, previous_values)
        cost_text, currency = (
            form_data.get(name, "").strip() for name in (self.cost, CURRENCY.name)
        )
        previous_texts = {} if previous_values is None else previous_values
        if (cost_text, cost_text and currency) == (
            previous_texts.get(self.cost, ""),
            previous_texts.get(CURRENCY.name, ""),
        ):
            return body
        if not cost_text:
            return {**body, self.cost: None} if previous_texts.get(self.cost) else body
        if not currency:
            raise Invalid(fields=[Offence(CURRENCY.name, CURRENCY_NEEDED)])
        minor_amounts = to_minor_amounts(form_data, self.fields, currency.upper())
        return {**body, self.cost: int(minor_amounts[self.cost]), CURRENCY.name: currency}


class CostRecords(Records):
    """Pages of records with a cost. Their form suggests the company's currency."""

    async def render_form(
        self,
        client: ApiClient,
        record: Any,  # noqa: ANN401 - JSON
        values: Mapping[str, str],
        **options: Any,  # noqa: ANN401 - options of the base class
    ) -> Any:  # noqa: ANN401 - a response
        company_currency = (await client.get("/int/v1/settings"))["currency"] or ""
        suggested_values = {**values, CURRENCY.name: values.get(CURRENCY.name) or company_currency}
        return await super().render_form(client, record, suggested_values, **options)
