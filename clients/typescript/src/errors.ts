// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import { ProblemError } from "./problem.js";

/** There is no address near this point. */
export class AddressNotFound extends ProblemError {}

/** Another driver has taken this order. */
export class AlreadyTaken extends ProblemError {}

/** The company has no app key. */
export class AppKeyMissing extends ProblemError {}

/** The device was attached to another vehicle at that time. */
export class AttachmentOverlaps extends ProblemError {}

/** This key was used for a different order. */
export class BatchKeyReused extends ProblemError {}

/** The batch ran out of time before this order. */
export class BatchTimeExhausted extends ProblemError {}

/** The request body is too large. */
export class BodyTooLarge extends ProblemError {}

/** The request body could not be read. */
export class BodyUnreadable extends ProblemError {}

/** The cash was already collected. */
export class CashAlreadyCollected extends ProblemError {}

/** The cash balance has changed. */
export class CashBalanceChanged extends ProblemError {}

/** The cash of this stop was collected. */
export class CashCollected extends ProblemError {}

/** This channel has no provider. */
export class ChannelNotConfigured extends ProblemError {}

/** This server's clock is wrong. */
export class ClockWrong extends ProblemError {}

/** The code has expired. */
export class CodeExpired extends ProblemError {}

/** The code does not match. */
export class CodeMismatch extends ProblemError {}

/** No code could be read from the image. */
export class CodeUnreadable extends ProblemError {}

/** Another collection has this UUID. */
export class CollectionConflict extends ProblemError {}

/** This company already has orders or webhooks. */
export class CompanyInUse extends ProblemError {}

/** The request conflicts with the current state. */
export class Conflict extends ProblemError {}

/** SMS codes to this country are not allowed. */
export class CountryNotAllowed extends ProblemError {}

/** The CSRF token is missing or belongs to another session. */
export class CsrfFailed extends ProblemError {}

/** The cursor does not belong to this list. */
export class CursorInvalid extends ProblemError {}

/** An account already uses this phone number or email address. */
export class CustomerExists extends ProblemError {}

/** The customer has open orders. */
export class CustomerHasOpenOrders extends ProblemError {}

/** The account is not closed, or erasure has begun. */
export class CustomerNotClosed extends ProblemError {}

/** The customer token is missing or not valid. */
export class CustomerTokenInvalid extends ProblemError {}

/** The database is unavailable. */
export class DatabaseUnavailable extends ProblemError {}

/** A delivery attempt is in progress. */
export class DeliveryInFlight extends ProblemError {}

/** This device's vehicle is managed elsewhere. */
export class DeviceFixed extends ProblemError {}

/** A device's kind cannot be changed. */
export class DeviceKindFixed extends ProblemError {}

/** The device was deleted during the request. */
export class DeviceLeft extends ProblemError {}

/** The device is not attached to a vehicle. */
export class DeviceNotAttached extends ProblemError {}

/** Device events arrive faster than they can be stored. */
export class DevicesBusy extends ProblemError {}

/** Device ingestion is unavailable. */
export class DevicesStreamUnavailable extends ProblemError {}

/** Too many documents are being created. */
export class DocumentsBusy extends ProblemError {}

/** The driver already has a phone. */
export class DriverHasPhone extends ProblemError {}

/** The driver is not active. */
export class DriverInactive extends ProblemError {}

/** The driver is not on duty. */
export class DriverOffline extends ProblemError {}

/** The order has no driver. */
export class DriverRequired extends ProblemError {}

/** The driver's position is unknown. */
export class DriverUnlocated extends ProblemError {}

/** Another operator has this email address. */
export class EmailTaken extends ProblemError {}

/** Events after this cursor were already deleted. */
export class EventsExpired extends ProblemError {}

/** The file is empty. */
export class FileEmpty extends ProblemError {}

/** This file is in use and cannot be deleted. */
export class FileHeld extends ProblemError {}

/** The file is too large. */
export class FileTooLarge extends ProblemError {}

/** A fleet cannot contain itself. */
export class FleetCircle extends ProblemError {}

