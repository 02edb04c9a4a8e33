# SPDX-License-Identifier: MIT
"""Writes derivatives.tsv: derivatives of the operations of the table, of orders 1 to 3, from closed forms of sympy in 60 digits
and more.  Needs sympy; the file is stored, so that tests need not.

Columns: operation, dtype, variables of the derivative (0 or 1 for the operand), operands, the derivative rounded to float64, and
its condition number: the sum over operands of |x f'(x) / f(x)|."""
import pathlib
import struct
import sys

import mpmath
import sympy
from sympy import Rational, S, pi

x, y = sympy.symbols("x y", real=True)
mpmath.mp.dps = 60

unary = {
    "neg": -x, "square": x**2, "reciprocal": 1 / x, "sqrt": sympy.sqrt(x), "rsqrt": 1 / sympy.sqrt(x),
    "exp": sympy.exp(x), "exp2": sympy.exp(x * sympy.log(2)), "expm1": sympy.exp(x) - 1, "log": sympy.log(x),
    "log2": sympy.log(x) / sympy.log(2), "log10": sympy.log(x) / sympy.log(10), "log1p": sympy.log(1 + x),
    "sigmoid": 1 / (1 + sympy.exp(-x)), "logit": sympy.log(x / (1 - x)), "sin": sympy.sin(x), "cos": sympy.cos(x),
    "tan": sympy.tan(x), "asin": sympy.asin(x), "acos": sympy.acos(x), "atan": sympy.atan(x), "sinh": sympy.sinh(x),
    "cosh": sympy.cosh(x), "tanh": sympy.tanh(x), "asinh": sympy.asinh(x), "acosh": sympy.log(x + sympy.sqrt(x - 1) * sympy.sqrt(x + 1)),
    "atanh": (sympy.log(1 + x) - sympy.log(1 - x)) / 2, "deg2rad": x * pi / 180, "rad2deg": x * 180 / pi,
    "sinc": sympy.sin(pi * x) / (pi * x), "erf": sympy.erf(x), "erfc": sympy.erfc(x), "erfinv": sympy.erfinv(x),
    "lgamma": sympy.loggamma(x), "digamma": sympy.polygamma(0, x), "trigamma": sympy.polygamma(1, x),
    "i0": sympy.besseli(0, x), "i1": sympy.besseli(1, x), "sech": 1 / sympy.cosh(x),
}
binary = {
    "mul": x * y, "div": x / y, "pow": x**y, "logaddexp": sympy.log(sympy.exp(x) + sympy.exp(y)),
    "atan2": None, "hypot": sympy.sqrt(x**2 + y**2), "direction": x / sympy.sqrt(x**2 + y**2),
}
# Where a function is not defined, or grows so fast that closed forms take hours.
domains = {
    "sqrt": (1e-320, 1e308), "rsqrt": (1e-320, 1e308), "log": (1e-320, 1e308), "log2": (1e-320, 1e308), "log10": (1e-320, 1e308),
    "log1p": (-0.99999, 1e308), "logit": (1e-320, 0.9999999), "asin": (-0.99999994, 0.99999994), "acos": (-0.99999994, 0.99999994),
    "acosh": (1.00000001, 1e308), "atanh": (-0.99999994, 0.99999994), "erfinv": (-0.99999994, 0.99999994), "exp": (-1e4, 1e4),
    "exp2": (-1e4, 1e4), "sinh": (-1e4, 1e4), "cosh": (-1e4, 1e4), "tanh": (-1e4, 1e4), "sech": (-1e4, 1e4), "sigmoid": (-1e4, 1e4),
    "expm1": (-1e4, 1e4), "sin": (-1e6, 1e6), "cos": (-1e6, 1e6), "tan": (-1e6, 1e6), "sinc": (-1e6, 1e6), "erf": (-1e3, 1e3),
    "erfc": (-1e3, 1e3), "i0": (-600, 600), "i1": (-600, 600), "lgamma": (-30, 1e6), "digamma": (-30, 1e6), "trigamma": (-30, 1e6),
}
# Derivatives at 0 of functions whose closed form is a quotient there.
at_zero = {"sinc": [1, 0, -pi**2 / 3, 0, pi**4 / 5], "i1": [0, S(1) / 2, 0, S(3) / 8, 0]}
exponentials = ("exp", "exp2", "expm1", "sigmoid", "tanh", "sinh", "cosh", "sech", "logaddexp", "erf", "erfc")
whole_poles = ("lgamma", "digamma", "trigamma")

