# SPDX-License-Identifier: MIT
"""Anomalies of monthly temperatures, some of which are missing."""
import frisket as fk
import numpy as np

temperatures = np.array([[3.0, 11.5, 19.0, 9.5], [2.0, np.nan, 21.0, 8.5], [np.nan, 12.5, 20.0, np.nan]])
m = fk.masked(temperatures, ~np.isnan(temperatures))

print("stations per year:", m.count(axis=1))
print("means of the seasons:", m.mean(axis=0).filled(0))
# Within one expression a reduction meets what it reduces.
print(fk.eval(lambda m: m - fk.mean(m, axis=0, keepdims=True), m))

# Prints:
# stations per year: [4 3 2]
# means of the seasons: [ 2.5 12.  20.   9. ]
# MaskedTensor(
#   [
#     [  0.5000,  -0.5000,  -1.0000,   0.5000],
#     [ -0.5000,       --,   1.0000,  -0.5000],
#     [      --,   0.5000,   0.0000,       --]
#   ]
# )
