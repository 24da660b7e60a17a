import json
from typing import Any
from urllib.parse import quote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.web.query import parse

NAMES = st.text(
    st.characters(exclude_characters="[]", exclude_categories=["Cs", "Nd"]), min_size=1, max_size=12
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"])).filter(
    lambda text: not text.startswith(("{", "["))
)
TREES = st.recursive(
    TEXTS,
    lambda inner: (
        st.dictionaries(NAMES, inner, min_size=1, max_size=3)
        | st.lists(inner, min_size=1, max_size=3)
    ),
    max_leaves=8,
)


def spelled(name: str, value: Any) -> list[tuple[str, str]]:
    """The bracket spelling of a value, as PHP and qs write it."""
    if isinstance(value, str):
        return [(name, value)]
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return [pair for key, inner in items for pair in spelled(f"{name}[{key}]", inner)]


def levels(value: Any) -> int:
    if isinstance(value, str):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max(map(levels, inner))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", {}),
        ("&&", {}),
        ("=1", {}),
        ("a=1", {"a": "1"}),
        ("a", {"a": ""}),
        ("a=", {"a": ""}),
        ("a=b=c", {"a": "b=c"}),
        ("a=1&", {"a": "1"}),
        ("a=x+y%2B%C3%A9", {"a": "x y+é"}),
        ("a=1&a=2", {"a": ["1", "2"]}),
        ("a[]=1", {"a": ["1"]}),
        ("a[]=1&a[]=2", {"a": ["1", "2"]}),
        ("a%5B%5D=1&a%5B%5D=2", {"a": ["1", "2"]}),
        ("a[0]=x&a[1]=y", {"a": ["x", "y"]}),
        ("a[1]=y&a[0]=x", {"a": ["x", "y"]}),
        ("o[x]=1", {"o": {"x": "1"}}),
        ("o[x]=1&o[y][z]=2", {"o": {"x": "1", "y": {"z": "2"}}}),
        ("o[x][]=1&o[x][]=2", {"o": {"x": ["1", "2"]}}),
        ("a[0][x]=1&a[1][x]=2", {"a": [{"x": "1"}, {"x": "2"}]}),
        ('a={"x":[1,true]}', {"a": {"x": [1, True]}}),
        ("a=[1,2]", {"a": [1, 2]}),
        ('a={"x":1}&a={"x":2}', {"a": [{"x": 1}, {"x": 2}]}),
        ("a={not json", {"a": "{not json"}),
        ("a=[NaN]", {"a": "[NaN]"}),
        ("a[b=1&c]=2&[d]=3", {"a[b": "1", "c]": "2", "[d]": "3"}),
    ],
)
def test_every_spelling_of_existing_clients_is_read(query: str, expected: dict[str, Any]) -> None:
    assert parse(query.encode()) == expected


def test_holes_in_numbered_elements_are_closed() -> None:
    assert parse(b"a[0]=x&a[7]=y&a[10]=z") == {"a": ["x", "y", "z"]}


def test_a_number_too_large_for_an_index_is_a_name() -> None:
    assert parse(b"sales[2024]=x") == {"sales": {"2024": "x"}}
    assert parse(b"codes[007]=x") == {"codes": {"007": "x"}}


@pytest.mark.slow
@given(st.dictionaries(NAMES, TREES, max_size=4))
def test_what_is_spelled_in_brackets_is_read_back(values: dict[str, Any]) -> None:
    pairs = [pair for name, value in values.items() for pair in spelled(name, value)]
    if any(levels(value) >= 5 for value in values.values()):
        with pytest.raises(ValueError, match="deeper"):
            parse(urlencode(pairs).encode())
    else:
        assert parse(urlencode(pairs).encode()) == values


@pytest.mark.slow
@given(st.lists(TEXTS, min_size=1, max_size=10))
def test_a_list_reads_the_same_however_it_is_spelled(values: list[str]) -> None:
    written = [quote_plus(value) for value in values]
    bracketed = "&".join(f"a[]={value}" for value in written)
    numbered = "&".join(f"a[{place}]={value}" for place, value in enumerate(written))

    assert parse(bracketed.encode()) == {"a": values}
    assert parse(numbered.encode()) == {"a": values}
    assert parse(f"a={quote_plus(json.dumps(values))}".encode()) == {"a": values}


@given(st.binary(max_size=100))
def test_any_bytes_are_read_or_refused_with_a_sentence(query: bytes) -> None:
    try:
        parse(query)
    except ValueError as refusal:
        assert str(refusal).endswith(".")  # noqa: PT017 - most bytes are read, only some refused


@given(st.lists(st.sampled_from(["a", "a[]", "a[x]", "a[0]", "a[x][y]", "b"]), max_size=6))
def test_any_mixture_of_spellings_is_read_or_refused_with_a_sentence(keys: list[str]) -> None:
    try:
        parse("&".join(f"{key}=1" for key in keys).encode())
    except ValueError as refusal:
        assert "contradict" in str(refusal)  # noqa: PT017 - only some mixtures are refused


@pytest.mark.parametrize(
    "query",
    [
        "a=1&a[x]=2",
        "a[x]=2&a=1",
        "a=1&a[]=2",
        "a[]=1&a[x]=2",
        "a[0]=1&a[]=2",
        "o[x]=1&o[x][y]=2",
        "o[x][]=1&o[x][y]=2",
        "a={}&a[x]=1",
    ],
)
def test_one_name_spelled_in_contradicting_ways_is_refused(query: str) -> None:
    with pytest.raises(ValueError, match="contradict"):
        parse(query.encode())


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("&".join(f"a{number}=1" for number in range(201)), "at most 200 parameters"),
        ("a[b][c][d][e][f]=1", "deeper than 5 levels"),
        (f"{'a' * 201}=1", "at most 200 characters"),
        ("a[][x]=1", "ambiguous"),
        ("a=%FF", "UTF-8"),
        ("%FF=a", "UTF-8"),
        (f"a={'[' * 1000}", "too deeply"),
    ],
)
def test_a_query_beyond_its_limits_is_refused(query: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse(query.encode())


def test_a_query_at_its_limits_is_read() -> None:
    assert len(parse("&".join(f"a{number}=1" for number in range(200)).encode())) == 200
    assert parse(b"a[b][c][d][e]=1") == {"a": {"b": {"c": {"d": {"e": "1"}}}}}
    assert parse(f"{'a' * 200}=1".encode()) == {"a" * 200: "1"}
