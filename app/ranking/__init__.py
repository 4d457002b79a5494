"""Pure ranking: arrays in, arrays out. No clock, no randomness, no I/O."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
"""Vectors and scores; shapes are in the docstrings."""
