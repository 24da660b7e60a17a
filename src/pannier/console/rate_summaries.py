"""Summaries of rates: "5 SGD + 0.80 SGD per km"."""

from collections.abc import Iterator
from typing import Any

from pannier.console.amounts import to_major
from pannier.console.tariff import METHOD


def summarise(rate: Any) -> str:  # noqa: ANN401 - JSON
    """Summarise a rate's pricing: "5 SGD + 0.80 SGD per km"."""
    fees = list(filter(None, [_format_base_fee(rate), *_describe_fees(rate)]))
    return " + ".join(fees) or "Free"


def _format_base_fee(rate: Any) -> str:  # noqa: ANN401 - JSON
    currency = rate["currency"]
    return f"{to_major(rate['base_fee'], currency)} {currency}" if rate["base_fee"] else ""


def _describe_fees(rate: Any) -> Iterator[str]:  # noqa: ANN401 - JSON
    currency, method = rate["currency"], rate[METHOD]
    if method == "per_meter":
        fee = to_major(rate["per_meter_flat_rate_fee"], currency)
        yield f"{fee} {currency} per {rate['per_meter_unit']}"
    elif method == "algorithm":
        yield str(rate["algorithm"])
    else:
        list_names = {"fixed_rate": "meter_fees", "per_drop": "drop_fees", "parcel": "parcel_fees",
                 "weight": "weight_fees", "volume": "volume_fees"}  # fmt: skip
        fees = [row["fee"] for row in rate[list_names.get(method, "zone_fees")]]
        if fees:
            lowest, highest = (to_major(bound, currency) for bound in (min(fees), max(fees)))
            yield f"{lowest if lowest == highest else f'{lowest} to {highest}'} {currency}"
