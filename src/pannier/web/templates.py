"""Jinja environments of packages with templates."""

from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

# The beginning of every page's head.
HEAD_META: Final = Markup("""\
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">""")


def make_environment(package: str) -> Environment:
    """Make the environment of a package's templates, with escaping and strict names."""
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["about"] = HEAD_META
    return environment
