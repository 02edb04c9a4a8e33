// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "aot_module.hpp"
#include "argument.hpp"
#include "c_arguments.hpp"

namespace frisket::kernel_calls {

/// Arguments of this thread's last calls from C, one for a kernel: a call with tensors in the same memory, of
/// the same shapes, finds them converted.  Lists and copies of the caller's memory are never stored, as that
/// memory may have changed.
class KnownArguments {
public:
    /// The arguments of a call like the last one, with the numbers of this one; null if none matches.
    const std::vector<Argument>* find(const CompiledKernel& kernel,
                                      std::initializer_list<aot::CArgument> given);
    /// Keeps the arguments of a call that went well, which refer to `owner`.
    void keep(const CompiledKernel& kernel, std::initializer_list<aot::CArgument> given,
              std::unique_ptr<CArguments> owner, std::vector<Argument> arguments);

private:
    struct Call {
        const CompiledKernel* kernel = nullptr;
        std::vector<std::int64_t> words = {};
        std::unique_ptr<CArguments> owner = {};
        std::vector<Argument> arguments = {};
    };
    Call& place_of(const CompiledKernel& kernel) {
        return calls_[reinterpret_cast<std::uintptr_t>(&kernel) / sizeof(CompiledKernel) % calls_.size()];
    }
    std::array<Call, 8> calls_;
};

}  // namespace frisket::kernel_calls
