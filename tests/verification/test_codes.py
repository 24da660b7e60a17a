"""Codes are sent, typed, resent and expire."""

from contextlib import suppress
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Database, Db
from pannier.errors import Conflict, TooManyRequests
from pannier.kit.clock import ManualClock
from pannier.notifications.models import MessageRow
from pannier.verification import service, sweep
from pannier.verification.codes import CodeExpired, CodeInvalid
from pannier.verification.models import CodeScope
from pannier.verification.requests import Claimant, CodeRequest
from pannier.verification.service import CodeTiming
from stage import NOON, Firm, House

# The fixture's class lives in conftest, which importlib mode does not let us import.
Person = Any


class Watched(Db):
    """A Db that remembers which statements it ran."""

    def __init__(self, database: Database, *, writes: bool) -> None:
        super().__init__(database, writes=writes)
        self.statements: list[str] = []

    async def find(self, into: Any, sql: str, **values: object) -> Any:
        self.statements.append(sql)
        return await super().find(into, sql, **values)

    async def fetch_all(self, into: Any, sql: str, **values: object) -> Any:
        self.statements.append(sql)
        return await super().fetch_all(into, sql, **values)

    async def fetch_value(self, sql: str, **values: object) -> Any:
        self.statements.append(sql)
        return await super().fetch_value(sql, **values)

    async def execute(self, sql: str, **values: object) -> int:
        self.statements.append(sql)
        return await super().execute(sql, **values)

    async def insert(self, table: str, row: msgspec.Struct) -> None:
        self.statements.append(table)
        await super().insert(table, row)


async def test_a_code_goes_out_as_a_secret_message_that_dies_with_it(
    ada: Person, database: Database
) -> None:
    assert await ada.ask() == CodeTiming(expires_in=300, resend_after=30)
    async with database.reading() as db:
        message = await db.get(MessageRow, "select * from messages")
    assert message.secret
    assert (message.channel, message.recipient, message.subject) == ("sms", ada.identity, "")
    assert message.expires_at == NOON + timedelta(minutes=5)
    assert message.body[:6].isdigit()
    assert message.body[6:] == " is your Acme code. It expires in 5 minutes. Do not share it."


async def test_an_email_code_lives_ten_minutes_and_its_subject_does_not_tell_it(
    ada: Person, database: Database
) -> None:
    ada.identity = "ada@example.com"
    asked = await ada.ask("email", recipient="Ada@example.com")
    assert asked == CodeTiming(expires_in=600, resend_after=30)
    async with database.reading() as db:
        message = await db.get(MessageRow, "select * from messages")
    assert (message.recipient, message.subject) == ("Ada@example.com", "Your Acme code")


async def test_the_right_code_works_once(ada: Person) -> None:
    await ada.ask()
    [code] = await ada.codes()
    await ada.type(code)
    with pytest.raises(CodeInvalid):
        await ada.type(code)


async def test_a_wrong_code_does_not_spoil_the_right_one(ada: Person) -> None:
    await ada.ask()
    with pytest.raises(CodeInvalid):
        await ada.type(await ada.wrong())
    [code] = await ada.codes()
    await ada.type(f" {code[:3]}-{code[3:]} ")


async def test_what_was_never_asked_for_is_refused_like_a_wrong_code(ada: Person) -> None:
    with pytest.raises(CodeInvalid) as unknown:
        await ada.type("123456")
    await ada.ask()
    with pytest.raises(CodeInvalid) as wrong:
        await ada.type(await ada.wrong())
    assert unknown.value.to_body("x") == wrong.value.to_body("x")
    assert (wrong.value.status, wrong.value.code) == (422, "invalid_code")


@pytest.mark.parametrize("field", ["scope", "purpose", "identity", "firm"])
async def test_a_code_is_good_for_nothing_else(ada: Person, rival: Firm, field: str) -> None:
    await ada.ask()
    [code] = await ada.codes()
    other: Any = {"scope": "store_two", "purpose": "closure", "identity": "+6598765432"}
    thief = type(ada)(**{**vars(ada), field: other.get(field, rival)})
    with pytest.raises(CodeInvalid):
        await thief.type(code)
    await thief.ask(address="192.0.2.9")
    with pytest.raises(CodeInvalid):
        await thief.type(code)
    await ada.type(code)


