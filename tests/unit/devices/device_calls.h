/* SPDX-License-Identifier: MIT */
#ifndef FRISKET_TESTS_DEVICE_CALLS_H
#define FRISKET_TESTS_DEVICE_CALLS_H
#include <device_kernels.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Memory of a device, or of the processor if `device` is null, with these bytes; null after an error. */
void* memory_with(const char* device, const void* bytes, size_t size);
/* Copies it back, and frees it; 0, or an error's code. */
int take_back(const char* device, void* memory, void* bytes, size_t size);

/* Each runs a step on rows x columns tensors of a device, or of the processor, and brings back what it
 * wrote.  0, or an error's code.  `layout`: of the gradient, with a byte for each element in `mask`. */
int adagrad_there(const char* device, int layout, int64_t rows, int64_t columns, float* param,
                  float* state_sum, const float* grad, const unsigned char* mask);
int adamw_there(const char* device, int64_t rows, int64_t columns, float* param, float* exp_avg,
                float* exp_avg_sq, const float* grad);
int row_wise_there(const char* device, int layout, int64_t rows, int64_t columns, float* param,
                   float* row_sum, const float* grad, const unsigned char* mask);
int soft_there(const char* device, int64_t rows, int64_t columns, const float* logits, float* result);

#ifdef __cplusplus
}
#endif

#endif