/** This credential is not allowed to do that. */
export class Forbidden extends ProblemError {}

/** This action requires a recent sign-in. */
export class FreshSignInRequired extends ProblemError {}

/** No geocoder is configured. */
export class GeocoderNotConfigured extends ProblemError {}

/** The geocoder is unavailable. */
export class GeocoderUnavailable extends ProblemError {}

/** The request's headers are too large. */
export class HeadTooLarge extends ProblemError {}

/** A request with this `Idempotency-Key` is in progress. */
export class IdempotencyInProgress extends ProblemError {}

/** This `Idempotency-Key` was used for a different request. */
export class IdempotencyKeyReused extends ProblemError {}

/** Another device has this identifier. */
export class IdentifierTaken extends ProblemError {}

/** The order's status does not allow this. */
export class IllegalMove extends ProblemError {}

/** The image is too large. */
export class ImageTooLarge extends ProblemError {}

/** The image took too long to process. */
export class ImageTooSlow extends ProblemError {}

/** The image cannot be read. */
export class ImageUnreadable extends ProblemError {}

/** The file is not a supported image. */
export class ImageUnsupported extends ProblemError {}

/** The file of this import was deleted. */
export class ImportFileGone extends ProblemError {}

/** The file cannot be read. */
export class ImportFileUnreadable extends ProblemError {}

/** The state of the import does not allow this. */
export class ImportState extends ProblemError {}

/** This restored installation is still silent. */
export class InstallationSilent extends ProblemError {}

/** Something went wrong on our side. */
export class Internal extends ProblemError {}

/** Another request is using this internal id. */
export class InternalIdBusy extends ProblemError {}

/** Another order has this internal id. */
export class InternalIdTaken extends ProblemError {}

/** The code is wrong or no longer valid. */
export class InvalidCode extends ProblemError {}

/** The phone number, email address or password is wrong. */
export class InvalidCredentials extends ProblemError {}

/** The invoice is credited already. */
export class InvoiceCredited extends ProblemError {}

/** The invoice is a draft. */
export class InvoiceIsDraft extends ProblemError {}

/** The invoice is issued and cannot be changed. */
export class InvoiceIssued extends ProblemError {}

/** Only an issued invoice can be credited. */
export class InvoiceNotCreditable extends ProblemError {}

/** Only an issued invoice can be paid. */
export class InvoiceNotPayable extends ProblemError {}

/** The draft no longer matches its transactions. */
export class InvoiceOutdated extends ProblemError {}

/** The invoice is paid. */
export class InvoicePaid extends ProblemError {}

/** The issue is already open. */
export class IssueOpen extends ProblemError {}

/** The issue is already resolved. */
export class IssueResolved extends ProblemError {}

/** This server uses an outdated secret. */
export class KeyReplaced extends ProblemError {}

/** This key is revoked. */
export class KeyRevoked extends ProblemError {}

/** This is the last admin. */
export class LastAdmin extends ProblemError {}

/** This provider is the customer's only sign-in method. */
export class LastWayIn extends ProblemError {}

/** This is the payload's only stop. */
export class LastWaypoint extends ProblemError {}

/** This link has expired. */
export class LinkExpired extends ProblemError {}

/** This link is not valid. */
export class LinkInvalid extends ProblemError {}

/** The email address or password is wrong. */
export class LoginFailed extends ProblemError {}

/** Another message has this UUID. */
export class MessageConflict extends ProblemError {}

/** This path does not support that method. */
export class MethodNotAllowed extends ProblemError {}

/** Another code needs a reason and a photo. */
export class MismatchUnexplained extends ProblemError {}

/** There is no cash to collect. */
export class NoCashDue extends ProblemError {}

/** The account has no verified phone number or email address. */
export class NoVerifiedIdentity extends ProblemError {}

/** The rule does not match this day. */
export class NotARecurringDay extends ProblemError {}

/** This tracking number requires its tracking link. */
export class NotFollowed extends ProblemError {}

/** The resource was not found. */
export class NotFound extends ProblemError {}

/** The driver has no cash in this currency. */
export class NothingToHandIn extends ProblemError {}

