# SPDX-License-Identifier: MIT
"""Chapter 5 of the tutorial: an optimizer of one's own."""
import frisket as fk
import numpy as np

# [mistake]
try:

    @fk.optim.rule(state={"average": 0.0}, lr=0.1)
    def nameless(param, grad, average, lr, beta):
        average += (1 - beta) * (grad - average)
        param -= lr * fk.sign(average)

except fk.BindingError as error:
    print(error, end="\n\n")
# [/mistake]


# [rule]
@fk.optim.rule(state={"average": 0.0}, lr=0.1, beta=0.9)
def signed(param, grad, average, lr, beta):
    """Moves by lr along the sign of an average of gradients."""
    average += (1 - beta) * (grad - average)
    param -= lr * fk.sign(average)


table = np.ones((4, 2), "float32")
optimizer = signed({"table": table}, lr=0.25)
optimizer.step({"table": fk.rows((4, 2), [1, 3], np.ones((2, 2), "float32"))})
optimizer.step({"table": fk.coo((4, 2), [[1], [0]], np.float32([-9]))})
print(table)
print(optimizer.state["table"]["average"][1], optimizer.options())
# [/rule]

# Prints:
# nameless: the argument beta is no state and no option: write fk.optim.rule(state={"beta": 0.0}), or fk.optim.rule(beta=0.1)
#
# [[1.   1.  ]
#  [1.   0.75]
#  [1.   1.  ]
#  [0.75 0.75]]
# [-0.81  0.1 ] {'beta': 0.9, 'lr': 0.25}
