# SPDX-License-Identifier: MIT
"""Factors of a matrix of ratings, few of which are known: the products are computed where there are ratings."""
import frisket as fk
import numpy as np

generator = np.random.default_rng(0)
users, items = generator.normal(size=(40, 3)), generator.normal(size=(30, 3))
known = generator.random((40, 30)) < 0.5
ratings = fk.masked(users @ items.T, known).to("coo")
u, v = generator.normal(size=(40, 3)), generator.normal(size=(30, 3))


def loss(u, v, ratings):
    return fk.mean(fk.square(ratings - u @ v.T))


optimizer = fk.optim.Adam({"u": u, "v": v}, lr=0.05)
for step in range(600):
    value = float(optimizer.minimize(loss, ratings=ratings).loss)
    if step in (0, 599):
        print(f"step {step}: the loss is {'large' if value > 1 else 'small'}")
missing = np.sqrt(np.mean((u @ v.T - users @ items.T)[~known] ** 2))
print("error of ratings that were not given is below 0.5:", missing < 0.5)

# Prints:
# step 0: the loss is large
# step 599: the loss is small
# error of ratings that were not given is below 0.5: True
