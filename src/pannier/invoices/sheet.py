"""Layout of the pages of an invoice or a credit note."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, time
from typing import Final, NamedTuple

from pannier.invoices.archival import XML_NAME, XML_RELATIONSHIP, XML_TYPE, make_metadata
from pannier.invoices.bank_codes import make_payment_code
from pannier.invoices.document import DocumentLine, InvoiceDocument, Party
from pannier.invoices.phrases import Formats, InvoicePhrase
from pannier.locales.catalogue import find_language
from pannier.proofs.pdf import fonts
from pannier.proofs.pdf.blocks import SheetField, draw_fields, draw_heading, draw_letterhead
from pannier.proofs.pdf.paper import (
    BOTTOM_MM,
    LEFT_MM,
    RIGHT_MM,
    TOP_MM,
    WIDTH_MM,
    Cell,
    Paper,
    Text,
)
from pannier.proofs.pdf.styles import (
    AMBER,
    BODY,
    CODE,
    FINE,
    LABEL,
    QUIET,
    SMALL,
    STRONG,
    TITLE,
    Style,
    choose_accent_colour,
)
from pannier.proofs.phrases import translate

SELLER_WIDTH_MM: Final = 68.0
BUYER_WIDTH_MM: Final = 90.0
ROW_GAP_MM: Final = 0.8
# Room for the sum that a page carries forward.
CARRY_MM: Final = 7.0
QR_SIZE_MM: Final = 30.0
TOTALS_WIDTH_MM: Final = 92.0
AMOUNT_WIDTH_MM: Final = 34.0


class LineColumn(NamedTuple):
    """A column of the table of lines."""

    label: str
    width: float
    align_right: bool = False


_POSITION: Final = LineColumn("#", 8)
_DATE: Final = LineColumn("date", 22)
_RATE: Final = LineColumn("tax", 14, align_right=True)
_NET: Final = LineColumn("net", 30, align_right=True)
_AMOUNT: Final = LineColumn("amount", 32, align_right=True)


class Ledger:
    """A document with its formats. A credit note's amounts are printed as what is credited."""

    def __init__(self, document: InvoiceDocument, logo: bytes | None) -> None:
        self.document, self.logo = document, logo
        self.language = find_language(document.locale)
        self.formats = Formats(self.language, document.currency)
        self.sign = -1 if document.kind == "credit_note" else 1
        self.is_taxed = any(line.tax_rate is not None for line in document.lines)

    def format_amount(self, amount: int) -> str:
        """Format an amount with the sign that it has on paper."""
        return self.formats.format_amount(self.sign * amount)

    @property
    def title(self) -> InvoicePhrase:
        """The kind of the document, and its number if it has one."""
        kind = InvoicePhrase(self.document.kind)
        number = self.document.number
        return kind if number is None else InvoicePhrase("{} {}", kind, number)

    @property
    def columns(self) -> tuple[LineColumn, ...]:
        """The columns of the lines. Without any tax, there is only one amount."""
        value_columns = (_DATE, _RATE, _NET, _AMOUNT) if self.is_taxed else (_DATE, _AMOUNT)
        width = WIDTH_MM - sum(column.width for column in (_POSITION, *value_columns))
        return (_POSITION, LineColumn("description", width), *value_columns)


def render_pdf(document: InvoiceDocument, logo: bytes | None, xml: bytes | None) -> bytes:
    """Render the pages, and attach the structured form."""
    ledger = Ledger(document, logo)
    with (
        fonts.extract_faces() as faces,
        closing(
            Paper(
                faces,
                lambda page_paper: _draw_header_and_footer(page_paper, ledger),
                ledger.language,
                archival=True,
            )
        ) as paper,
    ):
        paper.begin_page()
        _draw_parties(paper, document)
        _draw_title(paper, ledger)
        _draw_lines(paper, ledger)
        _draw_totals(paper, ledger)
        _draw_payment(paper, ledger)
        _draw_notes(paper, document)
        made_at = datetime.combine(document.issue_date, time(), UTC)
        if xml is not None:
            paper.attach_file(
                XML_NAME,
                xml,
                InvoicePhrase("structured_form"),
                made_at,
                content_type=XML_TYPE,
                relationship=XML_RELATIONSHIP,
            )
        title, author = translate(ledger.title, ledger.language), document.seller.name
        metadata = make_metadata(title, author, made_at, has_xml=xml is not None)
        return paper.to_bytes(title=title, author=author, made_at=made_at, metadata=metadata)


def _draw_header_and_footer(paper: Paper, ledger: Ledger) -> None:
    document = ledger.document
    draw_letterhead(paper, document.brand.name, ledger.logo, document.brand.color)
    paper.y = 12
    paper.draw_note(ledger.title, QUIET, RIGHT_MM - 80, 80, align_right=True)
    if document.number is None:
        paper.y = 18.5
        warning = STRONG._replace(colour=AMBER)
        paper.draw_note(InvoicePhrase("draft"), warning, RIGHT_MM - 80, 80, align_right=True)
    paper.y = 283
    paper.draw_rule()
    paper.y = 285
    paper.draw_note(document.number or "", FINE, LEFT_MM, 50)
    paper.draw_note(document.seller.name, LABEL, LEFT_MM + 50, 100)
    paper.draw_page_count(InvoicePhrase("page", paper.page_number), LABEL, RIGHT_MM - 14, 20)


