"""The structured form of a document: Factur-X (ZUGFeRD), profile EN 16931, as CII XML.

The numbers of rules, such as BR-27, are those of EN 16931.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple

from pannier.errors import Conflict
from pannier.invoices.document import DocumentLine, InvoiceDocument, Party, TaxTotal
from pannier.invoices.phrases import InvoicePhrase
from pannier.kit import money
from pannier.locales.catalogue import find_language
from pannier.proofs.phrases import translate

PROFILE: Final = "urn:cen.eu:en16931:2017"
SCHEMA: Final = "FACTUR-X_EN16931"
TYPE_CODES: Final = {"invoice": "380", "credit_note": "381"}
SEPA_TRANSFER, TRANSFER = "58", "30"
PIECE: Final = "C62"
# EN 16931 has no amounts with more decimals.
MAX_DECIMALS: Final = 2
ADDRESS_LINES: Final = ("line_one", "line_two", "line_three")
NO_TAX: Final = "No tax was charged."
_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# A VAT number begins with the code of its country (BR-CO-9).
_VAT_NUMBER: Final = re.compile(r"[A-Z]{2}[A-Z0-9+*]{2,}")


class StructuredInvoiceIncomplete(Conflict):
    """EN 16931 requires facts that the document does not have, or cannot express its currency.

    An issued document does not change: complete the company's or the customer's data before the
    next one is issued.
    """

    code = "structured_invoice_incomplete"
    title = "The document cannot have a structured form."
    remedy = "Complete the data of the company and the customer before you issue."


class TaxCategory(NamedTuple):
    """A category of tax by UNTDID 5305, and why no tax was charged."""

    code: str
    exemption_reason: str | None = None


def list_missing_facts(document: InvoiceDocument) -> list[str]:
    """List what the structured form of a document lacks."""
    facts = {
        "a number": document.number is not None,
        "the seller's country": document.seller.country is not None,
        "the seller's tax number": document.seller.tax_number is not None,
        "the buyer's country": document.buyer.country is not None,
        f"a currency with at most {MAX_DECIMALS} decimals": money.exponent(document.currency)
        <= MAX_DECIMALS,
        f"taxes within 1 {document.currency} of their rates": all(
            _is_near_rate(total, document.currency) for total in document.taxes
        ),
    }
    return [name for name, is_known in facts.items() if not is_known]


def _is_near_rate(total: TaxTotal, currency: str) -> bool:
    """Whether a tax is near its rate (BR-CO-17). Taxes that many lines rounded may not be."""
    expected_tax = Decimal(total.net_amount) * (total.rate or 0) / 100
    return abs(expected_tax - total.tax_amount) < Decimal(10) ** money.exponent(currency)


def render_xml(document: InvoiceDocument) -> bytes:
    """Render a document as XML, or raise StructuredInvoiceIncomplete."""
    missing_facts = list_missing_facts(document)
    if missing_facts:
        raise StructuredInvoiceIncomplete(f"It lacks {', '.join(missing_facts)}.")
    return _XmlBuilder(document).build()


class _XmlBuilder:
    """Builds the XML of a document. A credit note's amounts are what is credited."""

    def __init__(self, document: InvoiceDocument) -> None:
        # Imported here, because a plain start does not need them.
        from drafthorse.models import (  # noqa: PLC0415 - see above
            accounting,
            note,
            party,
            payment,
            tradelines,
        )
        from drafthorse.models.document import Document  # noqa: PLC0415 - see above

        self._source = document
        self._sign = -1 if document.kind == "credit_note" else 1
        self._make_tax = accounting.ApplicableTradeTax
        self._make_note = note.IncludedNote
        self._make_registration = party.TaxRegistration
        self._make_means = payment.PaymentMeans
        self._make_terms = payment.PaymentTerms
        self._make_line = tradelines.LineItem
        self._xml = Document()

    def build(self) -> bytes:
        """Build the XML and validate it against the schema."""
        self._add_header()
        self._add_party(self._xml.trade.agreement.seller, self._source.seller)
        self._add_party(self._xml.trade.agreement.buyer, self._source.buyer)
        self._add_settlement()
        self._add_payment()
        self._add_sums()
        for line in self._source.lines:
            self._xml.trade.items.add(self._build_line(line))
        return bytes(self._xml.serialize(schema=SCHEMA))

    def _to_decimal(self, amount: int) -> Decimal:
        return money.Money(self._sign * amount, self._source.currency).to_decimal()

    def _add_header(self) -> None:
        document, header = self._source, self._xml.header
        self._xml.context.guideline_parameter.id = PROFILE
        header.id = _clean(document.number or "")
        header.type_code = TYPE_CODES[document.kind]
        header.issue_date_time = document.issue_date
        for text in (document.notes, document.footer):
            if text:
                note = self._make_note()
                note.content = _clean(text)
                header.notes.add(note)
        if document.reference:
            self._xml.trade.agreement.buyer_reference = _clean(document.reference)
        if document.supply_to is not None:
            self._xml.trade.delivery.event.occurrence = document.supply_to

    def _add_party(self, element: Any, party: Party) -> None:  # noqa: ANN401 - drafthorse has no types
        element.name = _clean(party.name) or "-"
        address = element.address
        address.country_id = party.country
        for name, line in zip(ADDRESS_LINES, _fold_lines(party.address_lines), strict=False):
            setattr(address, name, _clean(line))
        if party.postal_code:
            address.postcode = _clean(party.postal_code)
        if party.city:
            address.city_name = _clean(party.city)
        if party.tax_number:
            self._add_tax_number(element, party.tax_number)

    def _add_tax_number(self, element: Any, text: str) -> None:  # noqa: ANN401 - drafthorse has no types
        number = re.sub(r"[\s.-]", "", _clean(text)).upper()
        is_vat_number = _VAT_NUMBER.fullmatch(number) is not None
        if not is_vat_number:
            element.id = _clean(text)  # identifies the seller (BR-CO-26)
        is_seller = element is self._xml.trade.agreement.seller
        if is_vat_number or is_seller:
            scheme = "VA" if is_vat_number else "FC"
            identifier = (scheme, number if is_vat_number else _clean(text))
            element.tax_registrations.add(self._make_registration(id=identifier))

    def _add_settlement(self) -> None:
        document, settlement = self._source, self._xml.trade.settlement
        settlement.payment_reference = _clean(document.number or "")
        settlement.currency_code = document.currency
        if document.supply_from is not None and document.supply_to is not None:
            settlement.period.start = document.supply_from
            settlement.period.end = document.supply_to
        for total in document.taxes:
            category, tax = choose_category(total.rate), self._make_tax()
            tax.calculated_amount = self._to_decimal(total.tax_amount)
            tax.type_code = "VAT"
            tax.basis_amount = self._to_decimal(total.net_amount)
            tax.category_code = category.code
            tax.rate_applicable_percent = _to_percent(total.rate)
            if category.exemption_reason is not None:
                tax.exemption_reason = category.exemption_reason
            settlement.trade_tax.add(tax)
        if document.refers_to is not None:
            reference = settlement.invoice_referenced_document
            reference.issuer_assigned_id = _clean(document.refers_to.number)
            reference.issue_date_time = document.refers_to.issue_date

    def _add_payment(self) -> None:
        document, payment = self._source, self._source.payment
        settlement = self._xml.trade.settlement
        terms = self._make_terms()
        if document.due_date is not None:
            terms.due = document.due_date
        if payment.text or document.due_date is None:  # one of them is required (BR-CO-25)
            kind = translate(InvoicePhrase(document.kind), find_language(document.locale))
            terms.description = _clean(payment.text or kind)
        settlement.terms.add(terms)
        if payment.iban is None or document.kind == "credit_note":
            return
        means = self._make_means()
        means.type_code = SEPA_TRANSFER if document.currency == "EUR" else TRANSFER
        means.payee_account.iban = "".join(payment.iban.split())
        if payment.bic:
            means.payee_institution.bic = "".join(payment.bic.split())
        settlement.payment_means.add(means)

    def _add_sums(self) -> None:
        document, sums = self._source, self._xml.trade.settlement.monetary_summation
        is_invoice = document.kind == "invoice"
        paid_amount = document.amount - document.due_amount if is_invoice else 0
        sums.line_total = sums.tax_basis_total = self._to_decimal(document.net_amount)
        sums.charge_total = sums.allowance_total = self._to_decimal(0)
        sums.tax_total = (self._to_decimal(document.tax_amount), document.currency)
        sums.grand_total = self._to_decimal(document.amount)
        sums.prepaid_total = self._to_decimal(paid_amount)
        sums.due_amount = self._to_decimal(document.amount - paid_amount)

    def _build_line(self, line: DocumentLine) -> Any:  # noqa: ANN401 - drafthorse has no types
        element, amount = self._make_line(), self._to_decimal(line.net_amount)
        category = choose_category(line.tax_rate)
        element.document.line_id = str(line.position)
        element.product.name = _clean(line.description) or line.kind
        details = line.order_label
        if details:
            element.product.description = _clean(details)
        # Prices are never negative (BR-27), so a credit is a negative quantity.
        element.agreement.net.amount = abs(amount)
        element.delivery.billed_quantity = (Decimal(-1 if amount < 0 else 1), PIECE)
        settlement = element.settlement
        settlement.trade_tax.type_code = "VAT"
        settlement.trade_tax.category_code = category.code
        settlement.trade_tax.rate_applicable_percent = _to_percent(line.tax_rate)
        settlement.period.start = settlement.period.end = line.date
        settlement.monetary_summation.total_amount = amount
        return element


def choose_category(rate: Decimal | None) -> TaxCategory:
    """Choose the category of a tax rate: standard, zero or exempt."""
    if rate is None:
        return TaxCategory("E", NO_TAX)
    return TaxCategory("S") if rate else TaxCategory("Z")


def _fold_lines(lines: Sequence[str]) -> list[str]:
    """Put the lines that are too many into the last one."""
    last = len(ADDRESS_LINES) - 1
    return [*lines[:last], ", ".join(lines[last:])] if len(lines) > last else list(lines)


def _to_percent(rate: Decimal | None) -> Decimal:
    return Decimal(f"{(rate or Decimal(0)).normalize():f}")


def _clean(text: str) -> str:
    """Remove the characters that XML cannot contain."""
    return _NOT_XML.sub("", text).strip()
