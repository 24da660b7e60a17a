"""One frozen Settings, read once from `PANNIER_*` variables."""

from pannier.settings.folder import sync_folder
from pannier.settings.loading import PREFIX, Settings, load
from pannier.settings.secret import kept_secret, new_secret, replace_secret, with_secret
from pannier.settings.values import Algorithm, SettingsError

__all__ = [
    "PREFIX",
    "Algorithm",
    "Settings",
    "SettingsError",
    "kept_secret",
    "load",
    "new_secret",
    "replace_secret",
    "sync_folder",
    "with_secret",
]
