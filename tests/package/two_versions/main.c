/* SPDX-License-Identifier: MIT */
/* Two libraries of kernels, built with two versions of frisket, in one process, called from 16 threads. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

int first_kernels_calls(int other_version);
int second_kernels_calls(int other_version);

static void* run(void* number) {
    const int is_first = (intptr_t)number % 2 != 0;
    const int failed = is_first ? first_kernels_calls(SECOND_VERSION) : second_kernels_calls(FIRST_VERSION);
    return (void*)(intptr_t)failed;
}

int main(void) {
    pthread_t threads[16];
    int failed = 0;
    for (intptr_t i = 0; i < 16; ++i) pthread_create(&threads[i], NULL, run, (void*)i);
    for (intptr_t i = 0; i < 16; ++i) {
        void* result = NULL;
        pthread_join(threads[i], &result);
        if (result != NULL) printf("thread %d: check %d failed\n", (int)i, (int)(intptr_t)result);
        failed |= result != NULL;
    }
    if (!failed) puts("two versions of frisket in one process");
    return failed;
}
