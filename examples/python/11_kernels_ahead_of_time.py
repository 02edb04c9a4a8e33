# SPDX-License-Identifier: MIT
"""Kernels that are compiled here ahead of time, then called from Python and from a program in C that needs no Python."""
import pathlib
import shutil
import subprocess
import tempfile

import frisket as fk
import numpy as np


# [kernels]
@fk.step  # annotations stand in for arguments: nothing is called
def adagrad(
    param: fk.InOut["float32"],
    state_sum: fk.InOut["float32"],
    grad: fk.Masked["float32"],
    lr: fk.Scalar["float32"],
    eps: fk.Scalar["float32"],
):
    state_sum += grad * grad
    param -= lr * grad / (fk.sqrt(state_sum) + eps)


@fk.jit  # names stand for any extent
def scores(table: fk.In["float32", "rows", "dim"], query: fk.In["float32", "dim"]):
    return fk.softmax(table @ query, axis=0)
# [/kernels]


program = r"""
#include <my_kernels.h>
#include <stdio.h>

int main(void) {
    const int64_t shape[] = {3, 2}, stored[] = {1, 2}, rows[] = {1};
    float param[] = {1, 1, 1, 1, 1, 1}, state_sum[6] = {0}, values[] = {2, -3};
    const frisket_tensor p = {param, FRISKET_FLOAT32, 2, shape, NULL}, s = {state_sum, FRISKET_FLOAT32, 2, shape, NULL};
    const frisket_masked g = {.layout = FRISKET_ROWS, .rank = 2, .shape = shape, .indices = rows, .count = 1,
                              .values = {values, FRISKET_FLOAT32, 2, stored, NULL}};
    if (my_kernels_adagrad(&(my_kernels_adagrad_args){.param = &p, .state_sum = &s, .grad = &g, .lr = 0.5}) != FRISKET_OK) {
        printf("%s\n", my_kernels_last_error());
        return 1;
    }
    printf("C: %g %g, %g %g, %g %g\n", param[0], param[1], param[2], param[3], param[4], param[5]);
    return 0;
}
"""

with tempfile.TemporaryDirectory() as folder:
    # [build]
    built = fk.build("my_kernels", [adagrad, scores], layouts=["dense", "rows"], targets=["x86-64-avx2", "x86-64"], directory=folder)
    kernels = fk.load_kernels(built.library)
    # [/build]
    print(kernels, sorted(header.name for header in pathlib.Path(built.include).glob("my_kernels.*")))

    param, state_sum = np.ones((3, 2), "float32"), np.zeros((3, 2), "float32")
    kernels.adagrad(param, state_sum, fk.rows((3, 2), [1], np.float32([[2, -3]])), lr=0.5, eps=0)
    print(param)
    print(kernels.scores(param, np.ones(2, "float32")))
    try:
        kernels.adagrad(param, state_sum, fk.coo((3, 2), [[0], [1]], np.float32([1])), lr=0.5, eps=0)
    except fk.LayoutError as error:
        print(error)

    if compiler := shutil.which("cc"):
        source, made = pathlib.Path(folder, "main.c"), pathlib.Path(folder, "main")
        source.write_text(program, encoding="utf-8")
        folder_of_library = pathlib.Path(built.library).parent
        subprocess.run([compiler, source, "-o", made, f"-I{built.include}", built.library, f"-Wl,-rpath,{folder_of_library}"], check=True)
        print(subprocess.run([made], stdout=subprocess.PIPE, text=True, check=True).stdout, end="")

# Prints:
# <kernels my_kernels for x86-64-avx2, x86-64: adagrad, scores> ['my_kernels.h', 'my_kernels.hpp']
# [[1.  1. ]
#  [0.5 1.5]
#  [1.  1. ]]
# [0.33333334 0.33333334 0.33333334]
# adagrad: was called with layout coo and was compiled ahead of time for dense, rows: convert with to(), or add the layout to LAYOUTS of frisket_add_kernels
# C: 1 1, 0.5 1.5, 1 1
