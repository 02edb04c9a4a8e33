// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <string_view>

#include "loop_runtime.h"

namespace frisket::codegen {

/// A shared library of loops within this process.
class LoadedLoops {
public:
    /// Takes an array of pointers, as kernel_module.hpp says; gives Halide's code.
    using Function = int (*)(const void** argv);
    static constexpr const char* function_name = "frisket_loops";

    /// From the bytes that were checked, not from a file that could be another by now.
    /// Errors: IoError if the system does not load it.
    LoadedLoops(std::string_view library, const FrisketLoopRuntime& runtime);
    ~LoadedLoops();
    LoadedLoops(const LoadedLoops&) = delete;
    LoadedLoops& operator=(const LoadedLoops&) = delete;

    Function function() const noexcept { return function_; }
    std::size_t bytes() const noexcept { return bytes_; }

private:
    void* library_ = nullptr;
    Function function_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace frisket::codegen
