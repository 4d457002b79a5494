"""
Pure ranking: arrays in, arrays out. No clock, no randomness, no I/O.

Products are written `a.dot(b)`: `a @ b` asks the processor whether anything was invalid, and some
kernels of BLAS say so now and then of products of which nothing is.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
"""Vectors and scores; shapes are in the docstrings."""
