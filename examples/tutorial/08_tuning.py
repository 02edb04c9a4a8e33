# SPDX-License-Identifier: MIT
"""Chapter 8 of the tutorial: a schedule changes the time of a call, never a byte."""
import frisket as fk
import numpy as np

generator = np.random.default_rng(0)
mask = generator.random((256, 256)) < 0.02
gradient = fk.masked(generator.normal(size=(256, 256)).astype("float32"), mask)


def adagrad(param, total, grad, *, lr):
    total += grad * grad
    param -= lr * grad / fk.sqrt(total)


def run(schedule=None):
    param, total = np.ones((256, 256), "float32"), np.zeros((256, 256), "float32")
    fk.step(adagrad, schedule=schedule)(param, total, gradient, lr=0.1)
    return param


# [mistake]
try:
    run("skip tile=100")
except fk.ScheduleError as error:
    print(error)
try:
    run("rows")
except fk.ScheduleError as error:
    print(error, end="\n\n")
# [/mistake]

# [schedules]
chosen = run()  # the cost model chooses
for schedule in ("skip tile=256", "blend", "gather", "lines"):
    print(f"{schedule:13} same bytes: {run(schedule).tobytes() == chosen.tobytes()}")
# [/schedules]

# Prints:
# schedule "skip tile=100": tile is "100", wanted tile=64 to 512 by powers of two
# adagrad: the schedule asks for rows, whose loops cannot walk what this call gives: for its layouts there are skip, blend, gather, lines, predicate, bytes, segments: name one of these, convert with to(), or give no schedule
#
# skip tile=256 same bytes: True
# blend         same bytes: True
# gather        same bytes: True
# lines         same bytes: True
