/* SPDX-License-Identifier: MIT */
/* Plain C99: the headers are C, and every layout can be written down. */
#include <stddef.h>

#include "aot_kernels.h"

int adagrad_in_c(float* a, float* b, float* values, int layout);
int adagrad_in_c(float* a, float* b, float* values, int layout) {
    const int64_t shape[] = {2, 4}, stored[] = {3}, row_shape[] = {1, 4}, words = 1;
    const int64_t indices[] = {0, 1, 1, 2, 0, 2}, rows[] = {1};
    unsigned char mask[] = {0, 0, 1, 0, 1, 0, 1, 0};
    int64_t bits = 0x54;
    frisket_tensor ta = {a, FRISKET_FLOAT32, 2, shape, NULL}, tb = {b, FRISKET_FLOAT32, 2, shape, NULL};
    frisket_masked grad = {0};
    grad.layout = layout;
    grad.rank = 2;
    grad.shape = shape;
    grad.values.data = values;
    grad.values.dtype = FRISKET_FLOAT32;
    grad.values.rank = layout == FRISKET_COO ? 1 : 2;
    grad.values.shape = layout == FRISKET_COO ? stored : layout == FRISKET_ROWS ? row_shape : shape;
    grad.mask.data = layout == FRISKET_BITMASK ? (void*)&bits : (void*)mask;
    grad.mask.dtype = layout == FRISKET_BITMASK ? FRISKET_INT64 : FRISKET_BOOL;
    grad.mask.rank = layout == FRISKET_BITMASK ? 1 : 2;
    grad.mask.shape = layout == FRISKET_BITMASK ? &words : shape;
    grad.indices = layout == FRISKET_COO ? indices : rows;
    grad.count = layout == FRISKET_COO ? 3 : 1;
    return aot_kernels_adagrad(
        &(aot_kernels_adagrad_args){.a = &ta, .b = &tb, .grad = &grad, .lr = 0.1, .eps = 1e-10});
}
