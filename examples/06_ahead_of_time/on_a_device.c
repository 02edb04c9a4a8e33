/* SPDX-License-Identifier: MIT */
/* Runs a step on a device from C: memory of the device, and calls as ever.  Without an OpenCL device the same
 * calls take memory of the processor. */
#include <my_device_kernels.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 2, columns = 4, listed = 1 };

static int is_device;

// [memory]
static void* memory_with(const float* numbers, size_t bytes) {
    void* memory = NULL;
    if (!is_device) return memcpy(malloc(bytes), numbers, bytes);
    if (my_device_kernels_device_malloc("opencl", bytes, &memory) != FRISKET_OK) return NULL;
    my_device_kernels_device_copy(memory, numbers, bytes);
    return memory;
}

static void print_and_free(const char* name, void* memory, size_t bytes) {
    float here[rows * columns];
    int i;
    if (is_device) {
        my_device_kernels_device_copy(here, memory, bytes); /* waits for the step */
        my_device_kernels_device_free(memory);
    } else {
        memcpy(here, memory, bytes);
        free(memory);
    }
    printf("%s", name);
    for (i = 0; i < rows * columns; i++) printf("%s%8.4f", i == columns ? " /" : "", here[i]);
    printf("\n");
}
// [/memory]

int main(void) {
    const int64_t shape[] = {rows, columns}, stored[] = {listed, columns}, row_numbers[] = {1};
    const float numbers[] = {0, 1, 2, 3, 4, 5, 6, 7}, grad[] = {3, 0, 4, 5};
    float half[rows * columns];
    void *param, *state_sum, *values;
    int i, code;
    for (i = 0; i < rows * columns; i++) half[i] = 0.5f;

    is_device = my_device_kernels_device_synchronize("opencl") == FRISKET_OK;
    if (!is_device) fprintf(stderr, "%s\n", my_device_kernels_last_error());
    param = memory_with(numbers, sizeof numbers);
    state_sum = memory_with(half, sizeof half);
    values = memory_with(grad, sizeof grad);
    if (param == NULL || state_sum == NULL || values == NULL) {
        printf("%s\n", my_device_kernels_last_error());
        return 1;
    }
    {
        const frisket_tensor p = {param, FRISKET_FLOAT32, 2, shape, NULL};
        const frisket_tensor s = {state_sum, FRISKET_FLOAT32, 2, shape, NULL};
        const frisket_masked g = {.layout = FRISKET_ROWS,
                                  .rank = 2,
                                  .shape = shape,
                                  .values = {values, FRISKET_FLOAT32, 2, stored, NULL},
                                  .indices = row_numbers, /* memory of the processor */
                                  .count = listed};
        code = my_device_kernels_adagrad(&(my_device_kernels_adagrad_args){
            .param = &p, .state_sum = &s, .grad = &g, .lr = 0.1, .eps = 1e-10});
    }
    if (code != FRISKET_OK) {
        printf("%s\n", my_device_kernels_last_error());
        return 1;
    }
    print_and_free("state_sum", state_sum, sizeof half);
    print_and_free("param    ", param, sizeof numbers);
    if (is_device)
        my_device_kernels_device_free(values);
    else
        free(values);
    return 0;
}

// Output:
// state_sum  0.5000  0.5000  0.5000  0.5000 /  9.5000  0.5000 16.5000 25.5000
// param      0.0000  1.0000  2.0000  3.0000 /  3.9027  5.0000  5.9015  6.9010