async def test_a_code_that_is_right_but_too_old_is_said_to_be_so(
    ada: Person, clock: ManualClock
) -> None:
    await ada.ask()
    [code] = await ada.codes()
    clock.advance(minutes=5)
    with pytest.raises(CodeExpired) as refusal:
        await ada.type(code)
    assert (refusal.value.status, refusal.value.code) == (410, "code_expired")
    with pytest.raises(CodeInvalid):
        await ada.type(await ada.wrong())


async def test_a_code_works_until_its_very_end(ada: Person, clock: ManualClock) -> None:
    await ada.ask()
    clock.advance(seconds=299)
    await ada.type((await ada.codes())[0])


async def test_a_purpose_may_give_its_codes_a_longer_life(ada: Person, clock: ManualClock) -> None:
    asked = await ada.ask(wanted_lifetime=timedelta(hours=2), text="delivery")
    assert asked.expires_in == 7200
    assert (await ada.texts())[0][6:] == (
        " is the code for your Acme delivery. Give it to the driver. It expires in 2 hours."
    )
    clock.advance(minutes=119)
    await ada.type((await ada.codes())[0])


async def test_resends_wait_thirty_sixty_onetwenty_and_threehundred_seconds(
    ada: Person, clock: ManualClock
) -> None:
    waits = (30, 60, 120, 300)
    for wait in waits:
        assert (await ada.ask(wanted_lifetime=timedelta(hours=1))).resend_after == wait
        clock.advance(seconds=wait - 1)
        with pytest.raises(TooManyRequests) as refusal:
            await ada.ask()
        assert refusal.value.headers["Retry-After"] == "1"
        clock.advance(seconds=1)
    assert len(await ada.codes()) == 4


async def test_asking_too_soon_uses_nothing_up(ada: Person, clock: ManualClock) -> None:
    await ada.ask()
    for _ in range(50):
        with pytest.raises(TooManyRequests):
            await ada.ask()
    clock.advance(seconds=30)
    await ada.ask()


async def test_a_late_message_still_works_after_a_resend(ada: Person, clock: ManualClock) -> None:
    await ada.ask()
    clock.advance(seconds=30)
    await ada.ask()
    first, second = await ada.codes()
    await ada.type(first)
    with pytest.raises(CodeInvalid):
        await ada.type(second)


async def test_at_most_three_codes_are_alive(ada: Person, clock: ManualClock) -> None:
    for wait in (30, 60, 120, 0):
        await ada.ask("email")
        clock.advance(seconds=wait)
    oldest, second, *_ = await ada.codes()
    with pytest.raises(CodeExpired):
        await ada.type(oldest)
    await ada.type(second)


@pytest.mark.slow
async def test_five_sends_an_hour_and_ten_a_day_are_the_most(
    ada: Person, clock: ManualClock, house: House
) -> None:
    sent = 0
    for _ in range(24 * 12 - 1):
        try:
            await ada.ask()
            sent += 1
        except TooManyRequests:
            pass
        if clock.now() - NOON == timedelta(minutes=55):
            assert sent == 5
        clock.advance(minutes=5)
    assert sent == 10
    assert await house.value("select count(*) from messages") == 10


async def test_a_refusal_by_budget_says_how_long_to_wait(ada: Person, clock: ManualClock) -> None:
    for _ in range(5):
        await ada.ask()
        clock.advance(minutes=6)
    with pytest.raises(TooManyRequests) as refusal:
        await ada.ask()
    assert refusal.value.headers["Retry-After"] == str(30 * 60)
    clock.advance(minutes=30)
    await ada.ask()


async def test_one_address_gets_twenty_sends_an_hour_over_all_identities(ada: Person) -> None:
    for number in range(20):
        ada.identity = f"+65912345{number:02}"
        await ada.ask(address=f"2001:db8:1:1::{number}")
    ada.identity = "+6598765432"
    with pytest.raises(TooManyRequests):
        await ada.ask(address="2001:db8:1:1::ffff")
    await ada.ask(address="2001:db8:1:2::1")


async def test_nobody_is_locked_out_of_another_companys_store(ada: Person, rival: Firm) -> None:
    for _ in range(10):
        with pytest.raises(CodeInvalid):
            await ada.type("123456")
    with pytest.raises(TooManyRequests):
        await ada.type("123456")
    ada.firm = rival
    await ada.ask()
    await ada.type((await ada.codes())[0])


