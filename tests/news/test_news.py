"""Recipients hear what happens to their deliveries, once."""

from news.waiting import OTHER, PHONE, Waiting


async def test_a_recipient_hears_by_sms_that_the_delivery_is_on_its_way(waiting: Waiting) -> None:
    ada = await waiting.person()
    order = await waiting.ready(customer=ada["id"], dispatch=True)
    number = order["tracking_number"]["tracking_number"]
    [told] = await waiting.heard()
    assert (told.channel, told.to) == ("sms", PHONE)
    assert told.text == (
        f"Acme: your delivery is on its way. "
        f"Follow it or stop these messages: http://127.0.0.1:8000/t/{number}"
    )


async def test_nobody_is_told_anything_twice(waiting: Waiting) -> None:
    ada = await waiting.person()
    await waiting.ready(customer=ada["id"], dispatch=True)
    assert len(await waiting.heard()) == 1
    await waiting.tell_again()
    assert len(await waiting.heard()) == 1


async def test_each_stop_is_told_when_it_is_the_next(waiting: Waiting) -> None:
    order = await waiting.for_two()
    await waiting.act(order, "start", skip_dispatch=True)
    assert {told.to for told in await waiting.heard()} == {PHONE, OTHER}
    assert all("on its way" in told.text for told in await waiting.heard())
    for code in ("enroute", "completed"):
        await waiting.fire(order, code)
    [_, told] = await waiting.heard(PHONE)
    assert "you are the next stop" in told.text
    assert len(await waiting.heard(OTHER)) == 1
    for code in ("enroute", "completed"):
        await waiting.fire(order, code)
    assert "handed over" in (await waiting.heard(PHONE))[-1].text
    assert "you are the next stop" in (await waiting.heard(OTHER))[-1].text
