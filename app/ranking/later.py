"""How far what was said later of the same is looked for, whatever tells that it is."""

import numpy as np

OLD = 3
"""Of the best so many may no longer hold."""

ALIKE = np.float32(0.45)
"""
The cosine from which a message speaks of the same as another, if it has a word of it that few have,
or all that the other has of the query.
"""

BRIEF = 200
"""Characters of a message that has no word for it, at most: what is longer tells of more."""

OF_ONE_MATTER = 80
"""And of what it may change, or it may be another part of that which changed."""
