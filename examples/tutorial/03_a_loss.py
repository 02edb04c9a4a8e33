# SPDX-License-Identifier: MIT
"""Chapter 3 of the tutorial: the loss of a factorisation, and its gradients, at the ratings that are there."""
import frisket as fk
import numpy as np

# [data]
generator = np.random.default_rng(0)
true_users, true_films = generator.normal(size=(60, 2)), generator.normal(size=(40, 2))
known = generator.random((60, 40)) < 0.1
ratings = fk.masked((true_users @ true_films.T).astype("float32"), known).to("csr")
users = generator.normal(0, 0.5, (60, 2)).astype("float32")
films = generator.normal(0, 0.5, (40, 2)).astype("float32")
# [/data]

# [mistake]
try:
    fk.value_and_grad(lambda users, films, ratings: fk.square(ratings - users @ films.T))(users, films, ratings)
except fk.ShapeError as error:
    print(error, end="\n\n")
# [/mistake]

# [loss]
@fk.jit
def loss(users, films, ratings):
    return fk.mean(fk.square(ratings - users @ films.T))


value, (of_users, of_films) = fk.value_and_grad(loss, argnums=(0, 1))(users, films, ratings)
print("the loss is above 1:", value.item() > 1)
print("gradients:", of_users.shape, of_films.shape, "of", ratings.count(), "ratings")
# [/loss]

# [plan]
print(fk.explain(loss, users, films, ratings), end="")
# [/plan]

# Prints:
# a gradient of a value of shape (60, 40), wanted one number: write fk.sum(...) in the function
#
# the loss is above 1: True
# gradients: (60, 2) (40, 2) of 268 ratings
# plan of eval: 2 stages
# 1. contract(view(users), view(films))
#    over   positions
#    reads  view(users) (at the positions), view(films) (at the positions)
#    makes  #3: float32 [60, 40], csr
#    rule   sampled_factor: a product of dense matrices is read where one list is specified and nowhere else, and that is less than a quarter of its elements
#           for: its elements are made for the places of the list alone, as values of a list like it; against: an element costs about four times as much as one of a whole product
#    why    the rest reads it at the positions of a list alone
# 2. float32(div(sum(square(sub(ratings, to_dense(#3, 0))), mask_of(ratings)), float64(sum(int64(mask_of(ratings))))))
#    over   positions of ratings, #3
#    reads  ratings (stored values), #3 (stored values)
#    makes  float32 [], values and a mask, 5 bytes
#    rule   same_pattern: the masked arguments are lists of one layout with the same positions, and no result needs another position
#           for: stored values are read and written in their order, and the result shares the list; against: the lists are compared
