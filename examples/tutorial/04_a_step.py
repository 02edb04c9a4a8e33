# SPDX-License-Identifier: MIT
"""Chapter 4 of the tutorial: a step updates arrays in place, where its gradient is specified."""
import frisket as fk
import numpy as np

gradient = fk.rows((4, 2), [1, 3], np.ones((2, 2), "float32"))


# [mistake]
@fk.step
def counting(param, steps, grad, *, lr):
    param -= lr * grad
    steps += 1  # everywhere, or only where grad is specified?


try:
    counting(np.ones((4, 2), "float32"), np.zeros((4, 2), "float32"), gradient, lr=0.5)
except fk.InvalidValueError as error:
    print(error, end="\n\n")
# [/mistake]


# [step]
@fk.step
def sgd(param, steps, grad, *, lr, decay=0.0):
    steps += fk.on(grad, 1)  # only where grad is specified
    param -= lr * (grad + decay * param)


param, steps = np.ones((4, 2), "float32"), np.zeros((4, 2), "float32")
sgd(param, steps, gradient, lr=0.5)
sgd(param, steps, gradient, lr=0.25, decay=0.1)  # a new number compiles nothing
print(param)
print(steps[:, 0])
# [/step]

# Prints:
# counting: steps takes a dense value in a step that updates param only where grad is specified: write fk.on(grad, ...), or fk.everywhere(steps)[...] = ... if all elements are meant
#
# [[1.         1.        ]
#  [0.23750001 0.23750001]
#  [1.         1.        ]
#  [0.23750001 0.23750001]]
# [0. 2. 0. 2.]
