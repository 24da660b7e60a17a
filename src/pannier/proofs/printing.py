"""Conversion of a proof sheet to a PDF."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, TypeVar
from zoneinfo import ZoneInfo

import msgspec
from msgspec.structs import replace

from pannier.proofs import sandbox
from pannier.proofs.models import ChainHead
from pannier.proofs.sheet import Sheet
from pannier.proofs.signing import PublicKey

# Fifty stored pictures of the largest size take a tenth of this.
PRINT_CPU_SECONDS: Final = 20

StructType = TypeVar("StructType", bound=msgspec.Struct)


def render_pdf(sheet: Sheet) -> bytes:
    """Render a sheet as a PDF, with times in the sheet's time zone."""
    from pannier.proofs.pdf import pages  # noqa: PLC0415 - imports take half a second

    return pages.render_pdf(convert_times(shrink_pictures(sheet), ZoneInfo(sheet.zone)))


def shrink_pictures(sheet: Sheet) -> Sheet:
    """Shrink all pictures of a sheet to print size, in the sandbox."""
    exhibits = [exhibit for stop in sheet.stops for exhibit in stop.exhibits]
    print_pictures = shrink_images([sheet.logo, *(exhibit.picture for exhibit in exhibits)])
    if not print_pictures:
        return sheet

    def find_print_picture(data: bytes | None) -> bytes | None:
        return None if data is None else print_pictures.get(data)

    stops = tuple(
        replace(
            stop,
            exhibits=tuple(
                replace(exhibit, picture=find_print_picture(exhibit.picture))
                for exhibit in stop.exhibits
            ),
        )
        for stop in sheet.stops
    )
    return replace(sheet, logo=find_print_picture(sheet.logo), stops=stops)


def shrink_images(images: Sequence[bytes | None]) -> Mapping[bytes, bytes | None]:
    """Shrink images to print size, in the sandbox. Unreadable ones become None."""
    unique_images = list(dict.fromkeys(data for data in images if data))
    if not unique_images:
        return {}
    output = sandbox.run("prints", unique_images, seconds=PRINT_CPU_SECONDS)
    return {
        data: result.files[0] if result.report.readable else None
        for data, result in zip(unique_images, output.parts, strict=False)
    }


def convert_times(struct: StructType, zone: ZoneInfo) -> StructType:
    """Convert the times of a struct and its nested structs to a time zone."""
    fields = {name: getattr(struct, name) for name in struct.__struct_fields__}
    return replace(struct, **{name: _convert_value(value, zone) for name, value in fields.items()})


def _convert_value(value: object, zone: ZoneInfo) -> object:
    match value:
        case datetime():
            return value.astimezone(zone)
        case tuple():
            return tuple(_convert_value(item, zone) for item in value)
        case ChainHead() | PublicKey():  # signed statements keep UTC
            return value
        case msgspec.Struct():
            return convert_times(value, zone)
    return value
