/* SPDX-License-Identifier: MIT */
/* Plain C99: a program that trains on a device needs no C++. */
#include "device_calls.h"

#include <stdlib.h>
#include <string.h>

void* memory_with(const char* device, const void* bytes, size_t size) {
    void* memory = NULL;
    if (device == NULL) {
        memory = malloc(size == 0 ? 1 : size);
        if (memory != NULL && size > 0) memcpy(memory, bytes, size);
        return memory;
    }
    if (device_kernels_device_malloc(device, size, &memory) != FRISKET_OK) return NULL;
    if (device_kernels_device_copy(memory, bytes, size) != FRISKET_OK) return NULL;
    return memory;
}

int take_back(const char* device, void* memory, void* bytes, size_t size) {
    int code;
    if (device == NULL) {
        if (bytes != NULL) memcpy(bytes, memory, size);
        free(memory);
        return FRISKET_OK;
    }
    code = bytes == NULL ? FRISKET_OK : device_kernels_device_copy(bytes, memory, size);
    if (code != FRISKET_OK) return code;
    return device_kernels_device_free(memory);
}

/* A gradient and the memory of its parts. */
struct gradient {
    int64_t shape[2], stored[2], words, count;
    int64_t* indices;
    frisket_masked masked;
    void *values, *mask;
};

static int is_set(const unsigned char* mask, int64_t i) { return mask[i] != 0; }

static void fill_list(struct gradient* made, const float* grad, const unsigned char* mask, float* values) {
    const int64_t rows = made->shape[0], columns = made->shape[1];
    const int by_row = made->masked.layout == FRISKET_ROWS;
    int64_t i, k, all = 0;
    for (i = 0; i < rows * columns; i++)
        all += by_row ? i % columns == 0 && is_set(mask, i) : is_set(mask, i);
    made->count = 0;
    for (i = 0; i < rows * columns; i++) {
        if (!is_set(mask, i) || (by_row && i % columns != 0)) continue;
        made->indices[made->count] = i / columns;
        if (!by_row) made->indices[all + made->count] = i % columns;
        for (k = 0; k < (by_row ? columns : 1); k++)
            values[made->count * (by_row ? columns : 1) + k] = grad[i + k];
        made->count++;
    }
    made->stored[0] = made->count;
    made->stored[1] = columns;
    made->masked.indices = made->indices;
    made->masked.count = made->count;
}

static void make_gradient(struct gradient* made, const char* device, int layout, int64_t rows,
                          int64_t columns, const float* grad, const unsigned char* mask) {
    const size_t size = (size_t)(rows * columns);
    float* values = malloc(size * sizeof(float) + 1);
    int64_t i, *bits;
    memset(made, 0, sizeof *made);
    made->shape[0] = rows;
    made->shape[1] = columns;
    made->words = (rows * columns + 63) / 64;
    made->indices = malloc(2 * size * sizeof(int64_t) + 1);
    made->masked.layout = layout;
    made->masked.rank = 2;
    made->masked.shape = made->shape;
    made->masked.values.dtype = FRISKET_FLOAT32;
    made->masked.values.rank = 2;
    made->masked.values.shape = made->shape;
    if (layout == FRISKET_COO || layout == FRISKET_ROWS) {
        fill_list(made, grad, mask, values);
        made->masked.values.shape = made->stored;
        made->masked.values.rank = layout == FRISKET_COO ? 1 : 2;
        made->values = memory_with(
            device, values, (size_t)(made->count * (layout == FRISKET_COO ? 1 : columns)) * sizeof(float));
    } else {
        made->values = memory_with(device, grad, size * sizeof(float));
    }
    if (layout == FRISKET_STRIDED) {
        made->masked.mask.dtype = FRISKET_BOOL;
        made->masked.mask.rank = 2;
        made->masked.mask.shape = made->shape;
        made->mask = memory_with(device, mask, size);
    }
    if (layout == FRISKET_BITMASK) {
        bits = calloc((size_t)made->words + 1, sizeof(int64_t));
        for (i = 0; i < rows * columns; i++)
            if (is_set(mask, i)) bits[i / 64] |= (int64_t)((uint64_t)1 << (i % 64));
        made->masked.mask.dtype = FRISKET_INT64;
        made->masked.mask.rank = 1;
        made->masked.mask.shape = &made->words;
        made->mask = memory_with(device, bits, (size_t)made->words * sizeof(int64_t));
        free(bits);
    }
    made->masked.values.data = made->values;
    made->masked.mask.data = made->mask;
    free(values);
}

