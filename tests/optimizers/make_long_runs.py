# SPDX-License-Identifier: MIT
"""Writes long_runs.json: parameters after 1,000 steps of PyTorch's optimizers in float64.  Needs torch 2.13; the file is stored,
so that tests need not."""
import json
import pathlib

import torch

elements, steps = 8, 1000
torch.set_default_dtype(torch.float64)  # else ASGD and NAdam keep numbers of theirs in float32


def gradients(stride):
    """Multiples of 1/64 from a congruential generator; for every `stride`-th element, in turn."""
    state = 1
    for step in range(steps):
        values, listed = [], []
        for i in range(elements):
            state = (state * 1103515245 + 12345) % 2**31
            if (i + step) % stride == 0:
                listed.append(i)
                values.append(((state >> 16) % 257 - 128) / 64)
        yield listed, torch.tensor(values, dtype=torch.float64)


def run(name, torch_name, options, torch_options, stride=1):
    param = torch.nn.Parameter(torch.arange(elements, dtype=torch.float64) / 4 - 1)
    optimizer = getattr(torch.optim, torch_name)([param], **torch_options)
    for listed, values in gradients(stride):
        if stride == 1:
            param.grad = values
        else:
            param.grad = torch.sparse_coo_tensor(torch.tensor([listed]), values, (elements,))
        optimizer.step()
    return {"optimizer": name, "options": options, "stride": stride, "param": param.detach().tolist()}


def same(name, torch_name, stride=1, **options):
    """A run whose options have the same names here and there, but for betas, alphas and the like."""
    given = dict(options)
    for pair, parts in {"betas": ("beta1", "beta2"), "etas": ("etaminus", "etaplus")}.items():
        if parts[0] in given:
            given[pair] = tuple(given.pop(part) for part in parts)
    return run(name, torch_name, options, given, stride)


runs = [
    same("sgd", "SGD", lr=0.01, momentum=0.9, dampening=0.1, weight_decay=0.01),
    same("sgd", "SGD", lr=0.01, momentum=0.9, nesterov=True),
    same("adagrad", "Adagrad", lr=0.05, lr_decay=0.001, weight_decay=0.01),
    same("adagrad", "Adagrad", stride=3, lr=0.05),
    same("sparse_adam", "SparseAdam", stride=3, lr=0.01),
    same("adam", "Adam", lr=0.01, beta1=0.8, beta2=0.99, weight_decay=0.01),
    same("adam", "Adam", lr=0.01, amsgrad=True),
    same("adamw", "AdamW", lr=0.01, weight_decay=0.1),
    same("rmsprop", "RMSprop", lr=0.01, alpha=0.9, momentum=0.5, centered=True),
    same("adadelta", "Adadelta", lr=0.5, rho=0.9),
    same("adamax", "Adamax", lr=0.01),
    same("nadam", "NAdam", lr=0.01, decoupled_weight_decay=True, weight_decay=0.01),
    same("radam", "RAdam", lr=0.01),
    same("rprop", "Rprop", lr=0.01, etaminus=0.5, etaplus=1.2),
    same("asgd", "ASGD", lr=0.01, lambd=0.01, t0=500.0),
]
lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in runs)
pathlib.Path(__file__).with_name("long_runs.json").write_text(f'{{"steps":{steps},"runs":[\n{lines}\n]}}\n')
