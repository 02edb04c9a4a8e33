# SPDX-License-Identifier: MIT
"""An optimizer step as a function, in ten lines: the program that README.md shows."""
# [ten]
import frisket as fk
import numpy as np

@fk.step
def adagrad(param, total, grad, *, lr):
    total += grad * grad
    param -= lr * grad / fk.sqrt(total)

p, s = np.ones((2, 4), "float32"), np.zeros((2, 4), "float32")
g = fk.coo((2, 4), [[0, 1], [2, 0]], np.float32([3, 4]))
adagrad(p, s, g, lr=0.1)
print(p)  # only the two specified elements have moved
# [/ten]

# Prints:
# [[1.  1.  0.9 1. ]
#  [0.9 1.  1.  1. ]]