static void free_gradient(struct gradient* made, const char* device) {
    take_back(device, made->values, NULL, 0);
    if (made->mask != NULL) take_back(device, made->mask, NULL, 0);
    free(made->indices);
}

static frisket_tensor tensor_of(void* data, const int64_t* shape) {
    frisket_tensor tensor = {0};
    tensor.data = data;
    tensor.dtype = FRISKET_FLOAT32;
    tensor.rank = 2;
    tensor.shape = shape;
    return tensor;
}

int adagrad_there(const char* device, int layout, int64_t rows, int64_t columns, float* param,
                  float* state_sum, const float* grad, const unsigned char* mask) {
    const size_t size = (size_t)(rows * columns) * sizeof(float);
    struct gradient gradient;
    frisket_tensor p, s;
    int code;
    make_gradient(&gradient, device, layout, rows, columns, grad, mask);
    p = tensor_of(memory_with(device, param, size), gradient.shape);
    s = tensor_of(memory_with(device, state_sum, size), gradient.shape);
    code = device_kernels_adagrad(&(device_kernels_adagrad_args){
        .param = &p, .state_sum = &s, .grad = &gradient.masked, .lr = 0.1, .eps = 1e-10});
    if (code == FRISKET_OK && device != NULL) code = device_kernels_device_synchronize(device);
    take_back(device, p.data, param, size);
    take_back(device, s.data, state_sum, size);
    free_gradient(&gradient, device);
    return code;
}

int adamw_there(const char* device, int64_t rows, int64_t columns, float* param, float* exp_avg,
                float* exp_avg_sq, const float* grad) {
    const size_t size = (size_t)(rows * columns) * sizeof(float);
    const int64_t shape[] = {rows, columns};
    frisket_tensor p, m, v, g;
    int code;
    g = tensor_of(memory_with(device, grad, size), shape);
    p = tensor_of(memory_with(device, param, size), shape);
    m = tensor_of(memory_with(device, exp_avg, size), shape);
    v = tensor_of(memory_with(device, exp_avg_sq, size), shape);
    code = device_kernels_adamw(&(device_kernels_adamw_args){.param = &p,
                                                             .exp_avg = &m,
                                                             .exp_avg_sq = &v,
                                                             .slope = &g,
                                                             .lr = 1e-3,
                                                             .eps = 1e-8,
                                                             .correction1 = 0.1,
                                                             .correction2 = 1e-3});
    take_back(device, p.data, param, size);
    take_back(device, m.data, exp_avg, size);
    take_back(device, v.data, exp_avg_sq, size);
    take_back(device, g.data, NULL, 0);
    return code;
}

int row_wise_there(const char* device, int layout, int64_t rows, int64_t columns, float* param,
                   float* row_sum, const float* grad, const unsigned char* mask) {
    const size_t size = (size_t)(rows * columns) * sizeof(float), sums = (size_t)rows * sizeof(float);
    const int64_t row_shape[] = {rows, 1};
    struct gradient gradient;
    frisket_tensor p, s;
    int code;
    make_gradient(&gradient, device, layout, rows, columns, grad, mask);
    p = tensor_of(memory_with(device, param, size), gradient.shape);
    s = tensor_of(memory_with(device, row_sum, sums), row_shape);
    code = device_kernels_row_wise(&(device_kernels_row_wise_args){
        .param = &p, .row_sum = &s, .grad = &gradient.masked, .lr = 0.1, .eps = 1e-10});
    take_back(device, p.data, param, size);
    take_back(device, s.data, row_sum, sums);
    free_gradient(&gradient, device);
    return code;
}

int soft_there(const char* device, int64_t rows, int64_t columns, const float* logits, float* result) {
    const size_t size = (size_t)(rows * columns) * sizeof(float);
    const int64_t shape[] = {rows, columns};
    frisket_result made = {0};
    int code;
    void* memory = memory_with(device, result, size);
    frisket_tensor given = tensor_of(memory_with(device, logits, size), shape);
    made.values = memory;
    made.values_bytes = (int64_t)size;
    code = device_kernels_soft(&(device_kernels_soft_args){.logits = &given, .results = {&made}});
    take_back(device, memory, result, size);
    take_back(device, given.data, NULL, 0);
    return code;
}
