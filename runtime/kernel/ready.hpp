// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "argument.hpp"

namespace frisket {
class CompiledKernel;
}

namespace frisket::kernel_calls {

/// Something that writes, checked and with all the memory that it takes: running it does not fail for lack of
/// it.  Several that are made before the first is run change everything or nothing.
/// Threads: it goes on the thread that made it.
class Ready {
public:
    Ready() = default;
    Ready(const Ready&) = delete;
    Ready& operator=(const Ready&) = delete;
    virtual ~Ready() = default;
    virtual void run() = 0;
    /// True if the values that it will write were computed when it was made, from the contents of tensors
    /// then.
    virtual bool has_read() const { return false; }
};

/// The calls of call_each(), which refer to the arguments.  Errors: those of call_each().
std::unique_ptr<Ready> ready_calls(const CompiledKernel& kernel,
                                   std::span<const std::vector<Argument>> calls);

}  // namespace frisket::kernel_calls
