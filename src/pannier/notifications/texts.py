"""Message texts from the catalogue, in the recipient's language."""

from pannier.kit import templates
from pannier.locales.catalogue import find_language, load_part


def compose(locale: str, key: str, **values: object) -> str:
    """Render the message text with the given key, such as `code.sign_in`."""
    template = load_part(find_language(locale), "messages")[key]
    return templates.fill(template, {name: str(value) for name, value in values.items()})
