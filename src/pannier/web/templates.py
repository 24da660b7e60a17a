"""Pages of a package, made of its templates."""

from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

# What the head of every page begins with.
ABOUT: Final = Markup("""\
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">""")


def environment(package: str) -> Environment:
    """Read the templates of a package: texts are escaped, and a name that is not known is wrong."""
    made = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["about"] = ABOUT
    return made
