"""Every field that customers are shown, by the schema it stands in.

Whoever adds a field to an answer of a storefront chooses it here too: see that it is the
customer's own business before it is.
"""

from typing import Final

SEEN: Final = {
    "AddressOut": "label street1 city postal_code country location quality",
    "AccountClosed": "status closed_at erase_at erasure_at",
    "IdentityConfirmed": "status confirmed_until",
    "CustomerCodeSent": "status method expires_in resend_after",
    "CustomerDriverOut": "name phone",
    "CustomerItemOut": """
        id uuid public_id created_at updated_at version destination name type
        description sku length width height dimensions_unit weight weight_unit
        tracking tracking_number quantity
        """,
    "CustomerOrderOut": """
        id uuid public_id created_at updated_at version type status customer payload
        driver_assigned vehicle_assigned tracking_number pod_required pod_method
        time_window_start time_window_end dispatched started scheduled_at dispatched_at
        started_at completed_at canceled_at driver vehicle tracking return_of
        """,
    "CustomerOut": """
        id uuid public_id contact name email phone email_verified phone_verified meta
        created_at updated_at
        """,
    "CustomerPayloadOut": """
        pickup dropoff waypoints entities cod_amount cod_currency cod_payment_method
        """,
    "CustomerPlacedOut": "order payment",
    "CustomerPlaceOut": """
        id uuid public_id created_at updated_at version name address street1 street2
        city province postal_code neighborhood district building country location
        """,
    "CustomerSignedIn": """
        id uuid public_id contact name email phone email_verified phone_verified meta
        created_at updated_at token customer device_proof
        """,
    "CustomerAttempt": "label then occurred_at",
    "CustomerStopOut": """
        id uuid public_id created_at updated_at version type place time_window_start
        time_window_end pod_required pod_method status_code complete completed_at
        tracking tracking_number
        """,
    "CustomerTracked": """
        order status progress stops completed_stops total_stops eta time_remaining
        distance_remaining position heading speed located_at tracking_url
        """,
    "CustomerTrackedStop": "waypoint type address location complete eta attempts failed",
    "CustomerVehicleOut": "plate_number make model",
    "DeviceRegistered": "status device",
    "Success": "status",
    "SessionEnded": "status",
    "EphemeralKeyOut": "ephemeralKey customerId publishableKey expires",
    "LineOut": "code details amount currency",
    "LinkedProvider": "id provider email created_at last_used_at",
    "ItemOut": "kind code details amount tax_rate tax_amount net_amount",
    "OrderCustomerOut": "id uuid name contact",
    "GeoJsonPoint": "type coordinates",
    "OrderNumberOut": "id uuid tracking tracking_number",
    "PaymentOut": """
        transaction amount currency status amount_paid amount_refunded items checkout_url
        checkout_status balance cancellation_fee
        """,
    "PointOut": "type coordinates",
    "QuoteOut": """
        id service_rate_uuid service_rate service_rate_version service_rate_name service_name
        service_type amount currency amount_decimal tax_rate tax_amount net_amount expired_at
        created_at items distance time source firm duration_terms estimated_days request_id
        expires_at
        """,
    "SessionOut": """
        id method user_agent address current created_at last_used_at expires_at
        revoked_at revoked_by
        """,
    "SetupIntentOut": "setupIntentId setupIntent customerId publishableKey",
}