/** There is nothing to invoice. */
export class NothingToInvoice extends ProblemError {}

/** Nothing is left to refund. */
export class NothingToRefund extends ProblemError {}

/** There is no cash to remit to this customer. */
export class NothingToRemit extends ProblemError {}

/** SMS codes to this type of number are not allowed. */
export class NumberNotAllowed extends ProblemError {}

/** The order has changed during the request. */
export class OrderChanged extends ProblemError {}

/** The order is closed. */
export class OrderClosed extends ProblemError {}

/** Another order configuration has this key. */
export class OrderConfigKeyTaken extends ProblemError {}

/** The default order configuration cannot be deleted. */
export class OrderConfigNeeded extends ProblemError {}

/** The order is charged in another currency. */
export class OrderCurrencyDiffers extends ProblemError {}

/** The order is on an issued invoice. */
export class OrderInvoiced extends ProblemError {}

/** The order is not canceled. */
export class OrderNotCanceled extends ProblemError {}

/** The order is not completed. */
export class OrderNotCompleted extends ProblemError {}

/** The goods of this order were returned. */
export class OrderReturned extends ProblemError {}

/** This store does not accept orders from customers. */
export class OrderingOff extends ProblemError {}

/** The database connection was lost while saving. */
export class OutcomeUnknown extends ProblemError {}

/** The server is overloaded. */
export class Overloaded extends ProblemError {}

/** The payload's order is in progress. */
export class PayloadBegun extends ProblemError {}

/** The payload's order is closed. */
export class PayloadClosed extends ProblemError {}

/** The payload belongs to an order. */
export class PayloadOrdered extends ProblemError {}

/** The payload belongs to another order. */
export class PayloadTaken extends ProblemError {}

/** The gateway no longer has this customer. */
export class PaymentAccountGone extends ProblemError {}

/** A test gateway cannot serve a live company. */
export class PaymentGatewayIsTest extends ProblemError {}

/** The payment gateway rejects this installation's keys. */
export class PaymentGatewayMisconfigured extends ProblemError {}

/** No payment gateway is configured. */
export class PaymentGatewayNotConfigured extends ProblemError {}

/** The payment gateway rejected the request. */
export class PaymentGatewayRefused extends ProblemError {}

/** The payment gateway is unavailable. */
export class PaymentGatewayUnavailable extends ProblemError {}

/** The gateway's signature is missing, wrong or expired. */
export class PaymentNoticeRefused extends ProblemError {}

/** The card was declined. */
export class PaymentRefused extends ProblemError {}

/** The order is not paid. */
export class PaymentRequired extends ProblemError {}

/** Another driver has this phone number. */
export class PhoneTaken extends ProblemError {}

/** A ping cannot be replayed. */
export class PingNotReplayable extends ProblemError {}

/** The plan is finished. */
export class PlanFinished extends ProblemError {}

/** The plan is not accepted. */
export class PlanNotAccepted extends ProblemError {}

/** The plan is not ready. */
export class PlanNotDone extends ProblemError {}

/** The plan is too old to be edited. */
export class PlanNotEditable extends ProblemError {}

/** The plan is outdated. */
export class PlanOutdated extends ProblemError {}

/** The code is wrong or no longer valid. */
export class PodCodeIncorrect extends ProblemError {}

/** Too many wrong codes. */
export class PodCodeLocked extends ProblemError {}

/** There is no phone number to send a code to. */
export class PodRecipientPhoneMissing extends ProblemError {}

/** A proof of delivery is required. */
export class PodRequired extends ProblemError {}

/** The resource has changed since you read it. */
export class PreconditionFailed extends ProblemError {}

/** The order's price was accepted. */
export class PriceFixed extends ProblemError {}

/** The order has no price. */
export class PriceRequired extends ProblemError {}

/** Too many quotes are being priced. */
export class PricingBusy extends ProblemError {}

/** This server is too old for its database. */
export class ProgramOutdated extends ProblemError {}

/** This `proof_uuid` belongs to a different proof. */
export class ProofConflict extends ProblemError {}

