# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The errors of the API, by their codes. docs/errors.md explains them."""

from __future__ import annotations

from typing import Final

from pannier_client.problem import ProblemError


class AddressNotFound(ProblemError):
    """There is no address near this point."""


class AlreadyTaken(ProblemError):
    """Another driver has taken this order."""


class AppKeyMissing(ProblemError):
    """The company has no app key."""


class AttachmentOverlaps(ProblemError):
    """The device was attached to another vehicle at that time."""


class BatchKeyReused(ProblemError):
    """This key was used for a different order."""


class BatchTimeExhausted(ProblemError):
    """The batch ran out of time before this order."""


class BodyTooLarge(ProblemError):
    """The request body is too large."""


class BodyUnreadable(ProblemError):
    """The request body could not be read."""


class CashAlreadyCollected(ProblemError):
    """The cash was already collected."""


class CashBalanceChanged(ProblemError):
    """The cash balance has changed."""


class CashCollected(ProblemError):
    """The cash of this stop was collected."""


class ChannelNotConfigured(ProblemError):
    """This channel has no provider."""


class ClockWrong(ProblemError):
    """This server's clock is wrong."""


class CodeExpired(ProblemError):
    """The code has expired."""


class CodeMismatch(ProblemError):
    """The code does not match."""


class CodeUnreadable(ProblemError):
    """No code could be read from the image."""


class CollectionConflict(ProblemError):
    """Another collection has this UUID."""


class CompanyInUse(ProblemError):
    """This company already has orders or webhooks."""


class Conflict(ProblemError):
    """The request conflicts with the current state."""


class CountryNotAllowed(ProblemError):
    """SMS codes to this country are not allowed."""


class CsrfFailed(ProblemError):
    """The CSRF token is missing or belongs to another session."""


class CursorInvalid(ProblemError):
    """The cursor does not belong to this list."""


class CustomerExists(ProblemError):
    """An account already uses this phone number or email address."""


class CustomerHasOpenOrders(ProblemError):
    """The customer has open orders."""


class CustomerNotClosed(ProblemError):
    """The account is not closed, or erasure has begun."""


class CustomerTokenInvalid(ProblemError):
    """The customer token is missing or not valid."""


class DatabaseUnavailable(ProblemError):
    """The database is unavailable."""


class DeliveryInFlight(ProblemError):
    """A delivery attempt is in progress."""


class DeviceFixed(ProblemError):
    """This device's vehicle is managed elsewhere."""


class DeviceKindFixed(ProblemError):
    """A device's kind cannot be changed."""


class DeviceLeft(ProblemError):
    """The device was deleted during the request."""


class DeviceNotAttached(ProblemError):
    """The device is not attached to a vehicle."""


class DevicesBusy(ProblemError):
    """Device events arrive faster than they can be stored."""


class DevicesStreamUnavailable(ProblemError):
    """Device ingestion is unavailable."""


class DocumentsBusy(ProblemError):
    """Too many documents are being created."""


class DriverHasPhone(ProblemError):
    """The driver already has a phone."""


class DriverInactive(ProblemError):
    """The driver is not active."""


class DriverOffline(ProblemError):
    """The driver is not on duty."""


class DriverRequired(ProblemError):
    """The order has no driver."""


class DriverUnlocated(ProblemError):
    """The driver's position is unknown."""


class EmailTaken(ProblemError):
    """Another operator has this email address."""


class EventsExpired(ProblemError):
    """Events after this cursor were already deleted."""


class FileEmpty(ProblemError):
    """The file is empty."""


class FileHeld(ProblemError):
    """This file is in use and cannot be deleted."""


class FileTooLarge(ProblemError):
    """The file is too large."""


class FleetCircle(ProblemError):
    """A fleet cannot contain itself."""


class Forbidden(ProblemError):
    """This credential is not allowed to do that."""


class FreshSignInRequired(ProblemError):
    """This action requires a recent sign-in."""


class GeocoderNotConfigured(ProblemError):
    """No geocoder is configured."""


class GeocoderUnavailable(ProblemError):
    """The geocoder is unavailable."""


class HeadTooLarge(ProblemError):
    """The request's headers are too large."""


class IdempotencyInProgress(ProblemError):
    """A request with this `Idempotency-Key` is in progress."""


class IdempotencyKeyReused(ProblemError):
    """This `Idempotency-Key` was used for a different request."""


class IdentifierTaken(ProblemError):
    """Another device has this identifier."""


