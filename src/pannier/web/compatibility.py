"""Fields that clients of the earlier platform send and that Pannier ignores, by resource.

A Struct lists in `accepts` which of them its body may have. They are ignored, so that existing
clients keep working. `docs/accepted-names.md` lists them. A name that has a meaning here is an
ordinary field and never in these lists.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import msgspec

ACCEPTS: Final = "accepts"
# A Struct's attribute that explains, by name, why a field is missing and what to send instead.
EXPLAINS: Final = "explains"
# Set on a Struct that reads a few fields of an object and permits all others.
TAKES_ANY_NAME: Final = "takes_any_name"
# The key in `Meta.extra` by which a plain object names the Struct that defines its fields.
OBJECT_KEY: Final = "object"
# Requests only the first record of a list. Other paths return one record anyway.
SINGLE: Final = "single"
# Query parameters that the SDKs send on every path.
QUERY_NAMES: Final = frozenset(
    {SINGLE, "with", "without", "with_count", "with_eta", "with_tracker_data", "columns"}
)
TRUE_TEXTS: Final = frozenset({"1", "true"})
FALSE_TEXTS: Final = frozenset({"0", "false"})
# Fields of every record, which the SDKs send back.
RECORD_NAMES: Final = frozenset(
    {"id", "uuid", "public_id", "object", "slug", "company", "company_uuid", "created_by",
     "updated_by", "created_by_uuid", "updated_by_uuid", "created_at", "updated_at", "deleted_at",
     "version", "custom_fields", "custom_field_values"}
)  # fmt: skip


def _with_record_names(text: str) -> frozenset[str]:
    return RECORD_NAMES | frozenset(text.split())


_NEW_ORDER_NAMES: Final = """customer_type facilitator_type purchase_rate orchestrator_priority
    is_route_optimized options files integrated_vendor_order"""
_ADDRESS_NAMES: Final = """address address_html avatar_url owner_uuid tracking_number
    eta remarks"""
ACCEPTED: Final[Mapping[str, frozenset[str]]] = {
    "record": RECORD_NAMES,
    "new order": _with_record_names(_NEW_ORDER_NAMES),
    "order": _with_record_names(
        f"""{_NEW_ORDER_NAMES} dispatched dispatched_at started started_at
        distance time currency transaction transaction_amount tracking tracking_number
        tracking_statuses tracker_data eta barcode qr_code comments has_driver_assigned
        is_scheduled route_uuid transaction_uuid purchase_rate_uuid
        tracking_number_uuid session_uuid manifest_uuid"""
    ),
    "payload": _with_record_names(
        """current_waypoint current_waypoint_uuid order
        provider"""
    ),
    "waypoint": _with_record_names(
        f"""{_ADDRESS_NAMES} order tracking status status_code complete
        tracking_number_uuid"""
    ),
    "entity": _with_record_names(
        """tracking tracking_number tracking_number_uuid status photo photo_url photo_uuid
        payload customer_type is_dimensions_valid"""
    ),
    "place": _with_record_names(f"{_ADDRESS_NAMES} remove_place street_number vendor vendor_uuid"),
    "driver": _with_record_names(
        """user user_uuid company_name photo photo_url photo_uuid avatar_url vendor vendor_uuid
        vehicle_name vehicle_avatar current_job current_job_uuid job fleets jobs
        token password signup_token_used auth_token devices"""
    ),
    "vehicle": _with_record_names(
        """display_name name photo photo_url avatar_url avatar_value driver driver_name
        vendor vendor_uuid vendor_name devices telematics
        class body_type body_sub_type transmission odometer odometer_unit odometer_at_purchase
        engine_number engine_make engine_model engine_family engine_size engine_displacement
        engine_configuration fuel_volume_unit horsepower horsepower_rpm torque torque_rpm cylinders
        cylinder_arrangement number_of_doors cargo_volume passenger_volume
        interior_volume weight width length height towing_capacity seating_capacity ground_clearance
        bed_length fuel_capacity emission_standard dpf_equipped scr_equipped gvwr gcwr
        ownership_type usage_type measurement_system acquisition_cost current_value
        insurance_value depreciation_rate estimated_service_life_distance
        estimated_service_life_distance_unit estimated_service_life_months purchased_at
        lease_expires_at deleted_by financing_status loan_amount loan_first_payment
        loan_number_of_payments serial_number call_sign notes model_data vin_data specs details
        skills max_tasks time_window_start time_window_end return_to_depot telematic_uuid
        telematic category warranty photo_uuid description payload_capacity_volume
        payload_capacity_pallets payload_capacity_parcels"""
    ),
    "fleet": _with_record_names(
        """service_area zone vendor drivers vehicles subfleets drivers_count drivers_online_count
        vehicles_count vehicles_online_count photo_url color trip_length"""
    ),
    "issue": _with_record_names(
        """issue_id driver_name vehicle_name assignee assigned_to assigned_to_uuid assignee_name
        reporter reported_by reported_by_uuid reporter_name files photos latitude longitude
        resolved_at"""
    ),
    "contact": _with_record_names(
        """customer_id customer_type photo photo_url photo_uuid places address
        address_id address_street user user_uuid token orders orders_count"""
    ),
    "person": _with_record_names("type customer_type photo photo_url places address user token"),
    # Position details that phones send beside the point, and further members of GeoJSON.
    "point": _with_record_names(
        """accuracy_m altitude altitudeAccuracy altitude_accuracy bearing crs heading mocked speed
        timestamp"""
    ),
    "vendor": _with_record_names(
        """photo photo_url logo logo_url places address address_street personnels
        type_uuid credentials provider sandbox webhook_url connect_company_uuid connected"""
    ),
    "service area": _with_record_names("center zones parent parent_uuid latitude longitude"),
    "zone": _with_record_names("center latitude longitude"),
    "service rate": _with_record_names("service_area_name zone_name"),
    "service rate's fees": _with_record_names("currency"),
    "tracking status": _with_record_names(
        """tracking_number_uuid proof proof_uuid city province postal_code country"""
    ),
    "order configuration": _with_record_names(
        """author author_uuid category category_uuid icon icon_uuid namespace version core_service
        tags entities type"""
    ),
    "activity": _with_record_names(
        "key logic actions options entities internalId pod require_proof"
    ),
    "activity report": _with_record_names("proof assign activity_uuid photo"),
    "action": _with_record_names("assign proof skip_dispatch waypoint occurred_at params"),
    "capture": _with_record_names("disk bucket waypoint order subject type file_name filename"),
    "file": _with_record_names(
        """type path disk bucket folder subject subject_uuid subject_type uploader_uuid resize
        resize_mode resize_quality resize_upscale file_size content_type filename"""
    ),
    "device": _with_record_names(
        """internal_id imei imsi firmware_version model manufacturer serial_number last_position
        last_position_at online status data_frequency notes installation_date
        last_maintenance_date last_online_at telematic telematic_uuid warranty warranty_uuid
        data options photo_url connection_status"""
    ),
    "position": _with_record_names(
        """bearing course timestamp time floor altitude_accuracy altitudeAccuracy
        speed_accuracy heading_accuracy is_moving isMoving mocked mock activity battery event
        extras odometer order order_uuid destination destination_uuid coords provider"""
    ),
    "quote": frozenset({"is_route_optimized"}),
    "customer": _with_record_names(
        "title photo photo_url type place address addresses address_id internal_id identity for"
    ),
    "sign-in": _with_record_names(
        "name phone email for avatarUrl photo mode password_confirmation"
    ),
    "push device": _with_record_names("device_name deviceName model version"),
}


def accept_response_fields(change: Any, out_type: type[msgspec.Struct]) -> None:  # noqa: ANN401 - a Struct
    """Ignore the fixed fields of a record that a caller sends back as it was read."""
    names = frozenset(field.encode_name for field in msgspec.structs.fields(out_type))
    change.accepts = change.accepts | names


class EmptyBody(msgspec.Struct):
    """The body of a path that takes no fields."""

    accepts: ClassVar = ACCEPTED["action"]
