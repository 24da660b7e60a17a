"""Change storefronts and their sign-in providers."""

from typing import Any, Final
from uuid import UUID

import msgspec
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from msgspec import UNSET
from msgspec.structs import replace

from pannier.accounts.company_settings import service as company_settings
from pannier.accounts.models import AppleConfig, FacebookConfig, GoogleConfig, Store, StoreProviders
from pannier.accounts.queries import STORES
from pannier.accounts.stores.schemas import (
    ProviderAIn,
    ProviderBIn,
    ProviderCIn,
    ProvidersChange,
    ProvidersOut,
    StorefrontChange,
)
from pannier.db import Db
from pannier.db.sealing import SealedTable
from pannier.errors import FieldError, Invalid, parse_field
from pannier.kit.crypto import Keyring
from pannier.web.fields import Clearable

SEALING_PURPOSE: Final = "provider secret"


def seal(keys: Keyring, store: UUID, secret: str) -> bytes:
    """Encrypt a store's secret for storage."""
    return keys.seal(SEALING_PURPOSE, secret.encode(), context=store.bytes)


def unseal(keys: Keyring, store: UUID, sealed: bytes | None) -> str | None:
    """Decrypt a store's secret; None if it has none that was encrypted for it."""
    opened = None if sealed is None else keys.unseal(SEALING_PURPOSE, sealed, context=store.bytes)
    return None if opened is None else opened.decode()


def reseal(keys: Keyring, store: Store) -> dict[str, Any]:
    """Encrypt a store's secrets with the current key; return the columns that contain them."""

    def reseal_secret(sealed: bytes | None) -> bytes | None:
        if sealed is None:
            return None
        return keys.reseal(SEALING_PURPOSE, sealed, context=store.uuid.bytes)

    a, c = store.providers.a, store.providers.c
    providers = replace(
        store.providers,
        a=None if a is None else replace(a, private_key=reseal_secret(a.private_key)),
        c=None if c is None else replace(c, app_secret=reseal_secret(c.app_secret)),
    )
    return {"providers": providers}


SEALED: Final = SealedTable("stores", Store, reseal)


async def change(db: Db, store: Store, changes: StorefrontChange) -> Store:
    """Change a storefront; the audit log records everything but the secrets."""
    wanted: dict[str, Any] = {}
    if changes.name is not UNSET:
        wanted["name"] = changes.name
    if changes.providers is not UNSET:
        wanted["providers"] = _merge_providers(db.database.keys, store, changes.providers)
    if changes.settings is not UNSET:
        wanted["settings"] = await company_settings.merge_store_settings(
            db, store.company, store.settings, changes.settings
        )
    changed = msgspec.structs.replace(store, **wanted)
    details = {
        "name": changed.name,
        "providers": msgspec.to_builtins(ProvidersOut.from_providers(changed.providers)),
        "settings": msgspec.to_builtins(changed.settings),
    }
    saved, _ = await STORES.change(db, store, log_details=details, **wanted)
    db.cache.clear()
    return saved


def _merge_providers(keys: Keyring, store: Store, changes: ProvidersChange) -> StoreProviders:
    kept = store.providers
    return StoreProviders(
        a=kept.a if changes.a is UNSET else _make_apple(keys, store, changes.a),
        b=kept.b if changes.b is UNSET else _make_google(changes.b),
        c=kept.c if changes.c is UNSET else _make_facebook(keys, store, changes.c),
    )


def _make_apple(keys: Keyring, store: Store, given: ProviderAIn | None) -> AppleConfig | None:
    if given is None:
        return None
    if isinstance(given.private_key, str):
        parse_field("providers.a.private_key", _check_private_key, given.private_key)
    present = None if store.providers.a is None else store.providers.a.private_key
    secret = _seal_new_secret(keys, store, given.private_key, present)
    parts = {"team_id": given.team_id, "key_id": given.key_id, "private_key": secret}
    missing = [name for name, part in parts.items() if part is None]
    if 0 < len(missing) < len(parts):
        sentence = "Send `team_id`, `key_id` and `private_key` together."
        raise Invalid(fields=[FieldError(f"providers.a.{name}", sentence) for name in missing])
    return AppleConfig(
        audiences=_remove_duplicates(given.audiences),
        team_id=given.team_id,
        key_id=given.key_id,
        private_key=secret,
    )


def _make_google(given: ProviderBIn | None) -> GoogleConfig | None:
    return None if given is None else GoogleConfig(client_ids=_remove_duplicates(given.client_ids))


def _make_facebook(keys: Keyring, store: Store, given: ProviderCIn | None) -> FacebookConfig | None:
    if given is None:
        return None
    present = None if store.providers.c is None else store.providers.c.app_secret
    secret = _seal_new_secret(keys, store, given.app_secret, present)
    return FacebookConfig(app_id=given.app_id, app_secret=secret, mode=given.mode)


def _remove_duplicates(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _seal_new_secret(
    keys: Keyring, store: Store, new: Clearable[str], current: bytes | None
) -> bytes | None:
    """Seal a new secret; keep the current one when none was sent, or the same one."""
    if new is UNSET or (new is not None and unseal(keys, store.uuid, current) == new):
        return current
    return None if new is None else seal(keys, store.uuid, new)


def _check_private_key(pem: str) -> None:
    try:
        key = load_pem_private_key(pem.encode(), password=None)
    except (ValueError, TypeError):
        raise ValueError("must be a private key in PEM format.") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256R1):
        raise ValueError("must be an elliptic-curve key on P-256.")  # noqa: TRY004 - of the right type, and wrong