class IllegalMove(ProblemError):
    """The order's status does not allow this."""


class ImageTooLarge(ProblemError):
    """The image is too large."""


class ImageTooSlow(ProblemError):
    """The image took too long to process."""


class ImageUnreadable(ProblemError):
    """The image cannot be read."""


class ImageUnsupported(ProblemError):
    """The file is not a supported image."""


class ImportFileGone(ProblemError):
    """The file of this import was deleted."""


class ImportFileUnreadable(ProblemError):
    """The file cannot be read."""


class ImportState(ProblemError):
    """The state of the import does not allow this."""


class InstallationSilent(ProblemError):
    """This restored installation is still silent."""


class Internal(ProblemError):
    """Something went wrong on our side."""


class InternalIdBusy(ProblemError):
    """Another request is using this internal id."""


class InternalIdTaken(ProblemError):
    """Another order has this internal id."""


class InvalidCode(ProblemError):
    """The code is wrong or no longer valid."""


class InvalidCredentials(ProblemError):
    """The phone number, email address or password is wrong."""


class InvoiceCredited(ProblemError):
    """The invoice is credited already."""


class InvoiceIsDraft(ProblemError):
    """The invoice is a draft."""


class InvoiceIssued(ProblemError):
    """The invoice is issued and cannot be changed."""


class InvoiceNotCreditable(ProblemError):
    """Only an issued invoice can be credited."""


class InvoiceNotPayable(ProblemError):
    """Only an issued invoice can be paid."""


class InvoiceOutdated(ProblemError):
    """The draft no longer matches its transactions."""


class InvoicePaid(ProblemError):
    """The invoice is paid."""


class IssueOpen(ProblemError):
    """The issue is already open."""


class IssueResolved(ProblemError):
    """The issue is already resolved."""


class KeyReplaced(ProblemError):
    """This server uses an outdated secret."""


class KeyRevoked(ProblemError):
    """This key is revoked."""


class LastAdmin(ProblemError):
    """This is the last admin."""


class LastWayIn(ProblemError):
    """This provider is the customer's only sign-in method."""


class LastWaypoint(ProblemError):
    """This is the payload's only stop."""


class LinkExpired(ProblemError):
    """This link has expired."""


class LinkInvalid(ProblemError):
    """This link is not valid."""


class LoginFailed(ProblemError):
    """The email address or password is wrong."""


class MessageConflict(ProblemError):
    """Another message has this UUID."""


class MethodNotAllowed(ProblemError):
    """This path does not support that method."""


class MismatchUnexplained(ProblemError):
    """Another code needs a reason and a photo."""


class NoCashDue(ProblemError):
    """There is no cash to collect."""


class NoVerifiedIdentity(ProblemError):
    """The account has no verified phone number or email address."""


class NotARecurringDay(ProblemError):
    """The rule does not match this day."""


class NotFollowed(ProblemError):
    """This tracking number requires its tracking link."""


class NotFound(ProblemError):
    """The resource was not found."""


class NothingToHandIn(ProblemError):
    """The driver has no cash in this currency."""


class NothingToInvoice(ProblemError):
    """There is nothing to invoice."""


class NothingToRefund(ProblemError):
    """Nothing is left to refund."""


class NothingToRemit(ProblemError):
    """There is no cash to remit to this customer."""


class NumberNotAllowed(ProblemError):
    """SMS codes to this type of number are not allowed."""


class OrderChanged(ProblemError):
    """The order has changed during the request."""


class OrderClosed(ProblemError):
    """The order is closed."""


class OrderConfigKeyTaken(ProblemError):
    """Another order configuration has this key."""


class OrderConfigNeeded(ProblemError):
    """The default order configuration cannot be deleted."""


class OrderCurrencyDiffers(ProblemError):
    """The order is charged in another currency."""


class OrderInvoiced(ProblemError):
    """The order is on an issued invoice."""


class OrderNotCanceled(ProblemError):
    """The order is not canceled."""


class OrderNotCompleted(ProblemError):
    """The order is not completed."""


class OrderReturned(ProblemError):
    """The goods of this order were returned."""


class OrderingOff(ProblemError):
    """This store does not accept orders from customers."""


class OutcomeUnknown(ProblemError):
    """The database connection was lost while saving."""


class Overloaded(ProblemError):
    """The server is overloaded."""


class PayloadBegun(ProblemError):
    """The payload's order is in progress."""


