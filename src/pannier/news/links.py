"""Where news lead."""


def page(base_url: str, number: str) -> str:
    """Name the page on which a delivery is followed."""
    return f"{base_url.rstrip('/')}/t/{number}"


def way_out(base_url: str, number: str) -> str:
    """Name the page on which news are stopped."""
    return f"{page(base_url, number)}/news"
