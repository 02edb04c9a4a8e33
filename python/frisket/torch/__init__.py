# SPDX-License-Identifier: MIT
"""Classes for PyTorch; they need torch, which `import frisket` does not import."""
from . import optim  # noqa: F401
from .functions import clip_grad_norm_, function  # noqa: F401
