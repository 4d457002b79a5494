"""Parts that several patterns are made of."""


def one_of(*several: str) -> str:
    """Any one of these patterns."""
    return f"(?:{'|'.join(several)})"


_KEYS = """
access activation alarm area bar booking building color colour country coupon discount door dress
entry garage gate gift invite key lock lockbox parking pin post postal promo qr referral safe
security tax tracking unlock vault verification voucher wifi zip
""".split()
"""Of these a code is no program."""

CODE = (
    r"\b(?=code\b)"
    + "".join(rf"(?<!\b{each}\x20)" for each in _KEYS)
    + r"code(?!\x20(?:of\x20conduct|name|word)\b)"
)
"""Code as programs are: not that of a door; what stands before is read only where it stands."""
