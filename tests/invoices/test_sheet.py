"""The paper of a document says what its snapshot says, in the company's language."""

import cProfile
from datetime import date
from decimal import Decimal
from io import BytesIO
from itertools import pairwise

import pypdfium2
import pytest
import zxingcpp
from PIL import Image

from invoices.papers import BANK, DAY, SELLER, line, paper
from pannier.invoices.bank_codes import make_payment_code
from pannier.invoices.document import Brand, DocumentReference, InvoiceDocument, Party
from pannier.invoices.phrases import Formats
from pannier.invoices.printing import render_pdf
from proofs import printed

# Prints a dozen sheets.
pytestmark = pytest.mark.slow

MIXED = [line(1), line(2, tax_rate=Decimal(7), tax_amount=70, amount=1070, tracking_number=None)]


def read(document: InvoiceDocument) -> str:
    return " ".join(printed.pages(render_pdf(document)))


def missing(document: InvoiceDocument, *wanted: str) -> list[str]:
    text = printed.text(render_pdf(document))
    return [words for words in wanted if printed.bare(words) not in text]


def test_an_invoice_shows_the_parties_lines_taxes_and_payment() -> None:
    document = paper(MIXED, paid_amount=500, reference="PO 7", notes="Thank you.", footer="HRB 1")
    wanted = [
        "Invoice INV-2026-00042", "Velo Kurier GmbH", "Lange Straße 12", "10115 Berlin",
        "Tax number DE136695976", "Lovelace & Daughters", "1 Analytical Row", "SG201912345A",
        "1 Apr 2026", "15 Apr 2026", "2 Mar 2026 to 31 Mar 2026", "PO 7", "Same-day delivery 1",
        "order_5uJr2EwZ7bQx9KmT · PNR7F3K9D2MXQ4", "3 Mar 2026", "19% 10.00 11.90",
        "7% 10.00 10.70", "Total without tax 20.00", "Tax 19% on 10.00 1.90",
        "Tax 7% on 10.00 0.70", "Total EUR, tax included 22.60", "Already paid -5.00",
        "Amount due EUR 17.60", "Please pay 17.60 EUR by 15 Apr 2026.",
        "DE75 5121 0800 1245 1261 99", "SOGEDEFF", "Thank you.", "HRB 1", "Page 1 of 1",
    ]  # fmt: skip
    assert missing(document, *wanted) == []


def test_an_invoice_names_orders_as_the_company_does() -> None:
    text = printed.text(render_pdf(paper([line(order_number="SO-2041")])))
    assert printed.bare("SO-2041") in text
    assert printed.bare("order_5uJr2EwZ7bQx9KmT") not in text


def test_equal_documents_have_the_same_bytes() -> None:
    assert render_pdf(paper(MIXED)) == render_pdf(paper(MIXED))


def test_every_page_carries_its_sum_to_the_next() -> None:
    pages = printed.pages(render_pdf(paper([line(number) for number in range(1, 61)])))
    assert len(pages) > 2
    for number, (page, following) in enumerate(pairwise(pages), start=1):
        assert f"Page {number} of {len(pages)}" in page
        if "Carried forward" in page:
            carried = page.split("Carried forward ")[1].split()[0]
            assert f"Brought forward {carried}" in following
            assert "Description" in following
    assert "Carried forward" in pages[0]
    assert "Total EUR, tax included 714.00" in " ".join(pages)


@pytest.mark.parametrize(
    ("locale", "wanted"),
    [
        ("de-CH", ["Rechnung", "01.04.2026", "Summe EUR inkl. Steuer 1.234,50", "19 %"]),
        ("fr", ["Facture", "01/04/2026", "Total EUR taxe comprise 1 234,50"]),
        ("ja", ["Invoice", "1 Apr 2026", "1,234.50"]),
    ],
)
def test_an_invoice_is_in_the_companys_language(locale: str, wanted: list[str]) -> None:
    assert missing(paper([line(amount=123450)], locale=locale), *wanted) == []


@pytest.mark.parametrize(
    ("currency", "amount", "shown"),
    [
        ("EUR", 123456789, "1,234,567.89"),
        ("JPY", 1234567, "1,234,567"),
        ("JPY", 999, "999"),
        ("KWD", -1234567, "-1,234.567"),
        ("CLF", 5, "0.0005"),
    ],
)
def test_amounts_have_the_decimals_of_their_currency(
    currency: str, amount: int, shown: str
) -> None:
    assert Formats("en", currency).format_amount(amount) == shown


