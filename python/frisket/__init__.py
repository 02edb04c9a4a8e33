# SPDX-License-Identifier: MIT
"""Masked arrays whose expressions are compiled to fused loops that touch what the masks specify.

    import frisket as fk
    m = fk.masked(x, x > 0)          # True: specified
    m.mean(axis=0)                   # each operation runs at once

    @fk.jit                          # or one function as one computation
    def loss(ratings, u, v):
        return fk.sum(fk.square(ratings - u @ v.T))
"""
from . import libraries

_core = libraries.load_module(__name__)
from .errors import *  # noqa: F401,F403
from .errors import Error, IndexError  # noqa: A004,F401
from .gradients import check_grad, check_grad_report, evaluate as eval, grad, gradient, value_and_grad  # noqa: A004,F401
from .files import load, save  # noqa: F401
from .annotations import *  # noqa: F401,F403
from .kernel_builds import build  # noqa: F401
from .kernels import load_kernels  # noqa: F401
from .masked import *  # noqa: F401,F403
from .operations import *  # noqa: F401,F403
from .tools import cache, doctor, on_compile, show, tune, tuning  # noqa: F401
from .tracing import explain, jit, step  # noqa: F401
from .operators import everywhere, over  # noqa: F401
from . import optim  # noqa: F401


def __getattr__(name):
    if name == "torch":  # imported when it is asked for: torch takes a second
        import importlib

        try:
            return importlib.import_module(".torch", __name__)
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            raise ImportError("fk.torch needs PyTorch: pip install torch") from None
    raise AttributeError(f"module frisket has no attribute {name}")
