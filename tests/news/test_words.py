"""The usual words of news, texts with fields, and how long they are as an SMS."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.accounts.company_settings.models import News
from pannier.accounts.company_settings.news import FIELDS, KINDS, NewsText, WordsOfNews, faults
from pannier.kit import sms, templates
from pannier.news import phrasing, times
from pannier.news.words import CALENDARS, FAREWELLS, REASONS, WORDS
from pannier.orders import reasons

NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)
SINGAPORE, BERLIN = ZoneInfo("Asia/Singapore"), ZoneInfo("Europe/Berlin")
VALUES = {
    "brand": "Acme", "number": "ACM-7K4M-2XQ9-3TBC", "name": "Ada", "driver": "Grace",
    "link": "https://acme.example/t/ACM-7K4M-2XQ9-3TBC?k=mfzq4x7n2kdtrb5",
    "way_out": "https://acme.example/t/ACM-7K4M-2XQ9-3TBC/news?k=mfzq4x7n2kdtrb5",
    "time": "14:00", "reason": "Nobody was there",
}  # fmt: skip


def test_every_language_has_words_for_everything() -> None:
    assert set(WORDS) == set(FAREWELLS) == set(CALENDARS) == {"en", "de", "fr"}
    for language, words in WORDS.items():
        assert set(words) == set(KINDS), language
        for kind, said in words.items():
            assert list(faults(NewsText(**said._asdict()))) == [], (language, kind)
            assert templates.fields(said.email) >= {"number", "link", "brand"}, (language, kind)


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_usual_words_need_no_letter_that_an_sms_does_not_have(language: str, kind: str) -> None:
    window = times.window(NOON, None, NOON, SINGAPORE, language)
    said = phrasing.phrased(News(), kind, language, {**VALUES, "window": window})  # type: ignore[arg-type]  # parametrised
    length = sms.length(said.text)
    assert length.alphabet == "gsm", said.text
    assert length.segments <= 2, said.text


def test_the_usual_reasons_are_known_in_every_other_language() -> None:
    usual = {reason.label for reason in reasons.DEFAULT}
    for language, said in REASONS.items():
        assert set(said) == usual, language
        assert all(sms.length(text).alphabet == "gsm" for text in said.values()), language


def test_what_is_not_known_leaves_no_hole() -> None:
    template = "Hello[ {name}], it comes[ {window}]."
    assert templates.filled(template, {"name": "Ada"}) == "Hello Ada, it comes."
    assert templates.filled(template, {"name": "", "window": "today"}) == "Hello, it comes today."


@given(st.text(), st.text())
def test_what_is_filled_in_is_never_read_as_a_template(name: str, link: str) -> None:
    assert templates.filled("{name}", {"name": f"a{name}{{link}}[b]", "link": link}) == (
        templates.filled("{name}", {"name": f"a{name}{{link}}[b]"})
    )


@given(st.text(alphabet="ab[]{} \n"))
def test_a_template_is_refused_or_filled_without_a_bracket_left(template: str) -> None:
    try:
        templates.check(template, {"a"})
    except ValueError:
        return
    assert not set("[]{}") & set(templates.filled(template, {"a": "x"}))


@pytest.mark.parametrize("template", ["{nobody}", "{}", "[open", "open]", "[[a] b]", "{a b}", "}{"])
def test_a_field_that_nobody_fills_in_or_a_bracket_too_many_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match=r"There is no field|Close each bracket"):
        templates.check(template, FIELDS)


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("a" * 160, ("gsm", 160, 1)),
        ("a" * 161, ("gsm", 161, 2)),
        ("€" * 80, ("gsm", 160, 1)),
        ("a" * 307, ("gsm", 307, 3)),
        ("ç" * 70, ("unicode", 70, 1)),
        ("ç" * 71, ("unicode", 71, 2)),
        ("😀", ("unicode", 2, 1)),
        ("", ("gsm", 0, 1)),
    ],
)
def test_an_sms_is_counted_as_networks_count_it(text: str, length: tuple[str, int, int]) -> None:
    assert sms.length(text)[:3] == length


def test_an_sms_names_the_letters_that_make_it_long() -> None:
    assert sms.length("déjà reçu, ça").others == "ç"


def test_a_name_can_be_neither_a_link_nor_a_second_line() -> None:
    said = phrasing.phrased(
        News(), "on_its_way", "en", {**VALUES, "name": "Win\nat evil.example/prize http://x.y"}
    )
    assert "Hello Win at evil example prize http x y," in said.email


def test_a_letter_always_says_how_to_have_no_more() -> None:
    assert phrasing.phrased(News(), "delivered", "de", VALUES).email.endswith(
        f"Nachrichten ändern oder abbestellen: {VALUES['way_out']}"
    )
    own = News(texts={"de": WordsOfNews(delivered=NewsText(email="Da. {way_out}"))})
    assert phrasing.phrased(own, "delivered", "de", VALUES).email == f"Da. {VALUES['way_out']}"


@pytest.mark.parametrize(
    ("wanted", "language"),
    [
        (("de-AT", "fr"), "de-AT"),
        (("de-CH", "fr"), "de"),
        (("it", "fr-CA"), "fr"),
        ((None, "nl"), "nl"),
        (("ja", None), "en"),
    ],
)
def test_the_first_language_that_there_are_words_in_is_spoken(
    wanted: tuple[str | None, ...], language: str
) -> None:
    news = News(texts={"de-AT": WordsOfNews(), "nl": WordsOfNews()})
    assert phrasing.language(news, wanted) == language


def test_own_words_go_before_the_usual_ones_part_by_part() -> None:
    own = News(texts={"de-AT": WordsOfNews(delivered=NewsText(text="Servus! {link}"))})
    said = phrasing.words(own, "delivered", "de-AT")
    assert (said.text, said.subject) == ("Servus! {link}", "Ihre Lieferung ist angekommen")


@pytest.mark.parametrize(
    ("hours", "zone", "language", "spelled"),
    [
        ((13, 15), SINGAPORE, "en", "today 21:00-23:00"),
        ((13, 15), BERLIN, "de", "heute 14:00-16:00"),
        ((13, 15), BERLIN, "fr-CA", "ce jour 14h00-16h00"),
        ((23, 26), BERLIN, "de", "Fr 16.1. 00:00-03:00"),
        ((22, 26), BERLIN, "en", "today 23:00 - Fri 16 Jan 03:00"),
        ((None, 15), BERLIN, "en", "today 16:00"),
        ((None, None), BERLIN, "en", ""),
        ((8, 11), BERLIN, "en", ""),
    ],
)
def test_a_window_is_told_by_the_clock_on_the_wall(
    hours: tuple[int | None, int | None], zone: ZoneInfo, language: str, spelled: str
) -> None:
    day = NOON.replace(hour=0)
    start, end = (None if hour is None else day.replace(day=15 + hour // 24, hour=hour % 24)
                  for hour in hours)  # fmt: skip
    assert times.window(start, end, NOON, zone, language) == spelled
