# SPDX-License-Identifier: MIT
"""Statistics of a Polars frame with nulls: columns are read in place, and what is null is never seen."""
import frisket as fk
import polars

frame = polars.DataFrame({"height": [1.5, None, 1.7, 1.9, None], "weight": [50.0, 60.0, None, 90.0, None]})
print("mean height", fk.mean(frame["height"]).item())


@fk.jit
def index(height, weight):
    return fk.intersect(fk.divide, weight, height * height)  # where both are known


found = index(frame["height"], frame["weight"])
print(found.numpy().round(1))
print("known:", found.count(), "of", len(frame))

# Prints:
# mean height 1.7
# [22.2 -- -- 24.9 --]
# known: 2 of 5