class PayloadClosed(ProblemError):
    """The payload's order is closed."""


class PayloadOrdered(ProblemError):
    """The payload belongs to an order."""


class PayloadTaken(ProblemError):
    """The payload belongs to another order."""


class PaymentAccountGone(ProblemError):
    """The gateway no longer has this customer."""


class PaymentGatewayIsTest(ProblemError):
    """A test gateway cannot serve a live company."""


class PaymentGatewayMisconfigured(ProblemError):
    """The payment gateway rejects this installation's keys."""


class PaymentGatewayNotConfigured(ProblemError):
    """No payment gateway is configured."""


class PaymentGatewayRefused(ProblemError):
    """The payment gateway rejected the request."""


class PaymentGatewayUnavailable(ProblemError):
    """The payment gateway is unavailable."""


class PaymentNoticeRefused(ProblemError):
    """The gateway's signature is missing, wrong or expired."""


class PaymentRefused(ProblemError):
    """The card was declined."""


class PaymentRequired(ProblemError):
    """The order is not paid."""


class PhoneTaken(ProblemError):
    """Another driver has this phone number."""


class PingNotReplayable(ProblemError):
    """A ping cannot be replayed."""


class PlanFinished(ProblemError):
    """The plan is finished."""


class PlanNotAccepted(ProblemError):
    """The plan is not accepted."""


class PlanNotDone(ProblemError):
    """The plan is not ready."""


class PlanNotEditable(ProblemError):
    """The plan is too old to be edited."""


class PlanOutdated(ProblemError):
    """The plan is outdated."""


class PodCodeIncorrect(ProblemError):
    """The code is wrong or no longer valid."""


class PodCodeLocked(ProblemError):
    """Too many wrong codes."""


class PodRecipientPhoneMissing(ProblemError):
    """There is no phone number to send a code to."""


class PodRequired(ProblemError):
    """A proof of delivery is required."""


class PreconditionFailed(ProblemError):
    """The resource has changed since you read it."""


class PriceFixed(ProblemError):
    """The order's price was accepted."""


class PriceRequired(ProblemError):
    """The order has no price."""


class PricingBusy(ProblemError):
    """Too many quotes are being priced."""


class ProgramOutdated(ProblemError):
    """This server is too old for its database."""


class ProofConflict(ProblemError):
    """This `proof_uuid` belongs to a different proof."""


class ProviderNotEnabled(ProblemError):
    """This sign-in provider is not enabled for the store."""


class ProviderProofInvalid(ProblemError):
    """The provider's token was rejected."""


class ProviderProofReplayed(ProblemError):
    """The provider's token has already been used."""


class ProviderProofRequired(ProblemError):
    """The provider's token is missing."""


class ProviderTaken(ProblemError):
    """Another customer uses this provider account."""


class ProviderUnavailable(ProblemError):
    """The provider cannot be reached."""


class QuoteAlreadyAccepted(ProblemError):
    """This order already has an accepted quote."""


class QuoteExpired(ProblemError):
    """The quote has expired."""


class QuoteNotFirm(ProblemError):
    """The price of this quote is an estimate."""


class QuoteReplaced(ProblemError):
    """The order has changed since this quote."""


class QuoteStale(ProblemError):
    """The quote is for a different shipment."""


class RangeNotSatisfiable(ProblemError):
    """The range lies beyond the end of the file."""


class ReadersBusy(ProblemError):
    """Too many files are being read at once."""


class ReadingRefused(ProblemError):
    """No event could be stored."""


class RecurringDayDecided(ProblemError):
    """This day already has an order."""


class RecurringDayPassed(ProblemError):
    """This day has passed."""


class RecurringOrderEnded(ProblemError):
    """This recurring order has ended."""


class RequestMalformed(ProblemError):
    """The request could not be read."""


class RequestTimeout(ProblemError):
    """The request arrived too slowly."""


class ReturnExceedsDelivered(ProblemError):
    """More pieces would be returned than were delivered."""


class ReturnItemsFixed(ProblemError):
    """The items of a return cannot be changed."""


class SampleDataExists(ProblemError):
    """The sample data was already added."""


class SavedViewExists(ProblemError):
    """You already have a view with this name."""


class SearchTooBroad(ProblemError):
    """The search matches too many records."""


class ServiceAreaHasZones(ProblemError):
    """The service area has zones."""


class ServiceRateLimit(ProblemError):
    """A company can have at most 20,000 rates."""