/** This sign-in provider is not enabled for the store. */
export class ProviderNotEnabled extends ProblemError {}

/** The provider's token was rejected. */
export class ProviderProofInvalid extends ProblemError {}

/** The provider's token has already been used. */
export class ProviderProofReplayed extends ProblemError {}

/** The provider's token is missing. */
export class ProviderProofRequired extends ProblemError {}

/** Another customer uses this provider account. */
export class ProviderTaken extends ProblemError {}

/** The provider cannot be reached. */
export class ProviderUnavailable extends ProblemError {}

/** This order already has an accepted quote. */
export class QuoteAlreadyAccepted extends ProblemError {}

/** The quote has expired. */
export class QuoteExpired extends ProblemError {}

/** The price of this quote is an estimate. */
export class QuoteNotFirm extends ProblemError {}

/** The order has changed since this quote. */
export class QuoteReplaced extends ProblemError {}

/** The quote is for a different shipment. */
export class QuoteStale extends ProblemError {}

/** The range lies beyond the end of the file. */
export class RangeNotSatisfiable extends ProblemError {}

/** Too many files are being read at once. */
export class ReadersBusy extends ProblemError {}

/** No event could be stored. */
export class ReadingRefused extends ProblemError {}

/** This day already has an order. */
export class RecurringDayDecided extends ProblemError {}

/** This day has passed. */
export class RecurringDayPassed extends ProblemError {}

/** This recurring order has ended. */
export class RecurringOrderEnded extends ProblemError {}

/** The request could not be read. */
export class RequestMalformed extends ProblemError {}

/** The request arrived too slowly. */
export class RequestTimeout extends ProblemError {}

/** More pieces would be returned than were delivered. */
export class ReturnExceedsDelivered extends ProblemError {}

/** The items of a return cannot be changed. */
export class ReturnItemsFixed extends ProblemError {}

/** The sample data was already added. */
export class SampleDataExists extends ProblemError {}

/** You already have a view with this name. */
export class SavedViewExists extends ProblemError {}

/** The search matches too many records. */
export class SearchTooBroad extends ProblemError {}

/** The service area has zones. */
export class ServiceAreaHasZones extends ProblemError {}

/** A company can have at most 20,000 rates. */
export class ServiceRateLimit extends ProblemError {}

/** This sign-in was not verified. */
export class SignInUnproved extends ProblemError {}

/** The signature is blank. */
export class SignatureBlank extends ProblemError {}

/** A simulation of this order is running. */
export class SimulationRunning extends ProblemError {}

/** The daily limit for SMS codes has been reached. */
export class SmsCapReached extends ProblemError {}

/** SMS codes to this country are paused. */
export class SmsPaused extends ProblemError {}

/** This status was recorded by the order's flow. */
export class StatusKept extends ProblemError {}

/** File storage is unavailable. */
export class StorageUnavailable extends ProblemError {}

/** The document cannot have a structured form. */
export class StructuredInvoiceIncomplete extends ProblemError {}

/** A recurring order uses this template. */
export class TemplateInUse extends ProblemError {}

/** Only test companies can do this. */
export class TestCompanyRequired extends ProblemError {}

/** A robot cannot read this recipient's SMS code. */
export class TestRecipientRequired extends ProblemError {}

/** Other batches of orders are in progress. */
export class TooManyBatches extends ProblemError {}

/** Too many connections from one IP address. */
export class TooManyConnections extends ProblemError {}

/** There are too many entries. */
export class TooManyEntries extends ProblemError {}

/** A request can contain at most 5,000 device events. */
export class TooManyEvents extends ProblemError {}

/** A company can have at most 20 unfinished imports. */
export class TooManyImports extends ProblemError {}

/** The invoice would have too many lines. */
export class TooManyLines extends ProblemError {}

/** An issue can have at most 20 photos. */
export class TooManyPhotos extends ProblemError {}

/** A company can have at most 20 unfinished plans. */
export class TooManyPlans extends ProblemError {}

/** An order, stop or item accepts at most 50 proofs. */
export class TooManyProofs extends ProblemError {}

/** Too many requests. */
export class TooManyRequests extends ProblemError {}