sizes = [1e-9, 1e-4, 1e-3, 0.125, 0.3, 0.5, 0.7, 0.9, 0.999, 1.0, 1.001, 1.5, 2.0, 2.75, 4.25, 7.0, 12.0, 20.0, 40.0, 85.0, 1e3, 1e10]
extremes = {"float32": [1e-38, 1e-30, 1e-20, 1e15, 1e20, 1e30, 3e38], "float64": [1e-300, 1e-160, 300.0, 700.0, 1e20, 1e155, 1e160, 1e300]}
pairs = [(0.0, 0.75), (0.5, 0.5), (1.0, 3.0), (3.0, 1.0), (-2.0, 1.5), (1e-4, 2.0), (2.0, 1e-4), (40.0, 0.0), (0.0, 40.0), (-90.0, 3.0),
         (1e8, 1.0), (1.0, 1e8), (1.25, 1.25000011920929), (7.5, -7.5), (0.001, 12.0), (3.0, 0.0), (1.5, -2.5)]
extreme_pairs = {"float32": [(3e20, 4e20), (3e-30, 4e-30), (1e30, 1e-30), (1e-30, 1e30), (2e38, 1e38), (1e-20, 3.0)],
                 "float64": [(3e200, 4e200), (3e-200, 4e-200), (1e200, 1e-200), (1e-200, 1e200), (1e-100, 3.0), (700.0, -30.0)]}


def rounded(value, dtype):
    return struct.unpack("f", struct.pack("f", value))[0] if dtype == "float32" else value


def evaluated(name, expression, at):
    """The value in 60 digits; more are taken until two agree.  Closed forms cancel by powers of their operands, and of exp."""
    grows = name in exponentials
    scale = max([abs(mpmath.log10(abs(v))) + (min(abs(v), 2e3) if grows else 0) for v in at.values() if v != 0] or [0])
    scale = 0 if name in (*whole_poles, "erfinv", "i0", "i1") else scale
    digits = 80 + int(4 * scale)
    known = None
    while digits < 60000:
        with mpmath.workdps(digits):
            function = sympy.lambdify(list(at), expression, "mpmath")
            try:
                value = function(*[mpmath.mpf(v) for v in at.values()])
            except (ZeroDivisionError, ValueError, OverflowError, mpmath.libmp.NoConvergence):
                return None
            if isinstance(value, mpmath.mpc):
                value = value.real
            value = mpmath.mpf(value)
        if not mpmath.isfinite(value):
            return None
        if known is not None and abs(known - value) <= abs(value) * mpmath.mpf(10)**-40:
            return value
        known, digits = value, digits * 3
    return None


def derivatives(name, expression, order, variables):
    """The derivatives of an order, by the operands they are taken by."""
    made = {"": expression}
    for _ in range(order):
        made = {taken + str(i): sympy.diff(form, v) for taken, form in made.items() for i, v in enumerate(variables)}
    return made


def pieces(name):
    """First derivatives of piecewise linear functions; derivatives of higher orders are 0."""
    greater, less = (lambda a, b: 0.5 if a == b else float(a > b)), (lambda a, b: 0.5 if a == b else float(a < b))
    return {
        "abs": [lambda a, b: (a > 0) - (a < 0)], "relu": [lambda a, b: float(a > 0)], "frac": [lambda a, b: 1],
        "maximum": [greater, less], "fmax": [greater, less], "minimum": [less, greater], "fmin": [less, greater],
        "remainder": [lambda a, b: 1, lambda a, b: -mpmath.floor(mpmath.mpf(a) / b)],
        "fmod": [lambda a, b: 1, lambda a, b: -mpmath.sign(mpmath.mpf(a) / b) * mpmath.floor(abs(mpmath.mpf(a) / b))],
    }.get(name)


