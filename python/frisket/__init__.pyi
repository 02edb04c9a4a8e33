# SPDX-License-Identifier: MIT
"""Masked arrays whose expressions are compiled.  tools/python_stubs.py writes this file."""

from . import optim as optim, torch as torch
from .elementwise import *
from .errors import *
from .errors import Error as Error, IndexError as IndexError
from .masked import *
from .operations import *
from .files import load as load, save as save
from .gradients import check_grad as check_grad, check_grad_report as check_grad_report, grad as grad, gradient as gradient, value_and_grad as value_and_grad
from .annotations import In as In, InOut as InOut, Scalar as Scalar
from .kernel_builds import build as build
from .kernels import load_kernels as load_kernels
from .operators import everywhere as everywhere, over as over
from .tools import cache as cache, doctor as doctor, on_compile as on_compile, show as show, tune as tune, tuning as tuning
from .tracing import explain as explain, jit as jit, step as step
from .gradients import evaluate as _evaluate

eval = _evaluate
