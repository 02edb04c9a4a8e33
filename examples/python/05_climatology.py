# SPDX-License-Identifier: MIT
"""Monthly means and anomalies of a series with gaps, from np.ma and back: missing months are never seen."""
import frisket as fk
import numpy as np

generator = np.random.default_rng(3)
years, stations = 30, 4
season = 10 * np.sin(2 * np.pi * np.arange(12) / 12)
series = season[None, :, None] + generator.normal(0, 0.1, (years, 12, stations)) + np.arange(stations)
series = np.ma.masked_where(generator.random(series.shape) < 0.2, series)  # True: missing, as np.ma has it


@fk.jit
def anomalies(x):
    climate = fk.mean(x, axis=0, keepdims=True)
    return x - climate, fk.std(x - climate, axis=0), climate[0]


found, spread, climate = anomalies(series)
print("warmest month of each station:", fk.argmax(climate, axis=0).filled(0) + 1)
print("as many values as were measured:", found.count() == series.count())
print("spread of anomalies is near 0.1:", bool(np.all(np.abs(spread.filled(0) - 0.1) < 0.05)))
wanted = series - series.mean(axis=0)
print("np.ma has the same:", np.allclose(found.numpy(), wanted) and np.array_equal(found.numpy().mask, wanted.mask))

# Prints:
# warmest month of each station: [4 4 4 4]
# as many values as were measured: True
# spread of anomalies is near 0.1: True
# np.ma has the same: True
