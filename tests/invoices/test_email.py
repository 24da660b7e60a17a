"""The email of an invoice carries its PDF, if the channel can."""

from email.parser import Parser

import pytest

from invoices.desk import Desk
from notifications.mail_server import MailServer, mail_server
from pannier.files.storage import make_storage
from pannier.invoices.attachments import AttachmentRenderer
from pannier.notifications.channels import AppriseChannel
from pannier.notifications.sender import MessageSender
from stage import House

__all__ = ["mail_server"]
# One of Apprise's providers tries a module that Python has retired, and does without it.
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")


async def test_the_email_of_an_invoice_has_its_pdf(
    desk: Desk, house: House, mail_server: MailServer
) -> None:
    customer = await desk.customer()
    await desk.charged(customer)
    invoice = await desk.issued(customer)
    attachments = AttachmentRenderer(house.database, make_storage(house.settings))
    sender = MessageSender(
        house.database, "email", AppriseChannel(mail_server.url), attachments.load
    )
    while await sender.step():
        await sender.wait_until_idle()
    (letter,) = (Parser().parsestr(letter) for letter in mail_server.letters)
    assert letter["To"] == "ada@example.com"
    (pdf,) = [part for part in letter.walk() if part.get_content_type() == "application/pdf"]
    assert pdf.get_filename() == "INV-2026-00001.pdf"
    download = await desk.firm.api.get(f"/v1/invoices/{invoice['id']}.pdf")
    assert pdf.get_payload(decode=True) == download.content
    (message,) = (await desk.firm.admin.get("/int/v1/messages")).json()["data"]
    assert message["state"] == "sent"
