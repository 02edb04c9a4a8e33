# SPDX-License-Identifier: MIT
"""Missing values of a table, by a masked autoencoder: it learns to predict the cells that each epoch hides from it."""
import csv

import frisket as fk
import numpy as np
import report


def table():
    """The penguins: a row each, four measurements first, then sex, species and island; nan where it is missing."""
    with open(report.data / "penguins.csv", encoding="utf-8") as file:
        penguins = list(csv.DictReader(file))
    measured = ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")
    columns = [[float("nan") if row[name] in ("", "NA") else float(row[name]) for row in penguins] for name in measured]
    for name in ("sex", "species", "island"):
        values = sorted({row[name] for row in penguins} - {"", "NA"})
        for value in values[len(values) == 2 :]:  # one column for two values
            columns.append([float("nan") if row[name] in ("", "NA") else float(row[name] == value) for row in penguins])
    return np.array(columns, "float32").T, len(measured)


def network(x, w1, b1, w2, b2):
    return fk.tanh(x @ w1 + b1) @ w2 + b2


def loss(w1, b1, w2, b2, x, is_shown):
    """Squared errors of the known cells; the network sees those that are shown, and 0, the mean, in place of others."""
    seen = fk.to_dense(fk.masked(x, is_shown), 0)
    return fk.mean(fk.square(x - network(seen, w1, b1, w2, b2)))


def main():
    chosen = report.options(__doc__, epochs=400, lr=0.01, hidden=32)
    run, generator = report.Report("Imputation", chosen), np.random.default_rng(chosen.seed)
    with run.phase("data"):
        cells, measured = table()
        if chosen.small:
            cells = cells[::10]
        is_known = ~np.isnan(cells)
        is_hidden = is_known & (generator.random(cells.shape) < 0.2)
        is_hidden[:, measured:] = False
        train = fk.masked(np.nan_to_num(cells), is_known & ~is_hidden)
        mean, scale = train.mean(axis=0).filled(0), train.std(axis=0).filled(1)
        train, wanted = (train - mean) / scale, ((cells - mean) / scale)[is_hidden]
        width, hidden = cells.shape[1], chosen.hidden
        start = {
            "w1": generator.normal(0, width**-0.5, (width, hidden)), "b1": np.zeros(hidden),
            "w2": generator.normal(0, hidden**-0.5, (hidden, width)), "b2": np.zeros(width),
        }  # fmt: skip
        start = {name: values.astype("float32") for name, values in start.items()}
        shown = [generator.random(cells.shape) < 0.7 for _ in range(chosen.epochs)]

    params = {name: values.copy() for name, values in start.items()}
    optimizer = fk.optim.Adam(params, lr=chosen.lr)
    for epoch in run.epochs("frisket", chosen.epochs):
        run.loss("frisket", optimizer.minimize(loss, x=train, is_shown=shown[epoch]).loss)

    def error(params):
        """RMSE of the hidden measurements, in standard deviations of their columns."""
        found = fk.eval(network, fk.to_dense(train, 0), *params.values())
        return np.sqrt(np.mean((found[is_hidden] - wanted) ** 2))

    by_means = np.sqrt(np.mean(wanted**2))
    print(f"hidden cells: {is_hidden.sum()} of {is_known.sum()}, RMSE {error(params):.4f}, with column means {by_means:.4f}")
    if chosen.torch:
        theirs = in_torch(run, chosen, train, shown, start)
        run.compare("RMSE / RMSE of column means", error(params) / by_means, error(theirs) / by_means)
    run.close("RMSE / RMSE of column means", error(params) / by_means)


def in_torch(run, chosen, train, shown, start):
    """Parameters that PyTorch finds."""
    import torch

    params = {name: torch.tensor(values, requires_grad=True) for name, values in start.items()}
    optimizer = torch.optim.Adam(params.values(), lr=chosen.lr)
    x, known = torch.tensor(train.filled(0)), torch.tensor(train.mask)
    shown = [torch.tensor(each) for each in shown]
    for epoch in run.epochs("PyTorch", chosen.epochs):
        optimizer.zero_grad()
        hidden = torch.tanh(x.where(shown[epoch], 0) @ params["w1"] + params["b1"])
        value = (x - (hidden @ params["w2"] + params["b2"]))[known].square().mean()
        value.backward()
        optimizer.step()
        run.loss("PyTorch", value.item())
    return {name: values.detach().numpy() for name, values in params.items()}


if __name__ == "__main__":
    main()