class SignInUnproved(ProblemError):
    """This sign-in was not verified."""


class SignatureBlank(ProblemError):
    """The signature is blank."""


class SimulationRunning(ProblemError):
    """A simulation of this order is running."""


class SmsCapReached(ProblemError):
    """The daily limit for SMS codes has been reached."""


class SmsPaused(ProblemError):
    """SMS codes to this country are paused."""


class StatusKept(ProblemError):
    """This status was recorded by the order's flow."""


class StorageUnavailable(ProblemError):
    """File storage is unavailable."""


class StructuredInvoiceIncomplete(ProblemError):
    """The document cannot have a structured form."""


class TemplateInUse(ProblemError):
    """A recurring order uses this template."""


class TestCompanyRequired(ProblemError):
    """Only test companies can do this."""


class TestRecipientRequired(ProblemError):
    """A robot cannot read this recipient's SMS code."""


class TooManyBatches(ProblemError):
    """Other batches of orders are in progress."""


class TooManyConnections(ProblemError):
    """Too many connections from one IP address."""


class TooManyEntries(ProblemError):
    """There are too many entries."""


class TooManyEvents(ProblemError):
    """A request can contain at most 5,000 device events."""


class TooManyImports(ProblemError):
    """A company can have at most 20 unfinished imports."""


class TooManyLines(ProblemError):
    """The invoice would have too many lines."""


class TooManyPhotos(ProblemError):
    """An issue can have at most 20 photos."""


class TooManyPlans(ProblemError):
    """A company can have at most 20 unfinished plans."""


class TooManyProofs(ProblemError):
    """An order, stop or item accepts at most 50 proofs."""


class TooManyRequests(ProblemError):
    """Too many requests."""


class TooManyReturns(ProblemError):
    """The order has too many returns."""


class TooManySavedViews(ProblemError):
    """You already have 50 views."""


class TooManySimulations(ProblemError):
    """At most 20 simulations can run at once."""


class TooManyStreams(ProblemError):
    """Too many streams and exports are open."""


class TransactionPaid(ProblemError):
    """The transaction is paid."""


class TransactionVoided(ProblemError):
    """The transaction is voided."""


class Unauthenticated(ProblemError):
    """A valid credential is required."""


class Unavailable(ProblemError):
    """The service is temporarily unavailable."""


class UnknownField(ProblemError):
    """The body has unknown fields."""


class UnknownParameter(ProblemError):
    """The query has unknown parameters."""


class UnknownValue(ProblemError):
    """A filter has an unknown value."""


class UnsupportedMediaType(ProblemError):
    """The content type is not supported."""


class ValidationFailed(ProblemError):
    """Some fields are missing or invalid."""


class VehicleTaken(ProblemError):
    """The vehicle is assigned to another driver."""


class VerificationRequired(ProblemError):
    """The email address must be verified first."""


class WaypointBegun(ProblemError):
    """Work at this stop has begun."""


class WebhookDeleted(ProblemError):
    """The delivery's webhook was deleted."""


class WebhookLimit(ProblemError):
    """A company can have at most 100 webhooks."""


class WebhookNotEnabled(ProblemError):
    """The delivery's webhook is not enabled."""


