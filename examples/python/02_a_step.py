# SPDX-License-Identifier: MIT
"""An optimizer of one's own in four lines, on a gradient of whole rows: the rows of an embedding that a batch has read."""
import frisket as fk
import numpy as np


@fk.step
def adagrad(param, state_sum, grad, *, lr, eps=1e-10):
    state_sum += grad * grad
    param -= lr * grad / (fk.sqrt(state_sum) + eps)


table, state = np.ones((5, 2), "float32"), np.zeros((5, 2), "float32")
batch = np.array([3, 1, 3])
gradient = fk.grad(lambda t, ids: fk.sum(fk.square(t[ids])))(table, batch)
print("layout", gradient.layout, "rows", gradient.indices)

adagrad(table, state, gradient, lr=0.25)
print(table)
print(fk.explain(adagrad, table, state, gradient, lr=0.25).splitlines()[2].strip())

# Prints:
# layout rows rows [1 3]
# [[1.   1.  ]
#  [0.75 0.75]
#  [1.   1.  ]
#  [0.75 0.75]
#  [1.   1.  ]]
# over   rows: the specified rows of grad, by a list of rows
