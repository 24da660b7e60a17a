"""The usual words of news, texts with fields, and how long they are as an SMS."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.accounts.company_settings.models import News
from pannier.accounts.company_settings.news import (
    FIELDS,
    KINDS,
    Kind,
    NewsText,
    WordsOfNews,
    find_text_errors,
)
from pannier.kit import sms, templates
from pannier.locales.catalogue import LANGUAGES
from pannier.news import phrasing

VALUES = {
    "brand": "Acme", "number": "ACM-7K4M-2XQ9-3TBC", "name": "Ada", "driver": "Grace",
    "link": "https://acme.example/t/ACM-7K4M-2XQ9-3TBC?k=mfzq4x7n2kdtrb5",
    "way_out": "https://acme.example/t/ACM-7K4M-2XQ9-3TBC/news?k=mfzq4x7n2kdtrb5",
    "time": "14:00", "reason": "Nobody was there",
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_usual_texts_are_valid_and_short(language: str, kind: Kind) -> None:
    usual = phrasing.load_templates(News(), kind, language)
    assert list(find_text_errors(NewsText(**usual._asdict()))) == []
    assert templates.fields(usual.email) >= {"number", "link", "brand"}
    said = phrasing.fill_templates(News(), kind, language, {**VALUES, "window": "14:00-16:00"})
    length = sms.measure(said.text)
    assert length.alphabet == "gsm", said.text
    assert length.segments <= 2, said.text


def test_what_is_not_known_leaves_no_hole() -> None:
    template = "Hello[ {name}], it comes[ {window}]."
    assert templates.fill(template, {"name": "Ada"}) == "Hello Ada, it comes."
    assert templates.fill(template, {"name": "", "window": "today"}) == "Hello, it comes today."


@given(st.text(), st.text())
def test_what_is_filled_in_is_never_read_as_a_template(name: str, link: str) -> None:
    assert templates.fill("{name}", {"name": f"a{name}{{link}}[b]", "link": link}) == (
        templates.fill("{name}", {"name": f"a{name}{{link}}[b]"})
    )


@given(st.text(alphabet="ab[]{} \n"))
def test_a_template_is_refused_or_filled_without_a_bracket_left(template: str) -> None:
    try:
        templates.check(template, {"a"})
    except ValueError:
        return
    assert not set("[]{}") & set(templates.fill(template, {"a": "x"}))


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
    assert sms.measure(text)[:3] == length


def test_an_sms_names_the_letters_that_make_it_long() -> None:
    assert sms.measure("déjà reçu, ça").others == "ç"


def test_a_name_can_be_neither_a_link_nor_a_second_line() -> None:
    said = phrasing.fill_templates(
        News(), "on_its_way", "en", {**VALUES, "name": "Win\nat evil.example/prize http://x.y"}
    )
    assert "Hello Win at evil example prize http x y," in said.email


def test_a_letter_always_says_how_to_have_no_more() -> None:
    assert phrasing.fill_templates(News(), "delivered", "de", VALUES).email.endswith(
        f"Nachrichten verwalten oder abbestellen: {VALUES['way_out']}"
    )
    own = News(texts={"de": WordsOfNews(delivered=NewsText(email="Da. {way_out}"))})
    assert (
        phrasing.fill_templates(own, "delivered", "de", VALUES).email == f"Da. {VALUES['way_out']}"
    )


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
    assert phrasing.choose_language(news, wanted) == language


def test_own_words_go_before_the_usual_ones_part_by_part() -> None:
    own = News(texts={"de-AT": WordsOfNews(delivered=NewsText(text="Servus! {link}"))})
    said = phrasing.load_templates(own, "delivered", "de-AT")
    assert (said.text, said.subject) == ("Servus! {link}", "Ihre Sendung wurde zugestellt")
