# SPDX-License-Identifier: MIT
"""Chapter 2 of the tutorial: a layout says how a mask is stored, and changes no result."""
import frisket as fk
import numpy as np

# [mistake]
ratings = fk.coo((3, 4), [[0, 0, 0, 1, 1, 2, 2, 2], [0, 1, 3, 0, 3, 0, 1, 2]], np.float32([5, 3, 1, 4, 1, 1, 1, 5]))
try:
    ratings.to("rows")
except fk.LayoutError as error:
    print(error, end="\n\n")
# [/mistake]

# [layouts]
for layout in ("coo", "csr", "csc", "bitmask", "strided"):
    m = ratings.to(layout)
    print(f"{layout:8} {m.mean(axis=1).filled(0)} {m.stored_values.shape}")
# [/layouts]

# [duplicates]
twice = fk.coo((4,), [[2, 0, 2]], np.float32([1, 2, 3]))  # index 2 is given twice: its values add
print(twice.filled(0), twice.coalesce().indices)
# [/duplicates]

# Prints:
# to: row 0 is specified in part, layout rows holds whole rows: use coo, strided or bitmask
#
# coo      [3.        2.5       2.3333333] (8,)
# csr      [3.        2.5       2.3333333] (8,)
# csc      [3.        2.5       2.3333333] (8,)
# bitmask  [3.        2.5       2.3333333] (3, 4)
# strided  [3.        2.5       2.3333333] (3, 4)
# [2. 0. 4. 0.] [[0 2]]
