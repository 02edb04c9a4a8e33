# SPDX-License-Identifier: MIT
"""Races a masked Adagrad step against torch's MaskedTensor, by runs in turn: PYTHON bench/masked_tensor.py [--percent 10] [--size 4096]."""
import argparse
import time
import warnings

import frisket as fk
import numpy as np
import torch
from torch.masked import masked_tensor

warnings.simplefilter("ignore")  # MaskedTensor is a prototype, and says so at each call


@fk.step
def adagrad(param, state_sum, grad, *, lr, eps=1e-10):
    state_sum += grad * grad
    param -= lr * grad / (fk.sqrt(state_sum) + eps)


def by_masked_tensor(param, state_sum, grad, lr, eps=1e-10):
    """The step as MaskedTensor's tutorial writes it: results are filled into the tensors under the mask."""
    mask = grad.get_mask()
    total = masked_tensor(state_sum, mask) + grad * grad
    moved = masked_tensor(param, mask) - lr * grad / (total.sqrt() + eps)
    return torch.where(mask, moved.get_data(), param), torch.where(mask, total.get_data(), state_sum)


def least(call, seconds):
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        begin = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begin)
    return best * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--percent", type=float, default=10, help="of the elements are specified")
    parser.add_argument("--size", type=int, default=4096, help="rows, and columns")
    parser.add_argument("--seconds", type=float, default=6, help="of calls of each")
    options = parser.parse_args()
    generator, shape = np.random.default_rng(0), (options.size, options.size)
    mask = generator.random(shape) < options.percent / 100
    values = generator.normal(size=shape).astype("float32")
    ours = [np.ones(shape, "float32"), np.ones(shape, "float32"), fk.masked(values, mask)]
    theirs = [torch.ones(shape), torch.ones(shape), masked_tensor(torch.from_numpy(values), torch.from_numpy(mask))]
    adagrad(*ours, lr=0.1)
    found = by_masked_tensor(*theirs, lr=0.1)
    if not np.allclose(ours[0], found[0]) or not np.allclose(ours[1], found[1]):
        raise SystemExit("the two steps differ")
    calls = (lambda: adagrad(*ours, lr=0.1)), (lambda: by_masked_tensor(*theirs, lr=0.1))
    best = [min(times) for times in zip(*([least(call, options.seconds / 4) for call in calls] for _ in range(4)))]
    print(f"masked Adagrad, {options.size} x {options.size}, {options.percent:g} %: {best[0]:.2f} ms, "
          f"MaskedTensor {best[1]:.2f} ms: ratio {best[0] / best[1]:.3f}")


if __name__ == "__main__":
    main()
