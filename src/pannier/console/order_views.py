"""The operator's saved views of the list of orders."""

from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from pannier.accounts import permissions
from pannier.console.api_client import ApiClient

VIEWS_PATH: Final = "/int/v1/saved-views"
VIEW_PATH: Final = f"{VIEWS_PATH}/{{saved_view_id}}"
# Parameters of the page that are not part of a view.
TRANSIENT: Final = frozenset({"cursor", "once", "csrf"})
MAX_LISTED: Final = "100"


async def load_views(client: ApiClient, query: str) -> list[dict[str, Any]]:
    """Load the views that the operator can open, own ones first. `query` is the page's."""
    filters = {"list_name": "orders", "sort": "name", "limit": MAX_LISTED}
    views = (await client.list_rows(VIEWS_PATH, filters)).rows
    current_query = to_view_query(query)
    is_admin = permissions.has_role(client.caller.role, "admin")
    return [
        {
            **view,
            "is_current": bool(current_query) and view["query"] == current_query,
            "can_delete": view["own"] or is_admin,
        }
        for view in sorted(views, key=lambda view: not view["own"])
    ]


def to_view_query(query: str) -> str:
    """Return the filters, sorting and layout of a page's query."""
    pairs = [(name, value) for name, value in parse_qsl(query) if name not in TRANSIENT]
    return urlencode(pairs)
