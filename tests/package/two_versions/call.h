/* SPDX-License-Identifier: MIT */
/* Calls of the library LIBRARY, by the header that it was built with. */
#include <stdint.h>
#include <string.h>

#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#define NAMED(rest) JOINED(LIBRARY, rest)

/* Makes steps on memory of its own; returns 0, or the number of the check that failed. */
int NAMED(_calls)(int other_version) {
    for (int round = 0; round < 200; ++round) {
        float param[8] = {0, 1, 2, 3, 4, 5, 6, 7}, sum[8];
        for (int i = 0; i < 8; ++i) sum[i] = 0.5F;
        const int64_t shape[] = {2, 4}, count[] = {3}, indices[] = {0, 1, 1, 2, 0, 2};
        float values[] = {3, 4, 5};
        const frisket_tensor p = {param, FRISKET_FLOAT32, 2, shape, NULL};
        const frisket_tensor s = {sum, FRISKET_FLOAT32, 2, shape, NULL};
        frisket_masked g;
        memset(&g, 0, sizeof g);
        g.layout = FRISKET_COO;
        g.values = (frisket_tensor){values, FRISKET_FLOAT32, 1, count, NULL};
        g.rank = 2;
        g.shape = shape;
        g.indices = indices;
        g.count = 3;
        const NAMED(_adagrad_args) args = {.param = &p, .state_sum = &s, .grad = &g, .lr = 0.1, .eps = 1e-10};
        if (NAMED(_adagrad)(&args) != FRISKET_OK) return 1;
        if (sum[2] != 9.5F || sum[4] != 16.5F || sum[6] != 25.5F || sum[0] != 0.5F) return 2;
        /* The version of the other library's header is refused, and changes nothing. */
        if (NAMED(_adagrad_sized)(&args, sizeof args, other_version) != FRISKET_BINDING) return 3;
        if (strstr(NAMED(_last_error)(), "FRISKET_ABI_VERSION") == NULL || sum[2] != 9.5F) return 4;
    }
    return 0;
}
