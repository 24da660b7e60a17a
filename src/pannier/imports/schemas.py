"""JSON of imports."""

from typing import Annotated, ClassVar, Self

import msgspec
from msgspec import UNSET, Meta

from pannier.db import CreatedPageIn, PageIn
from pannier.imports import targets
from pannier.imports.models import (
    DateOrder,
    FileFormat,
    ImportResource,
    ImportRow,
    ImportRowState,
    ImportState,
    RowResult,
)
from pannier.web.compatibility import accept_response_fields
from pannier.web.fields import Clearable, Given
from pannier.web.former_names import former_name
from pannier.web.identifiers import identifier
from pannier.web.resource_out import ResourceOut
from pannier.web.serialization import to_schema
from pannier.web.times import Time

ImportId = Annotated[str, identifier("import_4KfR8yLq0VbN6wTd", max_length=100)]
FileId = Annotated[
    str, identifier("file_2VhXo7QeJm5tZr9K", "An uploaded CSV or XLSX file.", max_length=64)
]
Resource = Annotated[
    ImportResource, Meta(description="The kind of records in the file.", examples=["places"])
]
ColumnMapping = Annotated[
    dict[str, str | None],
    Meta(
        max_length=200,
        description="The field of each column, by the column's header; null skips a column.",
        examples=[{"Name": "name", "PLZ": "postal_code"}],
    ),
]
DateOrderChoice = Annotated[
    DateOrder | None,
    Meta(
        description="Whether dates such as 3/4/2026 begin with the day or the month. Without it, "
        "rows with a date that could be read in both orders are refused.",
        examples=["day_first"],
    ),
]
Count = Annotated[int, Meta(ge=0, examples=[12])]


class ImportIn(msgspec.Struct, kw_only=True):
    """A new import of an uploaded file. Without a mapping, the suggested one is used."""

    example: ClassVar = {
        "resource": "places",
        "name": "places.csv",
        "data": "data:text/csv;base64,TmFtZSxDaXR5CkRlcG90LFNpbmdhcG9yZQo=",
    }
    resource: Resource
    file: FileId | None = None
    data: Annotated[
        str | None,
        Meta(description="Instead of `file`: the content in base64, bare or as a data URI."),
    ] = None
    name: Annotated[
        str | None, Meta(description="The file name of `data`.", examples=["places.csv"])
    ] = None
    mapping: Given[ColumnMapping] = UNSET
    date_order: DateOrderChoice = None


class ImportChange(msgspec.Struct, kw_only=True):
    """A change of an import that has not started."""

    accepts: ClassVar[frozenset[str]] = frozenset()
    mapping: Given[ColumnMapping] = UNSET
    date_order: Clearable[DateOrder] = UNSET


class ImportFieldOut(msgspec.Struct, kw_only=True):
    """A field that columns can be mapped to."""

    field: Annotated[str, Meta(examples=["postal_code"])]
    label: Annotated[str, Meta(examples=["Postal code"])]
    required: bool


class ImportCountsOut(msgspec.Struct, kw_only=True):
    """The number of rows by result. An order of several rows counts once."""

    ready: Annotated[int, Meta(description="Without errors, in a dry run.", examples=[12])]
    created: Count
    unchanged: Annotated[
        int, Meta(description="The record exists already and was left as it is.", examples=[3])
    ]
    failed: Count
    undone: Annotated[int, Meta(description="Created, then deleted by undoing.", examples=[0])]
    kept: Annotated[int, Meta(description="Created, and still needed when undone.", examples=[0])]


class ImportOut(ResourceOut, kw_only=True):
    """An import."""

    id: ImportId
    resource: Resource
    state: Annotated[
        ImportState,
        Meta(
            description="`new`; `checking` and `checked` by a dry run; `importing` and `done`; "
            "`undoing` and `undone`; or `failed`, if the file could not be read.",
            examples=["done"],
        ),
    ]
    name: Annotated[str, Meta(description="The name of the file.", examples=["places.csv"])]
    file_name: Annotated[str, former_name("name")]
    format: FileFormat
    encoding: Annotated[str | None, Meta(examples=["utf-8"])]
    separator: Annotated[str | None, Meta(examples=[";"])]
    sheet: Annotated[str | None, Meta(description="The sheet of an XLSX file.")]
    headers: Annotated[list[str], Meta(description="The columns of the file.")]
    sample: Annotated[
        list[list[str]],
        Meta(
            description="The first rows of the file. Empty for a key that cannot read such records."
        ),
    ]
    mapping: Annotated[dict[str, str], Meta(description="The field of each mapped column.")]
    date_order: DateOrderChoice
    fields: Annotated[
        list[ImportFieldOut], Meta(description="The fields that columns can be mapped to.")
    ]
    missing: Annotated[list[str], Meta(description="Required fields that no column is mapped to.")]
    row_count: Annotated[int | None, Meta(description="The number of the file's last row.")]
    processed: Annotated[int, Meta(description="The number of the last processed row.")]
    counts: ImportCountsOut
    failure: Annotated[str | None, Meta(description="Why the file could not be read.")]
    checked_at: Time | None
    started_at: Time | None
    finished_at: Time | None
    undone_at: Time | None

    @classmethod
    def from_row(cls, row: ImportRow) -> Self:
        """Build the output of an import."""
        fields = targets.FIELDS[row.resource]
        return to_schema(
            row,
            cls,
            format=row.layout.format,
            encoding=row.layout.encoding,
            separator=row.layout.separator,
            sheet=row.layout.sheet,
            counts=to_schema(row.counts, ImportCountsOut),
            fields=[
                ImportFieldOut(field=field.path, label=field.label, required=field.required)
                for field in fields
            ],
            missing=[
                field.path
                for field in fields
                if field.required and field.path not in row.mapping.values()
            ],
        )


class RowErrorOut(msgspec.Struct):
    """A error of a row."""

    column: Annotated[str | None, Meta(description="The column's header.", examples=["Phone"])]
    message: Annotated[str, Meta(examples=["“12” is not a phone number."])]


class ImportedRowOut(msgspec.Struct, kw_only=True):
    """The result of a row."""

    number: Annotated[
        int, Meta(description="The row as spreadsheets number it: the header is 1.", examples=[2])
    ]
    state: ImportRowState
    record: Annotated[
        str | None, Meta(description="The record's id.", examples=["place_8KfR2yLq0VbN6wTd"])
    ]
    errors: list[RowErrorOut]

    @classmethod
    def from_row(cls, row: RowResult) -> Self:
        """Build the output of a row."""
        errors = [RowErrorOut(error.column, error.message) for error in row.errors]
        return cls(number=row.number, state=row.state, record=row.record, errors=errors)


class ImportFilters(PageIn, frozen=True, kw_only=True):
    """Filters for the list of imports."""

    resource: Annotated[ImportResource | None, Meta(description="Filter by kind of records.")] = (
        None
    )
    state: Annotated[list[ImportState] | None, Meta(description="Any of these.")] = None


class ImportRowFilters(CreatedPageIn, frozen=True, kw_only=True):
    """Filters for the rows of an import."""

    sortable: ClassVar[tuple[str, ...]] = ("number",)

    state: Annotated[list[ImportRowState] | None, Meta(description="Any of these.")] = None


accept_response_fields(ImportChange, ImportOut)
