/* SPDX-License-Identifier: MIT */
/* Plain C99, as a user's program. */
#include "client.h"

#include <few_kernels.h>
#include <stddef.h>

static int call(float* param, float* sum, const float* values, const int64_t* shape) {
    const int64_t stored[] = {2}, indices[] = {0, 1, 2, 0}, whole[] = {2, 4};
    frisket_tensor ta = {param, FRISKET_FLOAT32, 2, shape, NULL}, tb = {sum, FRISKET_FLOAT32, 2, whole, NULL};
    frisket_masked grad = {0};
    grad.layout = FRISKET_COO;
    grad.rank = 2;
    grad.shape = whole;
    grad.values.data = (void*)values;
    grad.values.dtype = FRISKET_FLOAT32;
    grad.values.rank = 1;
    grad.values.shape = stored;
    grad.indices = indices;
    grad.count = 2;
    return few_kernels_adagrad(
        &(few_kernels_adagrad_args){.param = &ta, .sum = &tb, .grad = &grad, .lr = 0.5});
}

int step_in_c(float* param, float* sum, const float* values) {
    const int64_t shape[] = {2, 4};
    return call(param, sum, values, shape);
}

int bad_step_in_c(float* param, float* sum, const float* values) {
    const int64_t shape[] = {1, 4};
    return call(param, sum, values, shape);
}
