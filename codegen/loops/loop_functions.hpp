// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstddef>
#include <cstdint>

#include "threads.hpp"

/// Functions of the process that compiled loops call, by names of C: objects ask for them instead of the
/// functions of Halide's runtime.  `context` is the call's LoopContext.
extern "C" {

void* frisket_loop_malloc(void* context, std::size_t bytes);
void frisket_loop_free(void* context, void* memory);
void frisket_loop_error(void* context, const char* text);
int frisket_loop_do_par_for(void* context, frisket::codegen::LoopTaskFunction task, int first, int count,
                            std::uint8_t* closure);
}

namespace frisket::codegen {

/// A function of Halide's runtime that loops call, and the one that they are given.
struct LoopRuntimeName {
    const char* halide;
    const char* ours;
};

/// THE table of these functions.
inline constexpr LoopRuntimeName loop_runtime_names[] = {
    {.halide = "halide_malloc", .ours = "frisket_loop_malloc"},
    {.halide = "halide_free", .ours = "frisket_loop_free"},
    {.halide = "halide_error", .ours = "frisket_loop_error"},
    {.halide = "halide_do_par_for", .ours = "frisket_loop_do_par_for"},
};

}  // namespace frisket::codegen
