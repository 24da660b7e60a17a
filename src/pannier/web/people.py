"""Types of people's names and contact details in requests and responses."""

from typing import Annotated

from msgspec import Meta

Name = Annotated[str, Meta(min_length=1, max_length=200, examples=["Ada Lovelace"])]
Email = Annotated[str, Meta(max_length=254, examples=["ada@example.com"])]
Phone = Annotated[
    str, Meta(max_length=64, description="With country code.", examples=["+6591234567"])
]
