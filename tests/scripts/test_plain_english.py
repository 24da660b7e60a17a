"""The style checker finds what CONTRIBUTING.md forbids, and its allow-list only shrinks."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest


def load_checker() -> ModuleType:
    path = Path(__file__).resolve().parents[2] / "scripts" / "plain_english.py"
    spec = spec_from_file_location("plain_english", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


PLAIN: Final = load_checker()


@pytest.mark.parametrize(
    "name", ["shown", "_told", "looked_at", "taken_by", "of", "by_driver", "hearing", "among"]
)
def test_a_participle_or_preposition_alone_is_no_name(name: str) -> None:
    assert PLAIN.hides_its_verb(name)


@pytest.mark.parametrize(
    "name", ["load_orders", "signed_headers", "to_problem", "feed", "from_row", "is_told", "read"]
)
def test_verbs_predicates_and_noun_phrases_pass(name: str) -> None:
    assert not PLAIN.hides_its_verb(name)


def test_a_vague_parameter_or_local_variable_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PLAIN, "ROOT", tmp_path)
    module = tmp_path / "src" / "pannier" / "orders.py"
    module.parent.mkdir(parents=True)
    module.write_text("def load(given):\n    rows = [kept for kept in given]\n    return rows\n")
    assert [finding.subject for finding in PLAIN.find_vague_names(module)] == [
        "pannier.orders.load given",
        "pannier.orders.load kept",
    ]


def test_code_tables_and_link_addresses_do_not_count_as_words() -> None:
    page = "One [two](https://example.com/a) three.\n\n```sh\nfour five\n```\n\n| six | seven |\n"
    assert [one for one in PLAIN.split_sentences(page) if one] == ["One [two] three."]


def test_a_list_item_ends_a_sentence() -> None:
    assert list(PLAIN.split_sentences("First:\n- second\n- third")) == [
        "First:",
        "- second",
        "- third",
    ]


def test_phrases_are_found_where_people_read_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PLAIN, "ROOT", tmp_path)
    page = tmp_path / "page.html"
    page.write_text("<p>Canceled</p>\n<p>Three orders in all</p>\n")
    assert [finding.place for finding in PLAIN.find_phrases(page)] == ["page.html:2"]


def test_phrases_are_found_in_the_strings_of_a_module_but_not_in_sql_and_patterns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PLAIN, "ROOT", tmp_path)
    module = tmp_path / "src" / "pannier" / "orders.py"
    module.parent.mkdir(parents=True)
    module.write_text(
        '"""Orders, for whoever reads them."""\n'
        "SQL = \"select count from orders where note = 'so many'\"\n"
        'PATTERN = re.compile("at the most")\n'
        'ERROR = f"There are {count} in all."\n'
        'QUEUE = "It is bounded, so many callers wait in all queues."\n'
    )
    assert [finding.place for finding in PLAIN.find_phrases_in_strings(module)] == [
        "src/pannier/orders.py:1",
        "src/pannier/orders.py:4",
    ]


def test_an_entry_without_a_finding_has_to_go() -> None:
    finding = PLAIN.Finding("verb", "pannier.shown", "pannier.py:1")
    assert list(PLAIN.compare([finding], [finding.key])) == []
    assert len(list(PLAIN.compare([finding], []))) == 1
    assert len(list(PLAIN.compare([], [finding.key]))) == 1
