"""Routes of rates: programs by key; in the console, viewers read and admins change."""

from typing import Final

from pannier.accounts import api_routers, auth
from pannier.errors import NotFound
from pannier.rates import queries, service
from pannier.rates.quotes import api as quotes
from pannier.web.resources import Resource

rates: Final = Resource(
    queries.RATES,
    create=service.create_rate,
    change=service.change_rate,
    page=queries.list_rates,
    show=queries.load_rates_out,
    problems={
        "create": [NotFound, service.ServiceRateLimit],
        "change": [NotFound],
        "list": [NotFound],
    },
    summaries={
        "create": "Create a service rate. A rate that could not compute a price is rejected.",
        "change": "Update a service rate. Each change adds a version; quotes keep theirs.",
        "delete": "Delete a service rate. Its open quotes expire at once.",
    },
)
routers: Final = (
    api_routers.api_router("Service rates", "service-rates", rates.make_handlers()),
    api_routers.operator_router(
        "Service rates",
        "viewer",
        rates.make_handlers(with_envelope=True, write_check=auth.require_operator("admin")),
    ),
    *quotes.routers,
)
