"""Whom a client of HTTP trusts."""

import ssl


def trust(url: str) -> ssl.SSLContext | bool:
    """
    What is `verify` of a client that speaks to servers at `url` only.

    A client reads the certificates of all authorities as it is made: some 20 ms of processor, and
    several times as much on a busy machine. At a plain address nobody shows one.
    """
    plain = url.casefold().startswith("http://")
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else True
