"""
Pure ranking: arrays in, arrays out. No clock, no randomness, no I/O.

What makes products does so under `np.errstate(invalid="ignore")`: some kernels of BLAS tell now and
then that something was invalid of products of which nothing is (numpy/numpy#24067).
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
"""Vectors and scores; shapes are in the docstrings."""

Words = NDArray[np.int8]
"""
Vectors of length 127, of the word pieces of a text that say something, shape (w, k); w is 0 where
a model gives none.
"""


def no_words() -> Words:
    return np.zeros((0, 0), dtype=np.int8)
