"""API, storefront and app keys."""

import base64
from typing import Any, Final, NamedTuple

from litestar import Response

from pannier.accounts.models import KeyKind
from pannier.accounts.permissions import ALL_SCOPES, RESOURCES
from pannier.console import columns, fields, session
from pannier.console.actions import Action
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.forms import Field, Form, to_options
from pannier.console.records import Records, load_zone
from pannier.kit import labels
from pannier.web.exchange import Exchange
from pannier.web.routes import post

KINDS: Final = (
    ("api", "Server: your back end"),
    ("storefront", "Storefront: your store's website and apps"),
    ("app", "App: the driver app"),
)


class KeyForm(Form, frozen=True):
    """The form of a key. Only API keys have scopes."""

    def adapt_body(self, body: dict[str, Any]) -> dict[str, Any]:
        """Remove the scopes of a storefront or app key."""
        if body.get("kind") in {"storefront", "app"}:
            body.pop("scopes", None)
        return body


FORM: Final = KeyForm(
    (
        Field(
            name="kind", label="Type", kind="choice", options=KINDS, required=True, default="api",
            only="new",
        ),
        Field(
            name="name", label="Name", required=True, nullable=False,
            placeholder="Night dispatch", help="Identifies the key in lists and in the audit log.",
        ),
        Field(name="scopes", label="Scopes", kind="choices", nullable=False),
        Field(
            name="store", label="Storefront", kind="choice", only="new",
            help="Storefront keys only.",
        ),
        Field(
            name="expires_at", label="Expires", kind="moment", only="new",
            help="Leave empty for no expiry.",
        ),
    )
)  # fmt: skip
ROTATION: Final = Form(
    (
        Field(
            name="overlap_seconds", label="Old key expires after", kind="choice",
            required=True, numeric=True, default="86400", options=fields.GRACE_PERIODS,
        ),
    )
)  # fmt: skip


def is_active(record: Any) -> bool:  # noqa: ANN401 - JSON
    return record["revoked_at"] is None


async def _load_choices(client: ApiClient, _: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load the storefronts and the resources of scopes."""
    stores = (await client.list_rows("/int/v1/storefronts", {"limit": "100"})).rows
    return {"resources": RESOURCES, "everything": ALL_SCOPES, "stores": stores}


async def _load_related(client: ApiClient, record: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Return the rotation form, and the link to the driver app."""
    return {"rotation": ROTATION, "app_link": _make_app_link(client, record)}


class AppLink(NamedTuple):
    """The link that opens the driver app with an app key, and its QR code."""

    link: str
    picture: str
    # Browsers need HTTPS for cameras, positions and installation.
    secure: bool


def _make_app_link(client: ApiClient, record: Any) -> AppLink | None:  # noqa: ANN401 - JSON
    """Make the link of an app key. Its secret is only known right after the key is created."""
    if record["kind"] != "app" or not record.get("key"):
        return None
    base = client.exchange.edge.settings.base_url.rstrip("/")
    # Browsers never send the fragment, so the key is in no access log.
    link = f"{base}/driver#key={record['key']}"
    return AppLink(link, render_qr(link), base.startswith("https:"))


def render_qr(link: str) -> str:
    """Render the QR code of a link as a data URL."""
    return f"data:image/svg+xml;base64,{base64.b64encode(labels.render_qr(link, 'svg')).decode()}"


KEYS: Final = Records(
    "/int/v1/keys",
    columns=(
        columns.NAME,
        Column("Type", "kind", "standing"),
        Column("Prefix", "hint", "mono"),
        Column("Scopes", "scopes", "scopes", wide=True),
        Column("Last used", "last_used_at", "ago"),
        Column("Expires", "expires_at", "time", wide=True),
        Column("Revoked", "revoked_at", "time"),
    ),
    facts=(
        "kind",
        "hint",
        "scopes",
        "last_used_at",
        columns.CREATED,
        "expires_at",
        "revoked_at",
        Column("Replaced by", "replaced_by", "link", to="keys", quiet=True),
    ),
    filters=(
        Field(name="kind", label="Type", kind="choice", options=to_options(KeyKind)),
        Field(
            name="revoked", label="Revoked", kind="choice",
            options=(("false", "No"), ("true", "Yes")),
        ),
    ),
    form=FORM,
    actions=(
        Action(
            "revoke", "Revoke", "DELETE", "/int/v1/keys/{key_id}", "ban",
            "Key revoked.", danger=True, condition=is_active,
            question="Revoke this key? Requests with it are rejected immediately.",
        ),
    ),
    empty="No API keys yet. Create one to use the API.",
    record_template="keys/key.html",
    form_template="keys/form.html",
    load_related=_load_related,
    load_choices=_load_choices,
    deletable=False,
    shown_once="key",
)  # fmt: skip


@post("/keys/{key_id:str}/rotate", status_code=200)
async def rotate_key(exchange: Exchange, key_id: str) -> Response[bytes]:
    """Rotate a key, and show the new key once."""
    client = ApiClient(exchange)
    body = ROTATION.make_body(session.read_form(exchange), await load_zone(client))
    new_key = await client.send("POST", "/int/v1/keys/{key_id}/rotate", body, key_id=key_id)
    return await KEYS.render_record(client, new_key, secret=new_key["key"])


handlers: Final = [*KEYS.make_handlers(), rotate_key]