def test_an_invoice_without_tax_has_no_tax_columns() -> None:
    text = read(paper([line(tax_rate=None, tax_amount=0)], currency="KWD"))
    assert "Total KWD 1.190" in text
    assert "tax included" not in text
    assert "Net" not in text


def test_a_credit_note_names_its_invoice_and_shows_what_is_credited() -> None:
    credited = paper(
        [line(amount=-1190, tax_amount=-190)],
        kind="credit_note",
        number="CN-2026-00001",
        refers_to=DocumentReference(number="INV-2026-00042", issue_date=DAY),
    )
    wanted = [
        "Credit note CN-2026-00001",
        "Corrects invoice INV-2026-00042 of 2 Mar 2026.",
        "Tax 19% on 10.00 1.90",
        "Total EUR, tax included 11.90",
    ]
    assert missing(credited, *wanted) == []
    assert "Please pay" not in read(credited)


def test_a_draft_is_marked_on_every_page() -> None:
    draft = paper([line(number) for number in range(1, 40)], number=None)
    pages = printed.pages(render_pdf(draft))
    assert len(pages) > 1
    assert all("Draft, not valid as an invoice" in page for page in pages)
    assert make_payment_code(draft) is None


def test_a_paid_invoice_asks_for_nothing() -> None:
    text = read(paper(paid_amount=1190))
    assert "This invoice is paid." in text
    assert "IBAN" not in text


def test_an_invoice_prints_the_names_of_the_world() -> None:
    names = ["株式会社東京配送", "شركة محمد", "Ünïcode Ελληνικά Кириллица"]
    documents = [paper(buyer=Party(name=name)) for name in names]
    assert [
        missing(document, document.buyer.name) for document in (documents[0], documents[2])
    ] == [
        [],
        [],
    ]
    assert render_pdf(documents[1])


def test_a_bank_app_reads_the_code_of_an_invoice() -> None:
    document = paper(seller=Party(name="Müller & Söhne"))
    page = pypdfium2.PdfDocument(render_pdf(document))[0]
    (code,) = zxingcpp.read_barcodes(page.render(scale=3).to_pil())
    assert code.bytes.decode().splitlines() == [
        "BCD", "002", "1", "SCT", "SOGEDEFF", "Müller & Söhne", "DE75512108001245126199",
        "EUR11.90", "", "", "INV-2026-00042",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "document",
    [
        paper(currency="CHF"),
        paper(payment=type(BANK)(text="Pay at the desk.")),
        paper(paid_amount=1190),
        paper(kind="credit_note"),
    ],
    ids=["francs", "no account", "paid", "credit note"],
)
def test_only_an_open_invoice_in_euros_has_a_code(document: InvoiceDocument) -> None:
    assert make_payment_code(document) is None


def test_an_invoice_has_the_logo_of_the_brand_if_it_can_be_read() -> None:
    drawn = BytesIO()
    Image.new("RGB", (200, 80), "teal").save(drawn, "PNG")
    document = paper(brand=Brand(name="Velo", logo="file_1"))
    plain = render_pdf(document)
    assert len(printed.images(render_pdf(document, drawn.getvalue()))) == 1
    assert render_pdf(document, b"no picture") == plain


def test_long_texts_stay_on_the_paper() -> None:
    document = paper(
        [line(description="Very long " * 300)],
        buyer=Party(name="W" * 300, address_lines=("Long street name " * 200,)),
        seller=Party(name="Sons of couriers " * 20, address_lines=SELLER.address_lines),
        reference="PO " * 60,
        issue_date=date(2026, 4, 1),
    )
    for _, (left, bottom, right, top) in printed.letters(render_pdf(document)):
        assert 0 <= left <= right <= 596
        assert 0 <= bottom <= top <= 842


def count_calls(lines: int) -> int:
    document = paper([line(position) for position in range(1, lines + 1)])
    profile = cProfile.Profile()
    profile.runcall(render_pdf, document)
    return sum(entry.callcount for entry in profile.getstats())


def test_a_line_takes_few_calls_so_that_long_invoices_are_printed_in_seconds() -> None:
    render_pdf(paper())  # the imports
    calls = (count_calls(220) - count_calls(20)) / 200
    # An invoice of 2,000 lines takes 2.5 s of CPU time with them, and took 5 s with 8,800.
    assert calls < 4500
