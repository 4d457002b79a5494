"""Which word pieces of a model say something, so that their vectors are kept."""

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from app.text.terms import STOP_WORDS

Telling = NDArray[np.bool_]
"""True for each of a vocabulary that does, by its number."""

_MARKS = "#▁Ġ"
"""How tokenizers mark that a piece goes on with a word, or begins one."""


def telling_pieces(tokenizer: Tokenizer) -> Telling:
    """All but stop words, signs and what is special."""
    vocabulary = tokenizer.get_vocab()
    special = {each.content for each in tokenizer.get_added_tokens_decoder().values()}
    telling = np.zeros(max(vocabulary.values()) + 1, dtype=np.bool_)
    for piece, number in vocabulary.items():
        word = piece.strip(_MARKS).lower()
        says = any(map(str.isalnum, word)) and word not in STOP_WORDS
        telling[number] = says and piece not in special
    return telling
