"""Calling the outside: only over TLS, only whom the settings name."""

import pytest

from pannier.settings import SettingsError, load
from pannier.web.http_client import HttpClient, HttpClientError


@pytest.mark.parametrize(
    "name", ["PROVIDER_A_KEYS", "PROVIDER_A_EXCHANGE", "PROVIDER_B_KEYS", "PROVIDER_C_GRAPH"]
)
@pytest.mark.parametrize("address", ["http://keys.example.com", "keys.example.com", "file:///k"])
def test_a_provider_is_asked_over_tls_or_not_at_all(name: str, address: str) -> None:
    with pytest.raises(SettingsError, match=f"PANNIER_{name} is invalid"):
        load({f"PANNIER_{name}": address})


def test_a_bundle_of_authorities_that_is_not_there_is_told_at_once() -> None:
    with pytest.raises(SettingsError, match="there is no file /nowhere"):
        HttpClient("/nowhere")


async def test_what_went_wrong_is_told_without_the_address() -> None:
    with pytest.raises(HttpClientError) as failure:
        await HttpClient().get("https://127.0.0.1:1/debug_token", {"access_token": "secret"})
    assert "secret" not in repr(failure.value)
    assert failure.value.__cause__ is None
