# SPDX-License-Identifier: MIT
"""Weight decay of rows of an embedding that a batch has not read: three meanings, which `untouched` names."""
import frisket as fk
import numpy as np

batches = [[0, 1], [0], [0, 1]]  # rows that each batch reads; nobody reads row 2
for untouched in ("masked", "dense_equivalent", "caught_up"):
    table = np.ones((3, 1), "float32")
    optimizer = fk.optim.SGD({"table": table}, lr=0.5, weight_decay=0.5, untouched=untouched)
    for rows in batches:
        optimizer.step([fk.rows(table.shape, rows, np.zeros((len(rows), 1), "float32"))])  # gradients of 0: decay alone
    before = table.ravel().copy()
    if untouched == "caught_up":
        optimizer.catch_up()
    print(f"{untouched:16} {before} after it all {table.ravel()}")

# Prints:
# masked           [0.421875 0.5625   1.      ] after it all [0.421875 0.5625   1.      ]
# dense_equivalent [0.421875 0.421875 0.421875] after it all [0.421875 0.421875 0.421875]
# caught_up        [0.421875 0.421875 1.      ] after it all [0.421875 0.421875 0.421875]