BY_CODE: Final[dict[str, type[ProblemError]]] = {
    "address_not_found": AddressNotFound,
    "already_taken": AlreadyTaken,
    "app_key_missing": AppKeyMissing,
    "attachment_overlaps": AttachmentOverlaps,
    "batch_key_reused": BatchKeyReused,
    "batch_time_exhausted": BatchTimeExhausted,
    "body_too_large": BodyTooLarge,
    "body_unreadable": BodyUnreadable,
    "cash_already_collected": CashAlreadyCollected,
    "cash_balance_changed": CashBalanceChanged,
    "cash_collected": CashCollected,
    "channel_not_configured": ChannelNotConfigured,
    "clock_wrong": ClockWrong,
    "code_expired": CodeExpired,
    "code_mismatch": CodeMismatch,
    "code_unreadable": CodeUnreadable,
    "collection_conflict": CollectionConflict,
    "company_in_use": CompanyInUse,
    "conflict": Conflict,
    "country_not_allowed": CountryNotAllowed,
    "csrf_failed": CsrfFailed,
    "cursor_invalid": CursorInvalid,
    "customer_exists": CustomerExists,
    "customer_has_open_orders": CustomerHasOpenOrders,
    "customer_not_closed": CustomerNotClosed,
    "customer_token_invalid": CustomerTokenInvalid,
    "database_unavailable": DatabaseUnavailable,
    "delivery_in_flight": DeliveryInFlight,
    "device_fixed": DeviceFixed,
    "device_kind_fixed": DeviceKindFixed,
    "device_left": DeviceLeft,
    "device_not_attached": DeviceNotAttached,
    "devices_busy": DevicesBusy,
    "devices_stream_unavailable": DevicesStreamUnavailable,
    "documents_busy": DocumentsBusy,
    "driver_has_phone": DriverHasPhone,
    "driver_inactive": DriverInactive,
    "driver_offline": DriverOffline,
    "driver_required": DriverRequired,
    "driver_unlocated": DriverUnlocated,
    "email_taken": EmailTaken,
    "events_expired": EventsExpired,
    "file_empty": FileEmpty,
    "file_held": FileHeld,
    "file_too_large": FileTooLarge,
    "fleet_circle": FleetCircle,
    "forbidden": Forbidden,
    "fresh_sign_in_required": FreshSignInRequired,
    "geocoder_not_configured": GeocoderNotConfigured,
    "geocoder_unavailable": GeocoderUnavailable,
    "head_too_large": HeadTooLarge,
    "idempotency_in_progress": IdempotencyInProgress,
    "idempotency_key_reused": IdempotencyKeyReused,
    "identifier_taken": IdentifierTaken,
    "illegal_move": IllegalMove,
    "image_too_large": ImageTooLarge,
    "image_too_slow": ImageTooSlow,
    "image_unreadable": ImageUnreadable,
    "image_unsupported": ImageUnsupported,
    "import_file_gone": ImportFileGone,
    "import_file_unreadable": ImportFileUnreadable,
    "import_state": ImportState,
    "installation_silent": InstallationSilent,
    "internal": Internal,
    "internal_id_busy": InternalIdBusy,
    "internal_id_taken": InternalIdTaken,
    "invalid_code": InvalidCode,
    "invalid_credentials": InvalidCredentials,
    "invoice_credited": InvoiceCredited,
    "invoice_is_draft": InvoiceIsDraft,
    "invoice_issued": InvoiceIssued,
    "invoice_not_creditable": InvoiceNotCreditable,
    "invoice_not_payable": InvoiceNotPayable,
    "invoice_outdated": InvoiceOutdated,
    "invoice_paid": InvoicePaid,
    "issue_open": IssueOpen,
    "issue_resolved": IssueResolved,
    "key_replaced": KeyReplaced,
    "key_revoked": KeyRevoked,
    "last_admin": LastAdmin,
    "last_way_in": LastWayIn,
    "last_waypoint": LastWaypoint,
    "link_expired": LinkExpired,
    "link_invalid": LinkInvalid,
    "login_failed": LoginFailed,
    "message_conflict": MessageConflict,
    "method_not_allowed": MethodNotAllowed,
    "mismatch_unexplained": MismatchUnexplained,
    "no_cash_due": NoCashDue,
    "no_verified_identity": NoVerifiedIdentity,
    "not_a_recurring_day": NotARecurringDay,
    "not_followed": NotFollowed,
    "not_found": NotFound,
    "nothing_to_hand_in": NothingToHandIn,
    "nothing_to_invoice": NothingToInvoice,
    "nothing_to_refund": NothingToRefund,
    "nothing_to_remit": NothingToRemit,
    "number_not_allowed": NumberNotAllowed,
    "order_changed": OrderChanged,
    "order_closed": OrderClosed,
    "order_config_key_taken": OrderConfigKeyTaken,
    "order_config_needed": OrderConfigNeeded,
    "order_currency_differs": OrderCurrencyDiffers,
    "order_invoiced": OrderInvoiced,
    "order_not_canceled": OrderNotCanceled,
    "order_not_completed": OrderNotCompleted,
    "order_returned": OrderReturned,
    "ordering_off": OrderingOff,
    "outcome_unknown": OutcomeUnknown,
    "overloaded": Overloaded,
    "payload_begun": PayloadBegun,
    "payload_closed": PayloadClosed,
    "payload_ordered": PayloadOrdered,
    "payload_taken": PayloadTaken,
    "payment_account_gone": PaymentAccountGone,
    "payment_gateway_is_test": PaymentGatewayIsTest,
    "payment_gateway_misconfigured": PaymentGatewayMisconfigured,
    "payment_gateway_not_configured": PaymentGatewayNotConfigured,
    "payment_gateway_refused": PaymentGatewayRefused,
    "payment_gateway_unavailable": PaymentGatewayUnavailable,
    "payment_notice_refused": PaymentNoticeRefused,
    "payment_refused": PaymentRefused,
    "payment_required": PaymentRequired,
    "phone_taken": PhoneTaken,
    "ping_not_replayable": PingNotReplayable,
    "plan_finished": PlanFinished,
    "plan_not_accepted": PlanNotAccepted,
    "plan_not_done": PlanNotDone,
    "plan_not_editable": PlanNotEditable,
    "plan_outdated": PlanOutdated,
    "pod_code_incorrect": PodCodeIncorrect,
    "pod_code_locked": PodCodeLocked,
    "pod_recipient_phone_missing": PodRecipientPhoneMissing,
    "pod_required": PodRequired,
    "precondition_failed": PreconditionFailed,
    "price_fixed": PriceFixed,
    "price_required": PriceRequired,
    "pricing_busy": PricingBusy,
    "program_outdated": ProgramOutdated,
    "proof_conflict": ProofConflict,
    "provider_not_enabled": ProviderNotEnabled,
    "provider_proof_invalid": ProviderProofInvalid,
    "provider_proof_replayed": ProviderProofReplayed,
    "provider_proof_required": ProviderProofRequired,
    "provider_taken": ProviderTaken,
    "provider_unavailable": ProviderUnavailable,
    "quote_already_accepted": QuoteAlreadyAccepted,
    "quote_expired": QuoteExpired,
    "quote_not_firm": QuoteNotFirm,
    "quote_replaced": QuoteReplaced,
    "quote_stale": QuoteStale,
    "range_not_satisfiable": RangeNotSatisfiable,
    "readers_busy": ReadersBusy,
    "reading_refused": ReadingRefused,
    "recurring_day_decided": RecurringDayDecided,
    "recurring_day_passed": RecurringDayPassed,
    "recurring_order_ended": RecurringOrderEnded,
    "request_malformed": RequestMalformed,
    "request_timeout": RequestTimeout,
    "return_exceeds_delivered": ReturnExceedsDelivered,
    "return_items_fixed": ReturnItemsFixed,
    "sample_data_exists": SampleDataExists,
    "saved_view_exists": SavedViewExists,
    "search_too_broad": SearchTooBroad,
    "service_area_has_zones": ServiceAreaHasZones,
    "service_rate_limit": ServiceRateLimit,
    "sign_in_unproved": SignInUnproved,
    "signature_blank": SignatureBlank,
    "simulation_running": SimulationRunning,
    "sms_cap_reached": SmsCapReached,
    "sms_paused": SmsPaused,
    "status_kept": StatusKept,
    "storage_unavailable": StorageUnavailable,
    "structured_invoice_incomplete": StructuredInvoiceIncomplete,
    "template_in_use": TemplateInUse,
    "test_company_required": TestCompanyRequired,
    "test_recipient_required": TestRecipientRequired,
    "too_many_batches": TooManyBatches,
    "too_many_connections": TooManyConnections,
    "too_many_entries": TooManyEntries,
    "too_many_events": TooManyEvents,
    "too_many_imports": TooManyImports,
    "too_many_lines": TooManyLines,
    "too_many_photos": TooManyPhotos,
    "too_many_plans": TooManyPlans,
    "too_many_proofs": TooManyProofs,
    "too_many_requests": TooManyRequests,
    "too_many_returns": TooManyReturns,
    "too_many_saved_views": TooManySavedViews,
    "too_many_simulations": TooManySimulations,
    "too_many_streams": TooManyStreams,
    "transaction_paid": TransactionPaid,
    "transaction_voided": TransactionVoided,
    "unauthenticated": Unauthenticated,
    "unavailable": Unavailable,
    "unknown_field": UnknownField,
    "unknown_parameter": UnknownParameter,
    "unknown_value": UnknownValue,
    "unsupported_media_type": UnsupportedMediaType,
    "validation_failed": ValidationFailed,
    "vehicle_taken": VehicleTaken,
    "verification_required": VerificationRequired,
    "waypoint_begun": WaypointBegun,
    "webhook_deleted": WebhookDeleted,
    "webhook_limit": WebhookLimit,
    "webhook_not_enabled": WebhookNotEnabled,
}