async def test_a_success_allows_the_next_request_at_once(ada: Person) -> None:
    await ada.ask()
    await ada.type((await ada.codes())[0])
    assert (await ada.ask()).resend_after == 30


async def test_an_unknown_identity_is_answered_alike_and_sent_nothing(
    ada: Person, clock: ManualClock, house: House
) -> None:
    known = [await ada.ask()]
    ada.identity = "+6598765432"
    unknown = [await ada.ask(decoy=True)]
    assert unknown == known
    assert await ada.texts() == []
    with pytest.raises(TooManyRequests) as hasty:
        await ada.ask(decoy=True)
    assert hasty.value.headers["Retry-After"] == "30"
    for code in ("111111", "222222", "333333"):
        with pytest.raises(CodeInvalid):
            await ada.type(code)
    clock.advance(seconds=30)
    assert (await ada.ask(decoy=True)).resend_after == 60
    assert await house.value("select count(*) from messages") == 1


async def test_known_and_unknown_identities_take_the_same_steps(
    database: Database, acme: Firm, clock: ManualClock
) -> None:
    steps: dict[bool, list[str]] = {}
    async with database.reading() as db:
        # Whoever comes first to a process reads this for all, known or not.
        await company_settings.load(db, acme.uuid)
    for quiet in (False, True):
        steps[quiet] = []
        for _ in range(2):
            db = Watched(database, writes=True)
            identity = f"+659876543{quiet:d}"
            claimant = Claimant(CodeScope(acme.uuid, "store", "login", identity))
            await service.request_code(db, claimant, CodeRequest("sms", decoy=quiet))
            await database.commit(db)
            steps[quiet] += db.statements
            clock.advance(seconds=30)
    assert steps[True] == steps[False]
    assert steps[True].count("messages") == 2


async def test_checking_takes_the_same_steps_with_and_without_a_challenge(
    database: Database, ada: Person, acme: Firm
) -> None:
    await ada.ask()
    steps: list[list[str]] = []
    for identity in (ada.identity, "+6598765432"):
        db = Watched(database, writes=True)
        claimant = Claimant(CodeScope(acme.uuid, ada.scope, ada.purpose, identity))
        with pytest.raises(CodeInvalid):
            await service.check_code(db, claimant, await ada.wrong())
        await database.roll_back(db, None)
        steps.append(db.statements)
    assert steps[0] == steps[1]


async def test_an_undone_transaction_leaves_the_code_usable(
    ada: Person, database: Database
) -> None:
    await ada.ask()
    [code] = await ada.codes()
    with suppress(Conflict):
        async with database.transaction() as db:
            await service.check_code(db, Claimant(ada.code_scope), code)
            raise Conflict
    await ada.type(code)


async def test_whoever_leaves_takes_all_challenges_along(
    ada: Person, database: Database, acme: Firm
) -> None:
    await ada.ask()
    async with database.transaction() as db:
        await service.close_challenges(db, acme.uuid, ada.scope, ada.identity)
    with pytest.raises(CodeInvalid):
        await ada.type((await ada.codes())[0])


async def test_no_code_is_kept_as_text(ada: Person, house: House) -> None:
    await ada.ask()
    [code] = await ada.codes()
    await house.value("delete from messages")
    kept = await house.value(
        """select string_agg(row::text, '') from (
               select challenges::text as row from challenges
               union all select codes::text from codes
               union all select budget_parts::text from budget_parts) as rows"""
    )
    assert code not in kept.replace("-", "")
    assert await house.value("select length(hash) from codes") == 16


async def test_old_challenges_and_codes_are_forgotten(
    ada: Person, database: Database, clock: ManualClock, house: House
) -> None:
    await ada.ask()
    with pytest.raises(CodeInvalid):
        await ada.type(await ada.wrong())
    clock.advance(days=4)
    assert not await sweep.step(database)
    clock.advance(seconds=1)
    await ada.ask()
    assert await sweep.step(database)
    assert not await sweep.step(database)
    assert await house.value("select count(*) from challenges") == 1
    assert await house.value("select count(*) from codes") == 1
