"""Whom clients over HTTP trust."""

import ssl

import pytest

from app.adapters.trust import trust
from app.client import Client


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000", "HTTP://foreword.internal"])
def test_at_a_plain_address_no_certificates_are_read(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(*_: object, **__: object) -> None:
        raise AssertionError(url)

    monkeypatch.setattr(ssl, "create_default_context", read)
    assert isinstance(trust(url), ssl.SSLContext)
    Client(url).close()


def test_who_is_not_vouched_for_is_not_trusted() -> None:
    assert trust("https://foreword.example") is True
    nobody = trust("http://foreword.example")
    assert isinstance(nobody, ssl.SSLContext)
    assert nobody.verify_mode is ssl.CERT_REQUIRED
    assert nobody.get_ca_certs() == []
