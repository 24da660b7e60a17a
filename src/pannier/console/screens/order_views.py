"""Saving, changing and deleting views of the list of orders."""

from typing import Final
from urllib.parse import urlsplit

from litestar import Response

from pannier.console import error_pages, order_views, responses, session
from pannier.console.api_client import ApiClient
from pannier.console.order_views import VIEW_PATH, VIEWS_PATH
from pannier.errors import Invalid
from pannier.web.exchange import Exchange
from pannier.web.routes import post

HOME: Final = "/console/orders"
NAME_NEEDED: Final = "Enter a name for the view."


@post("/orders/views", status_code=200)
async def save_view(exchange: Exchange) -> Response[bytes]:
    """Save the filters, sorting and layout of the page under a name. An own name is replaced."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    page_url = error_pages.get_previous_page_url(exchange)
    name = " ".join(form_data.get("name", "").split())
    if not name:
        raise Invalid(NAME_NEEDED)
    query = order_views.to_view_query(urlsplit(page_url).query)
    body = {
        "name": name,
        "query": query,
        "shared": form_data.get("shared") == "on",
        "is_default": form_data.get("is_default") == "on",
    }
    views = await order_views.load_views(client, query)
    same = [view for view in views if view["own"] and view["name"].casefold() == name.casefold()]
    if same:
        await client.send("PATCH", VIEW_PATH, body, saved_view_id=same[0]["id"])
    else:
        await client.send("POST", VIEWS_PATH, body)
    return responses.redirect_with_flash(exchange, page_url, message=f"View “{name}” saved.")


@post("/orders/views/{identifier:str}/{verb:str}", status_code=200)
async def change_view(exchange: Exchange, identifier: str, verb: str) -> Response[bytes]:
    """Delete a view, make it the default, or let the list open without one."""
    client = ApiClient(exchange)
    page_url = error_pages.get_previous_page_url(exchange)
    if verb == "delete":
        await client.send("DELETE", VIEW_PATH, saved_view_id=identifier)
        message = "View deleted."
    else:
        body = {"is_default": verb == "default"}
        await client.send("PATCH", VIEW_PATH, body, saved_view_id=identifier)
        message = "Default view set." if verb == "default" else "Default view removed."
    return responses.redirect_with_flash(exchange, page_url, message=message)


handlers: Final = [save_view, change_view]
