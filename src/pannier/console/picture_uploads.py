"""Fields of settings whose value is an uploaded picture."""

from collections.abc import Mapping
from typing import Any, Final

from pannier.console.api_client import ApiClient
from pannier.console.forms import REMOVE_SUFFIX, Form
from pannier.console.session import FormData
from pannier.errors import FieldError, Invalid
from pannier.files.queries import PICTURE_TYPES
from pannier.files.uploads import Upload

FILES_PATH: Final = "/v1/files"
FILE_PATH: Final = "/v1/files/{file_id}"
URL_SUFFIX: Final = "~url"


async def load_picture_urls(
    client: ApiClient, form: Form, values: Mapping[str, str]
) -> dict[str, str]:
    """Load the links of the pictures that a form shows."""
    return {
        field.name + URL_SUFFIX: (await client.get(FILE_PATH, file_id=values[field.name]))["url"]
        for field in form.fields
        if field.kind == "picture" and values[field.name]
    }


async def upload_pictures(client: ApiClient, form: Form, form_data: FormData) -> dict[str, Any]:
    """Upload the pictures that were chosen. Return their ids, and None for removed pictures."""
    changes: dict[str, Any] = {}
    for field in form.fields:
        if field.kind != "picture":
            continue
        upload = form_data.uploads.get(field.name)
        if upload is not None and upload.data:
            changes[field.name] = await _upload_picture(client, field.name, upload)
        elif field.name + REMOVE_SUFFIX in form_data:
            changes[field.name] = None
    return changes


async def _upload_picture(client: ApiClient, name: str, upload: Upload) -> str:
    file = await client.send_upload(FILES_PATH, Upload(upload.data, None, None))
    if file["content_type"] not in PICTURE_TYPES:
        raise Invalid(fields=[FieldError(name, "Choose a PNG, JPEG or WebP picture.")])
    return str(file["id"])
