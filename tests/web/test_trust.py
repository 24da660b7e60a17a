"""Whom Pannier trusts: the system's authorities, and those of the installation."""

import os
import ssl
from pathlib import Path

import pytest
import trustme

from pannier.settings import SettingsError
from pannier.web.certificates import check_bundle, load_authorities

SETTING = "PANNIER_CA_BUNDLE"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("authority") / "ca.pem"
    trustme.CA().cert_pem.write_to_path(path)
    return str(path)


def test_authorities_are_read_once_and_never_for_less_than_tls_1_2(bundle: str) -> None:
    for path in (None, bundle):
        context = load_authorities(SETTING, path)
        assert context is load_authorities(SETTING, path)
        assert context.minimum_version is ssl.TLSVersion.TLSv1_2
        assert context.check_hostname
        assert context.verify_mode is ssl.CERT_REQUIRED


def test_a_bundle_that_was_renewed_is_read_again(tmp_path: Path) -> None:
    bundle = tmp_path / "ca.pem"
    trustme.CA().cert_pem.write_to_path(bundle)
    before = load_authorities(SETTING, str(bundle))
    trustme.CA().cert_pem.write_to_path(bundle)
    os.utime(bundle, ns=(1, 1))
    after = load_authorities(SETTING, str(bundle))
    assert {str(one) for one in after.get_ca_certs()} != {str(one) for one in before.get_ca_certs()}


def test_a_bundle_comes_on_top_of_the_authorities_of_the_system(bundle: str) -> None:
    system = {str(one) for one in load_authorities(SETTING, None).get_ca_certs()}
    ours = {str(one) for one in load_authorities(SETTING, bundle).get_ca_certs()}
    assert system < ours


def test_a_bundle_that_is_missing_is_named_by_its_setting() -> None:
    for read in (check_bundle, load_authorities):
        with pytest.raises(SettingsError, match=rf"^{SETTING} is invalid: .* /nowhere\.$"):
            read(SETTING, "/nowhere")


@pytest.mark.parametrize("text", ["", "nonsense"])
def test_a_bundle_without_certificates_is_refused(tmp_path: Path, text: str) -> None:
    bundle = tmp_path / "ca.pem"
    bundle.write_text(text)
    with pytest.raises(SettingsError, match=r"contains no readable certificates\.$"):
        check_bundle(SETTING, str(bundle))