def _draw_parties(paper: Paper, document: InvoiceDocument) -> None:
    """Draw the seller on the right, and the buyer where an envelope's window is."""
    paper.y = TOP_MM + 2
    seller = [Text(document.seller.name, STRONG), *_list_party_texts(document.seller, SMALL)]
    buyer = [Text(" ", STRONG)] * 3 + [Text(InvoicePhrase("buyer"), LABEL)]
    buyer += [Text(document.buyer.name, STRONG), *_list_address(document.buyer, BODY)]
    paper.draw_columns(
        [
            Cell(LEFT_MM, BUYER_WIDTH_MM, buyer),
            Cell(RIGHT_MM - SELLER_WIDTH_MM, SELLER_WIDTH_MM, seller),
        ]
    )


def _list_party_texts(party: Party, style: Style) -> Iterator[Text]:
    yield from _list_address(party, style)
    if party.tax_number is not None:
        yield Text(InvoicePhrase("tax_number", party.tax_number), style)
    yield from (Text(line, style) for line in (party.email, party.phone) if line)


def _list_address(party: Party, style: Style) -> Iterator[Text]:
    city = " ".join(part for part in (party.postal_code, party.city) if part)
    yield from (Text(line, style) for line in (*party.address_lines, city, party.country) if line)


def _draw_title(paper: Paper, ledger: Ledger) -> None:
    document, format_date = ledger.document, ledger.formats.format_date
    paper.y += 8
    paper.draw_text(ledger.title, TITLE._replace(colour=choose_accent_colour(document.brand.color)))
    if document.refers_to is not None:
        number, day = document.refers_to.number, format_date(document.refers_to.issue_date)
        paper.draw_text(InvoicePhrase("corrects", number, day), BODY)
    paper.y += 3
    due_date = None if document.due_date is None else format_date(document.due_date)
    fields = (
        ("number", document.number),
        ("date", format_date(document.issue_date)),
        ("supply_period", _format_period(ledger)),
        ("due_date", due_date if document.kind == "invoice" else None),
        ("reference", document.reference),
        ("your_tax_number", document.buyer.tax_number),
    )
    draw_fields(paper, [SheetField(InvoicePhrase(label), text) for label, text in fields])
    paper.y += 2


def _format_period(ledger: Ledger) -> str | None:
    start, end = ledger.document.supply_from, ledger.document.supply_to
    days = dict.fromkeys(ledger.formats.format_date(day) for day in (start, end) if day)
    return InvoicePhrase("period", *days) if len(days) > 1 else next(iter(days), None)


def _draw_lines(paper: Paper, ledger: Ledger) -> None:
    """Draw the table. Each page carries its sum forward to the next."""
    _draw_table_header(paper, ledger)
    carried_amount = 0
    for line in ledger.document.lines:
        cells = _lay_out_cells(ledger, _list_line_texts(ledger, line))
        height = paper.measure_height(cells) + 2 * ROW_GAP_MM
        if paper.y + height + CARRY_MM > BOTTOM_MM:
            _draw_carry(paper, ledger, "carried_forward", carried_amount)
            paper.begin_page()
            _draw_table_header(paper, ledger)
            _draw_carry(paper, ledger, "brought_forward", carried_amount)
            paper.draw_rule()
            paper.y += ROW_GAP_MM
        paper.draw_columns(cells, lambda: _draw_table_header(paper, ledger))
        paper.y += ROW_GAP_MM
        paper.draw_rule()
        paper.y += ROW_GAP_MM
        carried_amount += line.amount


def _draw_table_header(paper: Paper, ledger: Ledger) -> None:
    labels = [
        column.label if column is _POSITION else InvoicePhrase(column.label)
        for column in ledger.columns
    ]
    paper.draw_columns(_lay_out_cells(ledger, [[Text(label, LABEL)] for label in labels]))
    paper.y += 0.6
    paper.draw_rule(colour=choose_accent_colour(ledger.document.brand.color))
    paper.y += 1


def _draw_carry(paper: Paper, ledger: Ledger, label: str, amount: int) -> None:
    texts = [[Text("", QUIET)] for _ in ledger.columns]
    texts[1] = [Text(InvoicePhrase(label), QUIET)]
    texts[-1] = [Text(ledger.format_amount(amount), QUIET)]
    paper.draw_columns(_lay_out_cells(ledger, texts))
    paper.y += ROW_GAP_MM


def _list_line_texts(ledger: Ledger, line: DocumentLine) -> list[list[Text]]:
    details = line.order_label
    rate = "" if line.tax_rate is None else ledger.formats.format_rate(line.tax_rate)
    taxes = [[Text(rate, QUIET)], [Text(ledger.format_amount(line.net_amount))]]
    return [
        [Text(str(line.position), QUIET)],
        [Text(line.description), *([Text(details, SMALL)] if details else [])],
        [Text(ledger.formats.format_date(line.date), QUIET)],
        *(taxes if ledger.is_taxed else []),
        [Text(ledger.format_amount(line.amount))],
    ]


