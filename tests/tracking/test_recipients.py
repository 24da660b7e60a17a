"""What else the page has for recipients: the sender's contact, and the language they chose."""

from orders.shop import Shop
from stage import Firm, House
from tracking.asking import link_of, stranger


async def test_the_recipient_reaches_the_sender(acme: Firm, shop: Shop, house: House) -> None:
    link = await link_of(shop, await shop.order(internal_id="SO 7&8"))
    assert "Contact Acme" not in (await stranger(house).get(link)).text
    contact = {"contact_phone": "+65 6123 4567", "contact_email": "Help@Example.com"}
    changed = await acme.admin.patch("/int/v1/settings", json={"recipients": contact})
    assert changed.is_success, changed.text
    page = (await stranger(house).get(link)).text
    assert "Contact Acme" in page
    assert 'href="tel:+6561234567"' in page
    assert "?subject=SO%207%268" in page
    number = link.partition("?")[0]
    assert "+6561234567" not in (await stranger(house).get(number)).text


async def test_a_chosen_language_is_remembered(shop: Shop, house: House) -> None:
    link = await link_of(shop, await shop.order())
    other = await link_of(shop, await shop.order())
    async with stranger(house) as client:
        assert 'lang="en"' in (await client.get(link)).text
        spanish = await client.get(f"{link}&lang=es")
        assert "Pedido recibido" in spanish.text
        assert "Pedido recibido" in (await client.get(link)).text
        assert "Pedido recibido" in (await client.get(other)).text
        assert "Commande reçue" in (await client.get(f"{other}&lang=fr")).text
        assert "Commande reçue" in (await client.get(link)).text
        assert "Commande reçue" in (await client.get(f"{link}&lang=xx")).text
