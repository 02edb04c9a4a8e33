/* SPDX-License-Identifier: MIT */
/* Calls the step from C: plain structs, error codes. */
#include <my_kernels.h>
#include <stdio.h>

static void print(const char* name, const float* data) {
    int i;
    printf("%s", name);
    for (i = 0; i < 8; i++) printf("%s%8.4f", i == 4 ? " /" : "", data[i]);
    printf("\n");
}

int main(void) {
    // [call]
    const int64_t shape[] = {2, 4}, stored[] = {3};
    const int64_t indices[] = {0, 1, 1, /* rows */ 2, 0, 2 /* columns */};
    float param[] = {0, 1, 2, 3, 4, 5, 6, 7}, state_sum[8], grad[] = {3, 4, 5};
    frisket_tensor p = {param, FRISKET_FLOAT32, 2, shape, NULL};
    frisket_tensor s = {state_sum, FRISKET_FLOAT32, 2, shape, NULL};
    frisket_masked g = {.layout = FRISKET_COO,
                        .rank = 2,
                        .shape = shape,
                        .values = {grad, FRISKET_FLOAT32, 1, stored, NULL},
                        .indices = indices,
                        .count = 3};
    const my_kernels_adagrad_args args = {.param = &p, .state_sum = &s, .grad = &g, .lr = 0.1, .eps = 1e-10};
    int i, code;
    for (i = 0; i < 8; i++) state_sum[i] = 0.5f;

    code = my_kernels_adagrad(&args);
    if (code != FRISKET_OK) {
        printf("%s\n", my_kernels_last_error());
        return 1;
    }
    // [/call]
    print("state_sum", state_sum);
    print("param    ", param);

    // [mistake]
    s.dtype = FRISKET_FLOAT64;
    code = my_kernels_adagrad(&args);
    printf("error %d\n", code);
    fprintf(stderr, "%s\n", my_kernels_last_error()); /* names the argument and what the step wants */
    // [/mistake]
    return code == FRISKET_DTYPE ? 0 : 1;
}

// Output:
// state_sum  0.5000  0.5000  9.5000  0.5000 / 16.5000  0.5000 25.5000  0.5000
// param      0.0000  1.0000  1.9027  3.0000 /  3.9015  5.0000  5.9010  7.0000
// error 6
