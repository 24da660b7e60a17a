"""Structs made of other Structs."""

import msgspec
import pytest

from pannier.kit.structs import convert_struct


class Parcel(msgspec.Struct, kw_only=True):
    """Something that is sent."""

    name: str
    weight: float
    secret: str = "not shown"


class Label(msgspec.Struct, kw_only=True):
    """What stands on it."""

    name: str
    weight: float
    to: str


def test_fields_of_the_same_name_are_taken_over_and_the_others_are_said() -> None:
    parcel = Parcel(name="Coffee machine", weight=4.2)
    assert convert_struct(parcel, Label, to="Ada") == Label(
        name="Coffee machine", weight=4.2, to="Ada"
    )


def test_what_is_said_beside_comes_before_what_is_taken_over() -> None:
    parcel = Parcel(name="Coffee machine", weight=4.2)
    assert convert_struct(parcel, Label, to="Ada", name="Fragile").name == "Fragile"


def test_a_field_that_nobody_gives_is_missed() -> None:
    with pytest.raises(TypeError, match="to"):
        convert_struct(Parcel(name="Coffee machine", weight=4.2), Label)