def piecewise_rows(name, points, dtype):
    slopes = pieces(name)
    for taken in [str(i) + rest for rest in ("", "0", "1") for i in range(len(slopes)) if int(rest or "0") < len(slopes)]:
        for point in points:
            a, b = (*point, 0.0)[:2]
            value = slopes[int(taken)](a, b) if len(taken) == 1 else 0
            yield "\t".join([name, dtype, taken, number(a), number(b), number(value), "0"])


def number(value):
    return format(float(value), ".17g")


def rows(name, expression, points, dtype, variables):
    for order in (1, 2, 3):
        for taken, form in derivatives(name, expression, order, variables).items():
            if order == 3 and taken != "".join(sorted(taken)):
                continue  # orders of mixed derivatives are tried in the second
            slopes = [sympy.diff(form, v) for v in variables]
            for point in points:
                at = dict(zip(variables, point))
                if len(variables) == 1 and point[0] == 0 and name in at_zero:
                    value, condition = mpmath.mpf(at_zero[name][order].evalf(40)) if at_zero[name][order] != 0 else mpmath.mpf(0), 1
                else:
                    value = evaluated(name, form, at)
                    if value is None:
                        continue
                    changes = [evaluated(name, slope, at) for slope in slopes]
                    if None in changes:
                        continue
                    condition = sum(abs(v * c) for v, c in zip(point, changes)) / abs(value) if value != 0 else 0
                yield "\t".join([name, dtype, taken, *map(number, point), *["0"] * (2 - len(point)), number(value), format(float(condition), ".3g")])


def unary_points(name, dtype):
    low, high = domains.get(name, (-1e308, 1e308))
    all_sizes = sizes + extremes[dtype]
    if name == "erfinv":
        all_sizes = [s for s in all_sizes if s > 1e-10]  # the root of smaller numbers takes hours
    if name in whole_poles:
        all_sizes = [s for s in all_sizes if s > 1e-20] + [0.25, 3.25, 10.5, 29.25]
    for size in sorted([0.0] + all_sizes + [-s for s in all_sizes]):
        value = rounded(size, dtype)
        if low <= value <= high and not (name in whole_poles and value <= 0 and value == int(value)):
            yield (value,)


def binary_points(name, dtype):
    for pair in pairs + extreme_pairs[dtype]:
        point = tuple(rounded(v, dtype) for v in pair)
        if name == "pow" and point[0] <= 0 or name == "div" and point[1] == 0:
            continue
        if name == "logaddexp" and max(map(abs, point)) > 1e4:
            continue
        yield point


def piecewise_points(name, dtype):
    if len(pieces(name)) == 1:
        yield from unary_points(name, dtype)
        return
    for point in binary_points(name, dtype):
        if name not in ("remainder", "fmod") or point[1] != 0 and abs(point[0] / point[1]) < 1e6:
            yield point


binary["atan2"] = sympy.atan(x / y)  # equal in all derivatives, but at y = 0
lines = []
only = sys.argv[1:]
for dtype in ("float32", "float64"):
    for name, expression in unary.items():
        if not only or name in only:
            lines += rows(name, expression, list(unary_points(name, dtype)), dtype, [x])
            print(name, len(lines), file=sys.stderr, flush=True)
    for name, expression in binary.items():
        if not only or name in only:
            lines += rows(name, expression, list(binary_points(name, dtype)), dtype, [x, y])
            print(name, len(lines), file=sys.stderr, flush=True)
    for name in ("abs", "relu", "frac", "maximum", "minimum", "fmax", "fmin", "remainder", "fmod"):
        if not only or name in only:
            lines += piecewise_rows(name, list(piecewise_points(name, dtype)), dtype)
target = pathlib.Path(__file__).with_name("derivatives.tsv") if not only else pathlib.Path("/dev/stdout")
target.write_text("\n".join(lines) + "\n")
