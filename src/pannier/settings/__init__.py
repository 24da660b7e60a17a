"""One frozen Settings, read once from `PANNIER_*` variables."""

from pannier.settings.folder import sync_folder
from pannier.settings.loader import PREFIX, Settings, load
from pannier.settings.secret import (
    load_or_create_secret,
    load_secret,
    make_secret,
    replace_secret,
    store_secrets,
)
from pannier.settings.values import Algorithm, SettingsError

__all__ = [
    "PREFIX",
    "Algorithm",
    "Settings",
    "SettingsError",
    "load",
    "load_or_create_secret",
    "load_secret",
    "make_secret",
    "replace_secret",
    "store_secrets",
    "sync_folder",
]
