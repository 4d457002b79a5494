"""A byte-pair tokenizer whose tables come with its package."""

import quicktok

from app.domain.errors import TokenCounterUnavailable


class BpeTokenCounter:
    """Counts the tokens of an OpenAI encoding, for example `o200k_base`."""

    def __init__(self, encoding: str = "o200k_base") -> None:
        try:
            self._encoding = quicktok.get_encoding(encoding)
        except (RuntimeError, ValueError) as error:
            raise TokenCounterUnavailable(encoding=encoding) from error

    def count(self, text: str) -> int:
        return int(self._encoding.count(text))
