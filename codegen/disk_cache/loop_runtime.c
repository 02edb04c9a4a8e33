/* SPDX-License-Identifier: MIT */
/* Linked to loops that are kept on disk; compiled when frisket is built, and carried inside of it. */
#include "loop_runtime.h"

struct FrisketLoopRuntime frisket_loop_runtime;

/* Hidden: no library of the process may stand in for these. */
#pragma GCC visibility push(hidden)

int halide_do_par_for(void* context, int (*task)(void*, int, uint8_t*), int first, int count,
                      uint8_t* closure) {
    return frisket_loop_runtime.do_par_for(context, task, first, count, closure);
}

void* halide_malloc(void* context, size_t bytes) { return frisket_loop_runtime.allocate(context, bytes); }

void halide_free(void* context, void* memory) { frisket_loop_runtime.free(context, memory); }

void halide_error(void* context, const char* text) { frisket_loop_runtime.error(context, text); }

#pragma GCC visibility pop
