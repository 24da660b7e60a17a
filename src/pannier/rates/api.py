"""Routes of rates: programs by key; in the console, viewers read and admins change."""

from typing import Final

from pannier.accounts import auth, doors
from pannier.errors import NotFound
from pannier.rates import queries, service
from pannier.rates.quotes import api as quotes
from pannier.web.resources import Resource

rates: Final = Resource(
    queries.RATES,
    create=service.create_rate,
    change=service.change_rate,
    page=queries.rate_page,
    show=queries.shown_rates,
    problems={
        "create": [NotFound, service.ServiceRateLimit],
        "change": [NotFound],
        "list": [NotFound],
    },
    says={
        "create": "Create a rate. A rate that could not compute a price is rejected.",
        "change": "Change a rate. Each change adds a version; quotes keep theirs.",
        "delete": "Delete a rate. Its quotes stay valid until they expire.",
    },
)
routers: Final = (
    doors.for_keys("Service rates", "service-rates", rates.handlers()),
    doors.for_operators(
        "Service rates",
        "viewer",
        rates.handlers(wrapped=True, named="_as_operator", changing=auth.operator("admin")),
    ),
    *quotes.routers,
)
