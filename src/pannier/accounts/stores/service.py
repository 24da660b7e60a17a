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


def unseal(keys: Keyring, store: UUID, ciphertext: bytes | None) -> str | None:
    """Decrypt a store's secret; return None if there is none, or if it is another store's."""
    plaintext = (
        None
        if ciphertext is None
        else keys.unseal(SEALING_PURPOSE, ciphertext, context=store.bytes)
    )
    return None if plaintext is None else plaintext.decode()


def reseal(keys: Keyring, store: Store) -> dict[str, Any]:
    """Encrypt a store's secrets with the current key; return the columns that contain them."""

    def reseal_secret(ciphertext: bytes | None) -> bytes | None:
        if ciphertext is None:
            return None
        return keys.reseal(SEALING_PURPOSE, ciphertext, context=store.uuid.bytes)

    apple, facebook = store.providers.a, store.providers.c
    providers = replace(
        store.providers,
        a=apple and replace(apple, private_key=reseal_secret(apple.private_key)),
        c=facebook and replace(facebook, app_secret=reseal_secret(facebook.app_secret)),
    )
    return {"providers": providers}


SEALED: Final = SealedTable("stores", Store, reseal)


async def update_store(db: Db, store: Store, changes: StorefrontChange) -> Store:
    """Change a storefront; the audit log records everything but the secrets."""
    columns: dict[str, Any] = {}
    if changes.name is not UNSET:
        columns["name"] = changes.name
    if changes.providers is not UNSET:
        columns["providers"] = _merge_providers(db.database.keys, store, changes.providers)
    if changes.settings is not UNSET:
        columns["settings"] = await company_settings.merge_store_settings(
            db, store.company, store.settings, changes.settings
        )
    draft = msgspec.structs.replace(store, **columns)
    details = {
        "name": draft.name,
        "providers": msgspec.to_builtins(ProvidersOut.from_providers(draft.providers)),
        "settings": msgspec.to_builtins(draft.settings),
    }
    updated_store, _ = await STORES.change(db, store, log_details=details, **columns)
    db.cache.clear()
    return updated_store


def _merge_providers(keys: Keyring, store: Store, changes: ProvidersChange) -> StoreProviders:
    current_providers = store.providers
    return StoreProviders(
        a=current_providers.a if changes.a is UNSET else _make_apple(keys, store, changes.a),
        b=current_providers.b if changes.b is UNSET else _make_google(changes.b),
        c=current_providers.c if changes.c is UNSET else _make_facebook(keys, store, changes.c),
    )


def _make_apple(keys: Keyring, store: Store, config: ProviderAIn | None) -> AppleConfig | None:
    if config is None:
        return None
    if isinstance(config.private_key, str):
        parse_field("providers.a.private_key", _check_private_key, config.private_key)
    current_key = None if store.providers.a is None else store.providers.a.private_key
    secret = _seal_new_secret(keys, store, config.private_key, current_key)
    parts = {"team_id": config.team_id, "key_id": config.key_id, "private_key": secret}
    missing_names = [name for name, part in parts.items() if part is None]
    if 0 < len(missing_names) < len(parts):
        sentence = "Send `team_id`, `key_id` and `private_key` together."
        raise Invalid(
            fields=[FieldError(f"providers.a.{name}", sentence) for name in missing_names]
        )
    return AppleConfig(
        audiences=_remove_duplicates(config.audiences),
        team_id=config.team_id,
        key_id=config.key_id,
        private_key=secret,
    )


def _make_google(config: ProviderBIn | None) -> GoogleConfig | None:
    return (
        None if config is None else GoogleConfig(client_ids=_remove_duplicates(config.client_ids))
    )


def _make_facebook(
    keys: Keyring, store: Store, config: ProviderCIn | None
) -> FacebookConfig | None:
    if config is None:
        return None
    current_secret = None if store.providers.c is None else store.providers.c.app_secret
    secret = _seal_new_secret(keys, store, config.app_secret, current_secret)
    return FacebookConfig(app_id=config.app_id, app_secret=secret, mode=config.mode)


def _remove_duplicates(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _seal_new_secret(
    keys: Keyring, store: Store, new_secret: Clearable[str], current_secret: bytes | None
) -> bytes | None:
    """Seal a new secret. Keep the current one if none was sent, or the same one."""
    if new_secret is None:
        return None
    if new_secret is UNSET or unseal(keys, store.uuid, current_secret) == new_secret:
        return current_secret
    return seal(keys, store.uuid, new_secret)


def _check_private_key(pem: str) -> None:
    try:
        key = load_pem_private_key(pem.encode(), password=None)
    except (ValueError, TypeError):
        raise ValueError("must be a private key in PEM format.") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256R1):
        raise ValueError("must be an elliptic-curve key on P-256.")  # noqa: TRY004 - the text is of the right type
