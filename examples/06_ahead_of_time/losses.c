/* SPDX-License-Identifier: MIT */
/* Calls a function and a step of a shared library from C. */
#include <my_losses.h>
#include <stdio.h>

static int failed(void) {
    printf("%s\n", my_losses_last_error());
    return 1;
}

int main(void) {
    const int64_t shape[] = {3, 2}, stored[] = {3}, user_shape[] = {3, 1}, item_shape[] = {2, 1};
    const int32_t pointers[] = {0, 1, 1, 3}, columns[] = {1, 0, 1}; /* csr, with int32 indices */
    float values[] = {4, 2, 3}, users[] = {1, 1, 2}, items[] = {1, 2};
    const frisket_tensor u = {users, FRISKET_FLOAT32, 2, user_shape, NULL};
    const frisket_tensor v = {items, FRISKET_FLOAT32, 2, item_shape, NULL};
    const frisket_masked m = {.layout = FRISKET_CSR,
                              .rank = 2,
                              .shape = shape,
                              .values = {values, FRISKET_FLOAT32, 1, stored, NULL},
                              .indices = columns,
                              .count = 3,
                              .index_dtype = FRISKET_INT32,
                              .pointers = pointers,
                              .pointer_count = 4};
    float loss_value, du[3], dv[2];
    uint8_t mask_l[1], mask_u[3], mask_v[2];
    frisket_result l = {0}, gu = {0}, gv = {0};
    my_losses_loss_args args = {.ratings = &m, .users = &u, .items = &v, .results = {&l, &gu, &gv}};

    /* Without memory the call says what the results take. */
    if (my_losses_loss(&args) != FRISKET_OK) return failed();
    printf("gradient of users: [%d, %d]\n", (int)gu.shape[0], (int)gu.shape[1]);

    l.values = &loss_value, l.values_bytes = sizeof loss_value, l.mask = mask_l, l.mask_bytes = sizeof mask_l;
    gu.values = du, gu.values_bytes = sizeof du, gu.mask = mask_u, gu.mask_bytes = sizeof mask_u;
    gv.values = dv, gv.values_bytes = sizeof dv, gv.mask = mask_v, gv.mask_bytes = sizeof mask_v;
    if (my_losses_loss(&args) != FRISKET_OK) return failed();
    printf("loss %.1f, users %.1f %s %.1f, items %.1f %.1f\n", loss_value, du[0], mask_u[1] ? "?" : "_",
           du[2], dv[0], dv[1]);

    /* A step over the rows that a list has. */
    {
        const int64_t table_shape[] = {2, 2}, rows[] = {1}, row_values[] = {1, 2};
        float table[] = {1, 1, 1, 1}, row_sum[] = {0, 0}, grad[] = {3, 4};
        const int64_t sum_shape[] = {2, 1};
        const frisket_tensor t = {table, FRISKET_FLOAT32, 2, table_shape, NULL};
        const frisket_tensor s = {row_sum, FRISKET_FLOAT32, 2, sum_shape, NULL};
        const frisket_masked g = {.layout = FRISKET_ROWS,
                                  .rank = 2,
                                  .shape = table_shape,
                                  .values = {grad, FRISKET_FLOAT32, 2, row_values, NULL},
                                  .indices = rows,
                                  .count = 1};
        if (my_losses_row_wise(&(my_losses_row_wise_args){
                .row_sum = &s, .table_grad = &g, .table = &t, .rate = 0.1}) != FRISKET_OK)
            return failed();
        printf("row_sum %.2f %.2f, table %.4f %.4f\n", row_sum[0], row_sum[1], table[2], table[3]);
    }
    return 0;
}

// Output:
// gradient of users: [3, 1]
// loss 5.0, users -8.0 _ 4.0, items 0.0 0.0
// row_sum 0.00 12.50, table 0.9151 0.8869
