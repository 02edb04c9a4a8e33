// SPDX-License-Identifier: MIT
// Holds checked calls that only have to run.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "argument.hpp"

namespace frisket {
class CompiledKernel;
}

namespace frisket::kernel_calls {

/// Something that writes, checked and with all the memory that it takes: running it does not fail for lack of
/// it.  Several that are made before the first is run change everything or nothing.
/// Threads: it goes on the thread that made it.
struct Ready {
    std::function<void()> run = {};  ///< empty: nothing is ready
    /// True if the values that it will write were computed when it was made, from the contents of tensors
    /// then.
    bool has_read = false;
    std::shared_ptr<void> work = {};  ///< the object that `run` refers to, if it has one
    explicit operator bool() const { return run != nullptr; }
};

/// Runs an object, which it keeps; allocates nothing.
template <class Work>
Ready ready_of(std::shared_ptr<Work> work, bool has_read = false) {
    return {[object = work.get()] { object->run(); }, has_read, std::move(work)};
}

/// True if an argument is a number that the step reads when it is made ready, and writes back.
inline bool has_state(std::span<const Argument> arguments) {
    return std::ranges::any_of(
        arguments, [](const Argument& argument) { return argument.kind() == Argument::Kind::state; });
}

/// The calls of call_each(), which refer to the arguments.  Errors: as call_each().
Ready ready_calls(const CompiledKernel& kernel, std::span<const std::vector<Argument>> calls);

}  // namespace frisket::kernel_calls
