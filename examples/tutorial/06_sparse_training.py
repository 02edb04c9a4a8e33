# SPDX-License-Identifier: MIT
"""Chapter 6 of the tutorial: the factorisation trained in batches, whose gradients are lists of rows."""
import frisket as fk
import numpy as np

# [data]
generator = np.random.default_rng(0)
true_users, true_films = generator.normal(size=(60, 2)), generator.normal(size=(40, 2))
who, what = np.nonzero(generator.random((60, 40)) < 0.3)
stars = (true_users @ true_films.T)[who, what].astype("float32")
users = generator.normal(0, 0.5, (60, 2)).astype("float32")
films = generator.normal(0, 0.5, (40, 2)).astype("float32")
# [/data]


# [loss]
def loss(users, films, who, what, stars):
    return fk.mean(fk.square(fk.sum(users[who] * films[what], axis=1) - stars))


print(fk.grad(loss)(users, films, who[:3], what[:3], stars[:3]).layout)  # only rows that the batch reads
# [/loss]

# [mistake]
adagrad = fk.optim.Adagrad({"users": users, "films": films}, lr=0.3)
try:
    adagrad.step({"user": fk.rows((60, 2), [0], np.ones((1, 2), "float32"))})
except fk.BindingError as error:
    print(error, end="\n\n")
# [/mistake]

# [train]
for epoch in range(60):
    order = generator.permutation(len(who))
    for batch in np.array_split(order, 12):
        last = adagrad.minimize(loss, who=who[batch], what=what[batch], stars=stars[batch]).loss
error = np.sqrt(np.mean((users @ films.T - true_users @ true_films.T) ** 2))
print("error of all ratings, given or not, is below 0.1:", error < 0.1)
# [/train]

# Prints:
# rows
# there is no parameter user: there are users, films
#
# error of all ratings, given or not, is below 0.1: True