/** The order has too many returns. */
export class TooManyReturns extends ProblemError {}

/** You already have 50 views. */
export class TooManySavedViews extends ProblemError {}

/** At most 20 simulations can run at once. */
export class TooManySimulations extends ProblemError {}

/** Too many streams and exports are open. */
export class TooManyStreams extends ProblemError {}

/** The transaction is paid. */
export class TransactionPaid extends ProblemError {}

/** The transaction is voided. */
export class TransactionVoided extends ProblemError {}

/** A valid credential is required. */
export class Unauthenticated extends ProblemError {}

/** The service is temporarily unavailable. */
export class Unavailable extends ProblemError {}

/** The body has unknown fields. */
export class UnknownField extends ProblemError {}

/** The query has unknown parameters. */
export class UnknownParameter extends ProblemError {}

/** A filter has an unknown value. */
export class UnknownValue extends ProblemError {}

/** The content type is not supported. */
export class UnsupportedMediaType extends ProblemError {}

/** Some fields are missing or invalid. */
export class ValidationFailed extends ProblemError {}

/** The vehicle is assigned to another driver. */
export class VehicleTaken extends ProblemError {}

/** The email address must be verified first. */
export class VerificationRequired extends ProblemError {}

/** Work at this stop has begun. */
export class WaypointBegun extends ProblemError {}

/** The delivery's webhook was deleted. */
export class WebhookDeleted extends ProblemError {}

/** A company can have at most 100 webhooks. */
export class WebhookLimit extends ProblemError {}

/** The delivery's webhook is not enabled. */
export class WebhookNotEnabled extends ProblemError {}

