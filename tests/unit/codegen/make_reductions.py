# SPDX-License-Identifier: MIT
"""Writes reductions.tsv: values of reductions in 120 digits, for numbers that overflow, underflow or cancel in float32, or in
float64.  Needs mpmath; the file is stored, so that tests need not.

Columns: operation, dtype, operands, results, and the error that each result may have: a unit in its last digit, and the loss of sums of float64 on the way
(Higham, Accuracy and Stability of Numerical Algorithms, 4.2)."""
import math
import pathlib
import random
import struct

import mpmath

mpmath.mp.dps = 120
mpf = mpmath.mpf
units = {"float32": (mpf(2) ** -23, mpf(2) ** -149, mpf(3.4028234e38)), "float64": (mpf(2) ** -52, mpf(2) ** -1074, mpf(1.7e308))}
wide = mpf(2) ** -52  # unit of float64, in which sums are made


def rounded(value, dtype):
    return struct.unpack("f", struct.pack("f", value))[0] if dtype == "float32" else float(value)


def last_place(value, dtype):
    unit, least, _ = units[dtype]
    return max(abs(value) * unit, least)


def total(values):
    return mpmath.fsum(values)


def sum_of(x, dtype):
    return [total(x)], [len(x) * wide * total(map(abs, x))]


def mean(x, dtype):
    results, errors = sum_of(x, dtype)
    return [results[0] / len(x)], [errors[0] / len(x)]


def prod(x, dtype):
    result = mpmath.fprod(x)
    return [result], [len(x) * wide * abs(result)]


def var(x, dtype):
    middle = total(x) / len(x)
    result = total((one - middle) ** 2 for one in x) / len(x)
    error = total(abs(one - middle) * abs(one) for one in x) / len(x) + result + (len(x) * wide * max(map(abs, x))) ** 2 / wide
    return [result], [4 * len(x) * wide * error]


def std_dev(x, dtype):
    results, errors = var(x, dtype)
    result = mpmath.sqrt(results[0])
    return [result], [mpmath.sqrt(errors[0]) if result == 0 else min(errors[0] / (2 * result), mpmath.sqrt(errors[0]))]


def norm(ord):
    def of(x, dtype):
        result = total(abs(one) ** ord for one in x) ** (mpf(1) / ord)
        return [result], [(len(x) + 64) * wide * result + last_place(result, dtype)]
    return of


def logsumexp(x, dtype):
    result = mpmath.log(total(mpmath.exp(one) for one in x))
    unit = units[dtype][0]
    return [result], [4 * unit * max(1, max(map(abs, x)))]


def softmax(x, dtype):
    most, sum_ = max(x), total(mpmath.exp(one) for one in x)
    results = [mpmath.exp(one) / sum_ for one in x]
    return results, [units[dtype][0] * (8 + 2 * abs(one - most)) * result for one, result in zip(x, results)]


def log_softmax(x, dtype):
    most, whole = max(x), mpmath.log(total(mpmath.exp(one) for one in x))
    return [one - whole for one in x], [units[dtype][0] * (8 + 2 * abs(one - most)) for one in x]


def cumsum(x, dtype):
    return [total(x[:i + 1]) for i in range(len(x))], [len(x) * wide * total(map(abs, x[:i + 1])) for i in range(len(x))]


def cumprod(x, dtype):
    results = [mpmath.fprod(x[:i + 1]) for i in range(len(x))]
    return results, [len(x) * wide * abs(one) for one in results]


def dot(x, dtype):
    """The sum of the squares: products are rounded to the dtype, and added in float64."""
    result = total(one * one for one in x)
    return [result], [(units[dtype][0] + len(x) * wide) * result]


def is_within(x, least, most):
    """True if products of some of the numbers stay between these."""
    return all(x) and total(mpmath.log(abs(one)) for one in x if abs(one) > 1) < mpmath.log(most) and \
        total(mpmath.log(abs(one)) for one in x if abs(one) < 1) > mpmath.log(least)


def families(random_, n, dtype):
    uniform = lambda low, high: random_.uniform(low, high)
    sign = lambda: random_.choice((-1, 1))
    top, least = (1e38, 1e-44) if dtype == "float32" else (1e306, 1e-322)
    half = [uniform(-1, 1) for _ in range((n + 1) // 2)]
    yield "near1", [uniform(0.5, 2) * sign() for _ in range(n)]
    yield "cancel", ([one * 1e8 for one in half] + [-one * 1e8 for one in half])[:n - 1] + [uniform(1, 2)]
    yield "huge", [uniform(0.5, 3) * top * sign() / (1 if dtype == "float32" else n) for _ in range(n)]
    yield "tiny", [uniform(1, 90) * least * sign() for _ in range(n)]
    yield "spread", [2 ** uniform(-12, 12) * sign() for _ in range(n)]
    yield "wide", [2 ** uniform(-100, 100) * sign() for _ in range(n)]
    yield "close", [16777216 - random_.randrange(4) for _ in range(n)]
    yield "near80", [uniform(60, 88) for _ in range(n)]
    yield "below", [-1e4 - uniform(0, 30) for _ in range(n)]
    yield "mixed", [uniform(-100, 100) for _ in range(n)]


def is_asked(operation, family, x, results, dtype):
    top = units[dtype][2]
    if any(abs(one) > top for one in results):
        return False
    if operation in ("prod", "cumprod"):
        return is_within(x, mpf(10) ** -290, mpf(10) ** 290) and all(one == 0 or abs(one) > units[dtype][1] * 2**30 for one in results)
    if operation in ("logsumexp", "softmax", "log_softmax"):
        return family in ("near1", "spread", "near80", "below", "mixed", "close")
    if operation == "dot":
        return family not in ("huge", "tiny", "wide")
    if dtype == "float64" and operation in ("var", "std_dev"):
        return family not in ("huge", "wide")
    return True


operations = {
    "sum": sum_of, "mean": mean, "prod": prod, "var": var, "std_dev": std_dev, "norm1": norm(1), "norm2": norm(2), "norm3": norm(3),
    "logsumexp": logsumexp, "softmax": softmax, "log_softmax": log_softmax, "cumsum": cumsum, "cumprod": cumprod, "dot": dot,
}


def main():
    random_ = random.Random(45)
    lines = []
    for dtype in units:
        for n in (1, 2, 5, 17, 40):
            for family, values in families(random_, n, dtype):
                values = [rounded(one, dtype) for one in values]
                x = [mpf(one) for one in values]
                for name, function in operations.items():
                    results, errors = function(x, dtype)
                    if not is_asked(name, family, x, results, dtype):
                        continue
                    errors = [error + last_place(result, dtype) for result, error in zip(results, errors)]
                    texts = [" ".join(repr(float(one)) for one in row) for row in (values, results)]
                    texts.append(" ".join(f"{float(error):.3g}" for error in errors))
                    lines.append("\t".join([name, dtype, *texts]))
    pathlib.Path(__file__).with_name("reductions.tsv").write_text("\n".join(lines) + "\n")


main()
