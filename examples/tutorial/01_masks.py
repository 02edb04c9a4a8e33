# SPDX-License-Identifier: MIT
"""Chapter 1 of the tutorial: ratings that nobody gave are not zeros."""
# [data]
import frisket as fk
import numpy as np

# Three people rate four films from 1 to 5.  NaN: not seen.
seen = np.array([[5, 3, np.nan, 1], [4, np.nan, np.nan, 1], [1, 1, 5, np.nan]], "float32")
ratings = fk.masked(seen, ~np.isnan(seen))  # True: specified
# [/data]

# [mistake]
dubbed = fk.masked(seen, seen > 2)  # another mask
try:
    ratings - dubbed
except fk.MaskMismatch as error:
    print(error, end="\n\n")
# [/mistake]

# [meaning]
print(ratings.mean(axis=1).filled(0))  # over the films that each person has seen
print(ratings - ratings.mean(axis=1, keepdims=True))  # a reduction meets what it reduced
print(fk.intersect(fk.sub, ratings, dubbed))  # where both are specified
print(fk.unite(fk.add, ratings, dubbed))  # where either is specified
print(ratings.filled(3))  # the way out: 3 where nothing is specified
# [/meaning]

# Prints:
# sub: operand 1 of sub (shape [3, 4], layout strided) and operand 2 of sub (shape [3, 4], layout strided) specify different elements (8 and 4), first at [0, 3], which only operand 1 of sub specifies: masks that meet must be equal, fk.to_dense(operand 2 of sub, fill) leaves the masked world
#
# [3.        2.5       2.3333333]
# MaskedTensor(
#   [
#     [  2.0000,   0.0000,       --,  -2.0000],
#     [  1.5000,       --,       --,  -1.5000],
#     [ -1.3333,  -1.3333,   2.6667,       --]
#   ]
# )
# MaskedTensor(
#   [
#     [  0.0000,   0.0000,       --,       --],
#     [  0.0000,       --,       --,       --],
#     [      --,       --,   0.0000,       --]
#   ]
# )
# MaskedTensor(
#   [
#     [ 10.0000,   6.0000,       --,   1.0000],
#     [  8.0000,       --,       --,   1.0000],
#     [  1.0000,   1.0000,  10.0000,       --]
#   ]
# )
# [[5. 3. 3. 1.]
#  [4. 3. 3. 1.]
#  [1. 1. 5. 3.]]