/** The classes by code. */
export const BY_CODE = new Map<string, typeof ProblemError>([
  ["address_not_found", AddressNotFound],
  ["already_taken", AlreadyTaken],
  ["app_key_missing", AppKeyMissing],
  ["attachment_overlaps", AttachmentOverlaps],
  ["batch_key_reused", BatchKeyReused],
  ["batch_time_exhausted", BatchTimeExhausted],
  ["body_too_large", BodyTooLarge],
  ["body_unreadable", BodyUnreadable],
  ["cash_already_collected", CashAlreadyCollected],
  ["cash_balance_changed", CashBalanceChanged],
  ["cash_collected", CashCollected],
  ["channel_not_configured", ChannelNotConfigured],
  ["clock_wrong", ClockWrong],
  ["code_expired", CodeExpired],
  ["code_mismatch", CodeMismatch],
  ["code_unreadable", CodeUnreadable],
  ["collection_conflict", CollectionConflict],
  ["company_in_use", CompanyInUse],
  ["conflict", Conflict],
  ["country_not_allowed", CountryNotAllowed],
  ["csrf_failed", CsrfFailed],
  ["cursor_invalid", CursorInvalid],
  ["customer_exists", CustomerExists],
  ["customer_has_open_orders", CustomerHasOpenOrders],
  ["customer_not_closed", CustomerNotClosed],
  ["customer_token_invalid", CustomerTokenInvalid],
  ["database_unavailable", DatabaseUnavailable],
  ["delivery_in_flight", DeliveryInFlight],
  ["device_fixed", DeviceFixed],
  ["device_kind_fixed", DeviceKindFixed],
  ["device_left", DeviceLeft],
  ["device_not_attached", DeviceNotAttached],
  ["devices_busy", DevicesBusy],
  ["devices_stream_unavailable", DevicesStreamUnavailable],
  ["documents_busy", DocumentsBusy],
  ["driver_has_phone", DriverHasPhone],
  ["driver_inactive", DriverInactive],
  ["driver_offline", DriverOffline],
  ["driver_required", DriverRequired],
  ["driver_unlocated", DriverUnlocated],
  ["email_taken", EmailTaken],
  ["events_expired", EventsExpired],
  ["file_empty", FileEmpty],
  ["file_held", FileHeld],
  ["file_too_large", FileTooLarge],
  ["fleet_circle", FleetCircle],
  ["forbidden", Forbidden],
  ["fresh_sign_in_required", FreshSignInRequired],
  ["geocoder_not_configured", GeocoderNotConfigured],
  ["geocoder_unavailable", GeocoderUnavailable],
  ["head_too_large", HeadTooLarge],
  ["idempotency_in_progress", IdempotencyInProgress],
  ["idempotency_key_reused", IdempotencyKeyReused],
  ["identifier_taken", IdentifierTaken],
  ["illegal_move", IllegalMove],
  ["image_too_large", ImageTooLarge],
  ["image_too_slow", ImageTooSlow],
  ["image_unreadable", ImageUnreadable],
  ["image_unsupported", ImageUnsupported],
  ["import_file_gone", ImportFileGone],
  ["import_file_unreadable", ImportFileUnreadable],
  ["import_state", ImportState],
  ["installation_silent", InstallationSilent],
  ["internal", Internal],
  ["internal_id_busy", InternalIdBusy],
  ["internal_id_taken", InternalIdTaken],
  ["invalid_code", InvalidCode],
  ["invalid_credentials", InvalidCredentials],
  ["invoice_credited", InvoiceCredited],
  ["invoice_is_draft", InvoiceIsDraft],
  ["invoice_issued", InvoiceIssued],
  ["invoice_not_creditable", InvoiceNotCreditable],
  ["invoice_not_payable", InvoiceNotPayable],
  ["invoice_outdated", InvoiceOutdated],
  ["invoice_paid", InvoicePaid],
  ["issue_open", IssueOpen],
  ["issue_resolved", IssueResolved],
  ["key_replaced", KeyReplaced],
  ["key_revoked", KeyRevoked],
  ["last_admin", LastAdmin],
  ["last_way_in", LastWayIn],
  ["last_waypoint", LastWaypoint],
  ["link_expired", LinkExpired],
  ["link_invalid", LinkInvalid],
  ["login_failed", LoginFailed],
  ["message_conflict", MessageConflict],
  ["method_not_allowed", MethodNotAllowed],
  ["mismatch_unexplained", MismatchUnexplained],
  ["no_cash_due", NoCashDue],
  ["no_verified_identity", NoVerifiedIdentity],
  ["not_a_recurring_day", NotARecurringDay],
  ["not_followed", NotFollowed],
  ["not_found", NotFound],
  ["nothing_to_hand_in", NothingToHandIn],
  ["nothing_to_invoice", NothingToInvoice],
  ["nothing_to_refund", NothingToRefund],
  ["nothing_to_remit", NothingToRemit],
  ["number_not_allowed", NumberNotAllowed],
  ["order_changed", OrderChanged],
  ["order_closed", OrderClosed],
  ["order_config_key_taken", OrderConfigKeyTaken],
  ["order_config_needed", OrderConfigNeeded],
  ["order_currency_differs", OrderCurrencyDiffers],
  ["order_invoiced", OrderInvoiced],
  ["order_not_canceled", OrderNotCanceled],
  ["order_not_completed", OrderNotCompleted],
  ["order_returned", OrderReturned],
  ["ordering_off", OrderingOff],
  ["outcome_unknown", OutcomeUnknown],
  ["overloaded", Overloaded],
  ["payload_begun", PayloadBegun],
  ["payload_closed", PayloadClosed],
  ["payload_ordered", PayloadOrdered],
  ["payload_taken", PayloadTaken],
  ["payment_account_gone", PaymentAccountGone],
  ["payment_gateway_is_test", PaymentGatewayIsTest],
  ["payment_gateway_misconfigured", PaymentGatewayMisconfigured],
  ["payment_gateway_not_configured", PaymentGatewayNotConfigured],
  ["payment_gateway_refused", PaymentGatewayRefused],
  ["payment_gateway_unavailable", PaymentGatewayUnavailable],
  ["payment_notice_refused", PaymentNoticeRefused],
  ["payment_refused", PaymentRefused],
  ["payment_required", PaymentRequired],
  ["phone_taken", PhoneTaken],
  ["ping_not_replayable", PingNotReplayable],
  ["plan_finished", PlanFinished],
  ["plan_not_accepted", PlanNotAccepted],
  ["plan_not_done", PlanNotDone],
  ["plan_not_editable", PlanNotEditable],
  ["plan_outdated", PlanOutdated],
  ["pod_code_incorrect", PodCodeIncorrect],
  ["pod_code_locked", PodCodeLocked],
  ["pod_recipient_phone_missing", PodRecipientPhoneMissing],
  ["pod_required", PodRequired],
  ["precondition_failed", PreconditionFailed],
  ["price_fixed", PriceFixed],
  ["price_required", PriceRequired],
  ["pricing_busy", PricingBusy],
  ["program_outdated", ProgramOutdated],
  ["proof_conflict", ProofConflict],
  ["provider_not_enabled", ProviderNotEnabled],
  ["provider_proof_invalid", ProviderProofInvalid],
  ["provider_proof_replayed", ProviderProofReplayed],
  ["provider_proof_required", ProviderProofRequired],
  ["provider_taken", ProviderTaken],
  ["provider_unavailable", ProviderUnavailable],
  ["quote_already_accepted", QuoteAlreadyAccepted],
  ["quote_expired", QuoteExpired],
  ["quote_not_firm", QuoteNotFirm],
  ["quote_replaced", QuoteReplaced],
  ["quote_stale", QuoteStale],
  ["range_not_satisfiable", RangeNotSatisfiable],
  ["readers_busy", ReadersBusy],
  ["reading_refused", ReadingRefused],
  ["recurring_day_decided", RecurringDayDecided],
  ["recurring_day_passed", RecurringDayPassed],
  ["recurring_order_ended", RecurringOrderEnded],
  ["request_malformed", RequestMalformed],
  ["request_timeout", RequestTimeout],
  ["return_exceeds_delivered", ReturnExceedsDelivered],
  ["return_items_fixed", ReturnItemsFixed],
  ["sample_data_exists", SampleDataExists],
  ["saved_view_exists", SavedViewExists],
  ["search_too_broad", SearchTooBroad],
  ["service_area_has_zones", ServiceAreaHasZones],
  ["service_rate_limit", ServiceRateLimit],
  ["sign_in_unproved", SignInUnproved],
  ["signature_blank", SignatureBlank],
  ["simulation_running", SimulationRunning],
  ["sms_cap_reached", SmsCapReached],
  ["sms_paused", SmsPaused],
  ["status_kept", StatusKept],
  ["storage_unavailable", StorageUnavailable],
  ["structured_invoice_incomplete", StructuredInvoiceIncomplete],
  ["template_in_use", TemplateInUse],
  ["test_company_required", TestCompanyRequired],
  ["test_recipient_required", TestRecipientRequired],
  ["too_many_batches", TooManyBatches],
  ["too_many_connections", TooManyConnections],
  ["too_many_entries", TooManyEntries],
  ["too_many_events", TooManyEvents],
  ["too_many_imports", TooManyImports],
  ["too_many_lines", TooManyLines],
  ["too_many_photos", TooManyPhotos],
  ["too_many_plans", TooManyPlans],
  ["too_many_proofs", TooManyProofs],
  ["too_many_requests", TooManyRequests],
  ["too_many_returns", TooManyReturns],
  ["too_many_saved_views", TooManySavedViews],
  ["too_many_simulations", TooManySimulations],
  ["too_many_streams", TooManyStreams],
  ["transaction_paid", TransactionPaid],
  ["transaction_voided", TransactionVoided],
  ["unauthenticated", Unauthenticated],
  ["unavailable", Unavailable],
  ["unknown_field", UnknownField],
  ["unknown_parameter", UnknownParameter],
  ["unknown_value", UnknownValue],
  ["unsupported_media_type", UnsupportedMediaType],
  ["validation_failed", ValidationFailed],
  ["vehicle_taken", VehicleTaken],
  ["verification_required", VerificationRequired],
  ["waypoint_begun", WaypointBegun],
  ["webhook_deleted", WebhookDeleted],
  ["webhook_limit", WebhookLimit],
  ["webhook_not_enabled", WebhookNotEnabled],
]);
