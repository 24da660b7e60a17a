"""Loading and validation of the settings in `PANNIER_*` variables."""

import contextlib
import os
from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import inspect

from pannier.settings.folder import reject_unusable_folder
from pannier.settings.providers import ProviderSettings
from pannier.settings.values import SettingsError

PREFIX: Final = "PANNIER_"
MIN_SECRET_LENGTH: Final = 32


class Settings(ProviderSettings, frozen=True, kw_only=True):
    """All settings. Each field is read from the variable `PANNIER_<NAME>`.

    The areas extend each other in a chain, because a Struct can have only one base.
    """


def load(environment: Mapping[str, str] | None = None, **overrides: str | None) -> Settings:
    """Load the settings. `overrides` come from the command line and take precedence."""
    variables = os.environ if environment is None else environment
    values: dict[str, str] = {
        name: variables[PREFIX + name.upper()]
        for name in Settings.__struct_fields__
        if variables.get(PREFIX + name.upper(), "") != ""
    }
    values.update({name: value for name, value in overrides.items() if value})
    try:
        settings = msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise SettingsError(_describe_setting(str(error).rpartition("$.")[2].rstrip("`"))) from None
    if settings.secret is not None and len(settings.secret) < MIN_SECRET_LENGTH:
        raise SettingsError("PANNIER_SECRET is too short: use at least 32 random characters.")
    if any(len(secret) < MIN_SECRET_LENGTH for secret in settings.older_secrets):
        raise SettingsError(
            "PANNIER_OLD_SECRETS contains a value of fewer than 32 characters. Remove it."
        )
    with (
        reject_unusable_folder(settings.folder),
        contextlib.suppress(FileNotFoundError, NotADirectoryError),
    ):
        settings.folder.stat()
    return settings


def _describe_setting(name: str) -> str:
    """Describe a setting's valid values. Omit the invalid value, because it may be a secret."""
    field = next(field for field in msgspec.structs.fields(Settings) if field.name == name)
    return (
        f"{PREFIX}{name.upper()} is invalid: use {_describe_type(inspect.type_info(field.type))}."
    )


def _describe_type(setting_type: inspect.Type) -> str:
    match setting_type:
        case inspect.Metadata(type=inner):
            return _describe_type(inner)
        case inspect.UnionType(types=members):
            return next(
                _describe_type(member)
                for member in members
                if not isinstance(member, inspect.NoneType)
            )
        case inspect.IntType(ge=int(minimum), le=int(maximum)):
            return f"a whole number from {minimum} to {maximum}"
        case inspect.IntType(ge=int(minimum)):
            return f"a whole number, {minimum} or more"
        case inspect.LiteralType(values=values):
            return f"one of {', '.join(sorted(map(str, values)))}"
        case inspect.BoolType():
            return "true or false"
        case inspect.StrType(pattern=str(pattern)):
            return f"an address that begins with {pattern.removeprefix('^')}"
    return "text"
