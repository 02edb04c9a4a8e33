# SPDX-License-Identifier: MIT
"""Classes for PyTorch; they need torch, which `import frisket` does not import."""
from . import optim as optim
from .functions import clip_grad_norm_ as clip_grad_norm_, function as function
