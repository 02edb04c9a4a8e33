/* SPDX-License-Identifier: MIT */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Functions of the process that loops of the cache need, as Halide's functions of these names.  Each of their
   libraries has such a table, frisket_loop_runtime, which is filled in when it is loaded: so they share
   the process's threads, and find what they call in programs that export no symbol. */
struct FrisketLoopRuntime {
    int (*do_par_for)(void* context, int (*task)(void*, int, uint8_t*), int first, int count,
                      uint8_t* closure);
    void* (*allocate)(void* context, size_t bytes);
    void (*free)(void* context, void* memory);
    void (*error)(void* context, const char* text);
};
