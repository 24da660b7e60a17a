"""JSON schemas of issue photos. Forms use the same fields."""

from typing import Annotated

import msgspec
from msgspec import Meta

from pannier.fleet.issues.schemas import IssueIn, IssueOut
from pannier.orders.captures.schemas import Picture
from pannier.web.times import Time

Photos = Annotated[list[Picture], Meta(max_length=10)]
Link = Annotated[
    str,
    Meta(
        description="Valid for 15 minutes.",
        examples=["https://pannier.example.com/files/file_9dFg3HjK5lZx7CvB?expires=…"],
    ),
]


class IssuePhotosIn(msgspec.Struct, kw_only=True):
    """Photos of an issue."""

    photo: Picture | None = None
    photos: Photos = msgspec.field(default_factory=list)


class ReportIn(IssueIn, kw_only=True):
    """A new issue with photos."""

    photo: Picture | None = None
    photos: Photos = msgspec.field(default_factory=list)


class IssuePhotoOut(msgspec.Struct, kw_only=True):
    """A photo of an issue."""

    url: Link
    thumbnail_url: Link
    created_at: Time


class ReportedOut(IssueOut, kw_only=True):
    """An issue with its photos."""

    photos: list[IssuePhotoOut]
