# SPDX-License-Identifier: MIT
"""A rule of one's own in six lines, on gradients that are dense, sparse or masked."""
import frisket as fk
import numpy as np


@fk.optim.rule(state={"m": 0.0}, lr=1e-3, beta=0.9, decay=0.0)
def signed_momentum(param, grad, m, lr, beta, decay):
    """Steps of equal length along the sign of an average of gradients."""
    m += (1 - beta) * (grad - m)
    param -= lr * (fk.sign(m) + decay * param)


table = np.ones((4, 2), "float32")
optimizer = signed_momentum({"table": table}, lr=0.25)
optimizer.step({"table": fk.rows((4, 2), [1, 3], np.ones((2, 2), "float32"))})
optimizer.step({"table": fk.coo((4, 2), [[1], [0]], np.float32([-9]))})
print(table)
print(optimizer.state["table"]["m"][1], optimizer.options())

# Prints:
# [[1.   1.  ]
#  [1.   0.75]
#  [1.   1.  ]
#  [0.75 0.75]]
# [-0.81  0.1 ] {'beta': 0.9, 'decay': 0, 'lr': 0.25}