def _lay_out_cells(ledger: Ledger, texts: Sequence[Sequence[Text]]) -> list[Cell]:
    cells, x = [], LEFT_MM
    for column, column_texts in zip(ledger.columns, texts, strict=True):
        inset = 2.0 if column.align_right else 0.0
        cells.append(Cell(x + inset, column.width - 2, column_texts, column.align_right))
        x += column.width
    return cells


def _draw_totals(paper: Paper, ledger: Ledger) -> None:
    rows = list(_list_total_rows(ledger))
    paper.y += 2
    paper.ensure_room(len(rows) * (STRONG.leading + 1.2))
    left = RIGHT_MM - TOTALS_WIDTH_MM
    for number, (label, amount, style) in enumerate(rows):
        if style is STRONG and number > 0:
            paper.draw_rule(left, TOTALS_WIDTH_MM)
            paper.y += 1
        paper.draw_columns(
            [
                Cell(left, TOTALS_WIDTH_MM - AMOUNT_WIDTH_MM - 2, [Text(label, style)]),
                Cell(RIGHT_MM - AMOUNT_WIDTH_MM, AMOUNT_WIDTH_MM, [Text(amount, style)], True),  # noqa: FBT003 - a field
            ]
        )
        paper.y += 1


def _list_total_rows(ledger: Ledger) -> Iterator[tuple[str, str, Style]]:
    document, formats = ledger.document, ledger.formats
    if ledger.is_taxed:
        yield InvoicePhrase("net_total"), ledger.format_amount(document.net_amount), BODY
        for total in document.taxes:
            net = ledger.format_amount(total.net_amount)
            label = InvoicePhrase("untaxed", net)
            if total.rate is not None:
                label = InvoicePhrase("tax_on", formats.format_rate(total.rate), net)
            yield label, ledger.format_amount(total.tax_amount), QUIET
    key = "total_with_tax" if ledger.is_taxed else "total"
    total_label = InvoicePhrase(key, document.currency)
    yield total_label, ledger.format_amount(document.amount), STRONG
    if document.kind == "invoice" and document.paid_amount:
        yield InvoicePhrase("paid"), ledger.format_amount(-document.paid_amount), BODY
        due_label = InvoicePhrase("amount_due", document.currency)
        yield due_label, ledger.format_amount(document.due_amount), STRONG


def _draw_payment(paper: Paper, ledger: Ledger) -> None:
    document, payment = ledger.document, ledger.document.payment
    if document.kind == "credit_note":
        return
    code = make_payment_code(document)
    draw_heading(paper, InvoicePhrase("payment"), min_height=14 if code is None else QR_SIZE_MM + 8)
    top = paper.y
    if code is not None:
        paper.draw_qr(code, RIGHT_MM - QR_SIZE_MM, QR_SIZE_MM)
        paper.y = top + QR_SIZE_MM + 1
        caption = InvoicePhrase("scan_to_pay")
        paper.draw_note(caption, LABEL, RIGHT_MM - QR_SIZE_MM, QR_SIZE_MM, align_right=True)
        paper.y = top
    page, width = paper.page_number, WIDTH_MM - QR_SIZE_MM - 10
    paper.draw_text(_make_payment_request(ledger), STRONG, width=width)
    if document.due_amount > 0:
        paper.y += 1.5
        _draw_account(paper, document, width)
        if payment.text is not None:
            paper.draw_text(payment.text, BODY, width=width)
    if code is not None and paper.page_number == page:
        paper.y = max(paper.y, top + QR_SIZE_MM + 6)


def _make_payment_request(ledger: Ledger) -> InvoicePhrase:
    document, formats = ledger.document, ledger.formats
    if document.due_amount <= 0:
        return InvoicePhrase("settled")
    amount = formats.format_money(document.due_amount)
    if document.due_date is None:
        return InvoicePhrase("pay", amount)
    return InvoicePhrase("pay_by", amount, formats.format_date(document.due_date))


def _draw_account(paper: Paper, document: InvoiceDocument, width: float) -> None:
    payment = document.payment
    if payment.iban is None:
        return
    iban = "".join(payment.iban.split())
    groups = " ".join(iban[start : start + 4] for start in range(0, len(iban), 4))
    fields = (
        ("account_holder", document.seller.name, BODY),
        ("iban", groups, CODE),
        ("bic", payment.bic, CODE),
        ("payment_reference", document.number, CODE),
    )
    for label, content, style in fields:
        if content:
            cells = [
                Cell(LEFT_MM, 38, [Text(InvoicePhrase(label), QUIET)]),
                Cell(LEFT_MM + 40, width - 40, [Text(content, style)]),
            ]
            paper.draw_columns(cells)
            paper.y += 0.6
    paper.y += 1


def _draw_notes(paper: Paper, document: InvoiceDocument) -> None:
    if document.notes:
        draw_heading(paper, InvoicePhrase("notes"), min_height=14)
        paper.draw_text(document.notes, BODY)
    if document.footer:
        paper.y += 4
        paper.draw_text(document.footer, SMALL)
