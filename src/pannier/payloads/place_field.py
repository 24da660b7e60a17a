"""The JSON type of a place in a payload."""

from typing import Annotated, Any

from msgspec import Meta

from pannier.places.schemas import PLACE_FORMS, PlaceObject
from pannier.web.compatibility import OBJECT_KEY

AnyPlace = Annotated[
    str | dict[str, Any] | list[Any],
    Meta(
        description="A place's identifier, an address as text or as an object, or a point.",
        examples=["place_8KfR2yLq0VbN6wTd"],
        extra={OBJECT_KEY: PlaceObject},
        extra_json_schema=PLACE_FORMS,
    ),
]
